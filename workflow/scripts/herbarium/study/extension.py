"""A configuration on top of another one, which its key `extends` names, and of the cards of the sets that it names."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.core.resources import read_text, read_yaml
from herbarium.study import catalogue
from herbarium.study.faults import require_file

KEY = "extends"


def extend(values: dict[str, Any], files: Iterable[str | Path]) -> list[Path]:
    """Put a configuration on top of the ones that it extends, and its sets of sentences on their cards
    (`catalogue.complete`), in place. Returns the files that all of it came from.

    Sections are merged key by key; a list, or any other value, takes the place of the one below it. values: plain data.
    files: where they came from. Raises HerbariumError if a file that is named is not one, or extends itself; or if the
    catalogue has no such set.
    """
    bases = list(_bases(values.pop(KEY, None), ()))
    whole = values
    for _, base in bases:
        whole = merged(base, whole)
    values |= whole
    catalogue.complete(values)
    return [*(path for path, _ in reversed(bases)), *map(Path, files)]


def _bases(name: object, seen: tuple[Path, ...]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """What is extended, the nearest first."""
    if name is None:
        return
    if not isinstance(name, str):
        raise HerbariumError(f"{KEY}: this should be the path of a configuration, not {name!r}.")
    path = located(Path(name))
    if path in seen:
        raise HerbariumError(f"{KEY}: {' extends '.join(map(str, [*seen, path]))}; one of them must extend nothing.")
    try:
        require_file(path)
    except HerbariumError as error:
        raise HerbariumError(f"{KEY}: {error}") from None
    values = yaml.safe_load(read_text(path))
    below = values.pop(KEY, None)
    yield path, values
    yield from _bases(below, (*seen, path))


def naming(key: str, files: Iterable[Path]) -> Path | None:
    """The configuration that decides a key: the last of those that have it; None if none has. files: as from
    `extend`."""
    nodes = [(file, read_yaml(file)) for file in files]
    having = [file for file, node in nodes if node is not None and any(name.value == key for name, _ in node.value)]
    return having[-1] if having else None


def merged(base: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Two configurations as one. Neither is changed: an alias of YAML is the same object in several places."""
    sections = {
        key: merged(base[key], value)
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return base | above | sections
