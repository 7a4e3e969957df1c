"""What hatchling does besides: a wheel gets the library as a package; an editable installation has it where it is."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Library(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version != "editable":
            build_data["force_include"]["workflow/scripts/herbarium"] = "herbarium"
