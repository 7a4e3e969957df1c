"""The table of every key of the configuration (config/README.md), read from the types of its sections."""

import types
import typing
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic.fields import FieldInfo

from herbarium.core.section import LocalPath, Name, Part, Section, Value
from herbarium.study.config import Study
from herbarium.study.keys import branch, keys, sections_of

_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def parameter_table() -> str:
    """Every key as a row of a Markdown table: key, type, default, meaning."""
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]

    def walk(section: type[Section], prefix: str, of_which: str = "") -> None:
        for name, field in keys(section).items():
            inner = sections_of(field.annotation)
            named = typing.get_origin(field.annotation) is dict
            default = "*required*" if field.is_required() else "" if inner else _show_default(field.default)
            kind = "section" if len(inner) > 1 else _show_type(field.annotation) + _show_bounds(field)
            rows.append(f"| `{prefix}{name}`{of_which} | {kind} | {default} | {field.description} |")
            for candidate in inner:
                of_one = f" of `{branch(candidate)}`" if len(inner) > 1 else of_which
                walk(candidate, f"{prefix}{name}.{'{name}.' if named else ''}", of_one)

    walk(Study, "")
    return "\n".join(rows)


def _show_type(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        of_files = {Path: "file", int: "whole number"}.get(arguments[0], "text")
        return {Name: "name", Part: "name", Value: "text or number", LocalPath: "path"}.get(annotation, of_files)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_show_type(part) for part in arguments if part is not type(None))
    if origin is list:
        return f"list of {_show_type(arguments[0])}"
    if origin is dict:
        return f"{_show_type(arguments[0])}: {_show_type(arguments[1])}"
    if issubclass(annotation, Section):
        return "section"
    if issubclass(annotation, StrEnum):
        return ", ".join(f"`{value}`" for value in annotation)
    return {str: "text", int: "whole number", float: "number", bool: "`true`, `false`", Path: "path"}[annotation]


def bounds(field: FieldInfo) -> dict[str, float]:
    """The bounds of a number, or of the numbers in a list: "ge" or "gt", and "le" or "lt"."""
    metadata = [*field.metadata, *_inner_metadata(field.annotation)]
    return {name: getattr(limit, name) for limit in metadata for name in _BOUNDS if hasattr(limit, name)}


def _inner_metadata(annotation: Any) -> list[object]:
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is Annotated:
        return [argument for told in arguments[1:] if isinstance(told, FieldInfo) for argument in told.metadata]
    return [argument for inner in arguments for argument in _inner_metadata(inner)]


def _show_bounds(field: FieldInfo) -> str:
    return "".join(f", {_BOUNDS[name]} {value:,}" for name, value in bounds(field).items())


def _show_default(default: Any) -> str:
    if default in (None, [], {}):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{', '.join(map(str, default)) if isinstance(default, list | dict) else default}`"
