"""Faults in the configuration, each with its file, line and key, and the nearest valid name."""

import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from herbarium.core.errors import HerbariumError, did_you_mean, nearest
from herbarium.core.resources import CONTROL, read_yaml, unseen
from herbarium.core.section import COMMIT, HUB, Section
from herbarium.models import hub
from herbarium.models.section import HUB_OF_MODELS
from herbarium.study.keys import BRANCH, branch, keys, sections_of

# The file and line of each key that was read.
Lines = dict[tuple[str, ...], str]
# What a pattern requires, in words.
_IS_HUB = "a model or data set on the hub is `organisation/name`; for a folder or file, use `path:`"
PATTERNS = {
    HUB: _IS_HUB,
    HUB_OF_MODELS: _IS_HUB,
    COMMIT: "this should be a commit, 40 hex digits, not the name of a branch",
}


def require_file(file: Path) -> None:
    """Raise HerbariumError if a configuration file is missing, or cannot be read."""
    if not file.exists():
        raise HerbariumError(f"{file}: no such configuration file; give another with `--configfile FILE`.")
    if not isinstance(read_yaml(file), yaml.MappingNode):
        raise HerbariumError(
            f"{file}: it is empty, or not a mapping; it should have lines `key: value` (config/README.md)."
        )


def require_files(files: Iterable[Path]) -> None:
    """End the process with a message if a configuration file is missing, or cannot be read."""
    try:
        for file in files:
            require_file(file)
    except HerbariumError as error:
        sys.exit(f"Error: {error}")


def validated(
    values: dict[str, Any], files: Iterable[str | Path], whole: type[Section]
) -> tuple[Section | None, list[str]]:
    """What `values` configure, None if they are not valid; and every fault, as a sentence with its place.

    values: the merged configuration. files: the YAML files it came from. whole: the class of the whole configuration.
    """
    lines, faults = _index_keys(map(Path, files))
    faults += _control_characters(values, lines)
    try:
        return whole.model_validate(values), faults
    except ValidationError as error:
        told = (_explain(fault, whole, lines) for fault in _of_the_nearest_branch(error.errors()))
        return None, faults + list(dict.fromkeys(told))


def _index_keys(files: Iterable[Path]) -> tuple[Lines, list[str]]:
    """The line of each key in YAML files, and the faults of keys that are given twice."""
    lines: Lines = {}
    faults = []
    walked = set()  # aliases may repeat the same lines any number of times, even inside themselves

    def walk(file: Path, node: yaml.Node, place: tuple[str, ...]) -> None:
        if isinstance(node, yaml.MappingNode) and id(node) not in walked:
            walked.add(id(node))
            seen = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue  # a list, for example, is not a key of ours: the types reject it
                inner, line = (*place, key.value), key.start_mark.line + 1
                lines[inner] = f"{file}, line {line}"
                if key.value in seen:
                    faults.append(f"{lines[inner]}: '{'.'.join(inner)}' is already given in line {seen[key.value]}")
                seen[key.value] = line
                walk(file, value, inner)

    nodes = [(file, read_yaml(file)) for file in files]  # all are kept: the walk tells nodes apart by identity
    for file, node in nodes:
        walk(file, node, ())
    return lines, faults


def _control_characters(value: Any, lines: Lines, place: tuple[str, ...] = ()) -> Iterator[str]:
    """Texts of the configuration with invisible characters, for which YAML has escapes."""
    if isinstance(value, str) and (match := CONTROL.search(value)):
        yield f"{_line(place, lines)}: {'.'.join(place)}: it has the control character {unseen(match[0])}; remove it"
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _control_characters(inner, lines, (*place, str(key)))


