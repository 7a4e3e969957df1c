"""What hatchling does besides: a wheel gets the library as a package, and the citation; an editable installation has
them where they are."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Library(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version != "editable":
            build_data["force_include"]["workflow/scripts/herbarium"] = "herbarium"
            build_data["force_include"]["CITATION.cff"] = "herbarium/clone/CITATION.cff"
