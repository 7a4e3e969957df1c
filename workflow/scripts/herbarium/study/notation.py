"""How config/README.md writes the type and the default of a key; the page explains this notation."""

import re
import types
import typing
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic.fields import FieldInfo

from herbarium.core.section import Name, Part, Section, Value

REQUIRED = "required"
_NAMED = {Name: "name", Part: "name", Value: "value"}
_PLAIN = {str: "text", int: "integer", float: "number", bool: "boolean", Path: "path"}
_BOUNDS = ("ge", "gt", "le", "lt")


def type_of(field: FieldInfo) -> str:
    """Its values: `integer 1–8`, `number (0, 1]`, `list of names`; a choice is not spelled out if the description names
    all of its values."""
    written, values = _written(field.annotation), [f"`{value}`" for value in _choice(field.annotation)]
    if len(values) > 1 and all(value in (field.description or "") for value in values):
        return "choice" if written.startswith("`") else "list of choices"
    return f"{written}{_range(field)}"


def default_of(field: FieldInfo) -> str:
    """Its default, `REQUIRED`, or nothing if it is empty or takes more than a line."""
    value = field.default
    if field.is_required():
        return REQUIRED
    if value in (None, [], {}) or "\n" in str(value):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{', '.join(map(str, value)) if isinstance(value, list | dict) else value}`"


def bounds(field: FieldInfo) -> dict[str, float]:
    """The bounds of a number, or of the numbers in a list: "ge" or "gt", and "le" or "lt"."""
    metadata = [*field.metadata, *_inner_metadata(field.annotation)]
    return {name: getattr(limit, name) for limit in metadata for name in _BOUNDS if hasattr(limit, name)}


def _inner_metadata(annotation: Any) -> list[object]:
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is Annotated:
        return [argument for told in arguments[1:] if isinstance(told, FieldInfo) for argument in told.metadata]
    return [argument for inner in arguments for argument in _inner_metadata(inner)]


def _choice(annotation: Any) -> tuple[Any, ...]:
    """The values of a choice, or of a list of choices."""
    if typing.get_origin(annotation) is Literal:
        return typing.get_args(annotation)
    inner = [argument for argument in typing.get_args(annotation) if argument is not type(None)]
    return _choice(inner[0]) if len(inner) == 1 else ()


def _written(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _NAMED.get(annotation) or _written(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{str(value).lower() if value is True else value}`" for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_written(part) for part in arguments if part is not type(None))
    if origin is list:
        return f"list of {_plural(_written(arguments[0]))}"
    if origin is dict:
        return f"{_written(arguments[0])}: {_written(arguments[1])}"
    if issubclass(annotation, Section):
        return "section"
    if issubclass(annotation, StrEnum):
        return ", ".join(f"`{value}`" for value in annotation)
    return _PLAIN[annotation]


def _plural(written: str) -> str:
    return re.sub(r"^(list|name|text|value|path|integer|number)\b", r"\g<0>s", written)


def _range(field: FieldInfo) -> str:
    limits = bounds(field)
    if not limits:
        return ""
    (lower, low), (upper, high) = sorted(limits.items())
    low, high = (f"{limit:,.10g}" for limit in (low, high))
    if "integer" in _written(field.annotation):
        return f" {low}–{high}" if low[0] != "-" else f" {low} to {high}"
    return f" {'[' if lower == 'ge' else '('}{low}, {high}{']' if upper == 'le' else ')'}"