def _of_the_nearest_branch(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The faults, without those in branches of a union that got less far than another: pydantic reports every
    branch."""

    def place(fault: dict[str, Any]) -> tuple[str | int, ...]:
        return tuple(itertools.takewhile(lambda part: not _is_branch(part), fault["loc"]))

    def reached(fault: dict[str, Any]) -> tuple[bool, int]:
        return fault["type"] == "value_error", len(fault["loc"])

    of_unions = [fault for fault in faults if any(map(_is_branch, fault["loc"]))]
    furthest = {at: max(map(reached, group)) for at, group in itertools.groupby(of_unions, place)}
    return [fault for fault in faults if fault not in of_unions or reached(fault) == furthest[place(fault)]]


def _is_branch(part: str | int) -> bool:
    """Whether a part of a place is the branch of a union ("list[str]", "literal['all']"), not a key or number."""
    return re.search(r"\w\[", str(part)) is not None


def _explain(fault: dict[str, Any], whole: type[Section], lines: Lines) -> str:
    """A fault that pydantic reports, as a sentence with its place and, for an unknown key, the nearest valid one."""
    place, section = _keys_at(tuple(map(str, fault["loc"])), whole)
    if fault["type"] != "extra_forbidden" and place[-1:] == ("[key]",):  # how pydantic marks a faulty name
        place = place[:-1]
    where = _line(place, lines)
    # pydantic names the branch of a union that it tried ("list[str]", "literal['all']"); people know only keys
    shown = ".".join(part for part in place if not _is_branch(part)) or "the study"
    if fault["type"] == "extra_forbidden":
        if (now := section.renamed.get(place[-1])) is not None:
            return f"{where}: '{shown}' is now called '{now}'"
        return f"{where}: unknown key '{shown}'{did_you_mean(place[-1], keys(section))}"
    message = fault["msg"].removeprefix("Value error, ")
    given = fault.get("input")
    if fault["type"] == "union_tag_invalid":
        shown, given, message = f"{shown}.{BRANCH}", None, f"Input should be one of {fault['ctx']['expected_tags']}"
    if fault["type"] == "value_error":
        # it may name the faulty key when pydantic knows only the section
        key = tuple(message.partition(": ")[0].split("."))
        if key[0] in whole.model_fields and key[: len(place)] == place:
            return f"{_line(key, lines)}: {message}"
        return f"{where}: {shown}: {message}"
    if fault["type"] == "string_type" and isinstance(given, bool):
        words = "NO, no and off" if given is False else "YES, yes and on"
        return f"{where}: {shown}: YAML reads {words} as {str(given).lower()}; put the word in quotes"
    if fault["type"] == "string_pattern_mismatch":
        message = PATTERNS.get(fault["ctx"]["pattern"], message)
    likely = _meant(fault) if isinstance(given, str) else None
    hint = f"; did you mean '{likely}'?" if likely else ""
    shows_input = isinstance(given, str | int | float | bool)
    return f"{where}: {shown}: {message}{f' (it is {given!r}{hint})' if shows_input else ''}"


def _meant(fault: dict[str, Any]) -> str | None:
    """The valid text that an invalid one is likely to stand for, if one is known."""
    if fault["type"] in ("enum", "literal_error"):
        return nearest(fault["input"], re.findall("'([^']*)'", fault["ctx"]["expected"]))
    if fault["type"] == "string_pattern_mismatch" and fault["ctx"]["pattern"] == HUB_OF_MODELS:
        return hub.meant(fault["input"])
    return None


def _line(place: tuple[str, ...], lines: Lines) -> str:
    """The place of a key, or else that of the nearest one above it."""
    above = (lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines)
    return next(above, "command line or default")


def _keys_at(place: tuple[str, ...], whole: type[Section]) -> tuple[tuple[str, ...], type[Section]]:
    """A place from pydantic as keys, and the section class that they lead to.

    For a section that is one of several, pydantic names the one that it chose, which is not a key.
    """
    section, named, branches = whole, [], {}
    for part in place:
        if part in branches:
            section, branches = branches[part], {}
            continue
        named.append(part)
        if part in keys(section) and (inner := sections_of(keys(section)[part].annotation)):
            section = inner[0]
            branches = {branch(one): one for one in inner if len(inner) > 1}
    return tuple(named), section
