"""What keys a section of the configuration has, and which sections they lead to, read from its types."""

import typing
from typing import Any

from pydantic.fields import FieldInfo

from herbarium.core.section import Section

# The key that says which of several sections one is.
BRANCH = "recipe"


def branch(section: type[Section]) -> str:
    """The value under `BRANCH` of a section that is one of several."""
    return typing.get_args(section.model_fields[BRANCH].annotation)[0]


def keys(section: type[Section]) -> dict[str, FieldInfo]:
    """The fields of a section by their keys: `from` is a Python keyword, so its field has another name."""
    return {field.alias or name: field for name, field in section.model_fields.items()}


def sections_of(annotation: Any) -> list[type[Section]]:
    """The Sections inside an annotation such as `dict[Name, Model]`, `Herb | None` or `Toxic | Continued`."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for argument in typing.get_args(annotation) for section in sections_of(argument)]
