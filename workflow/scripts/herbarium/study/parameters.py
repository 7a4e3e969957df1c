"""The tables of config/README.md, with every key of the configuration, read from the types of its sections.

A key that recurs with one meaning is described once, and the tables of the sections that have it link there.
"""

import re
import typing
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pydantic.fields import FieldInfo

from herbarium.core.section import Section
from herbarium.study.config import Study, by_kind
from herbarium.study.keys import BRANCH, branch, keys, sections_of
from herbarium.study.notation import REQUIRED, default_of, type_of

STUDY = "The study"
# Above recurring keys whose sections have nothing else in common.
OTHERS = "Recurring keys"


class Place(NamedTuple):
    """A section: where it is in its top-level section, its keys and, if it is a recipe, which one."""

    path: str
    fields: Mapping[str, FieldInfo]
    recipe: str = ""


class Meaning(NamedTuple):
    """What a key means, wherever it is."""

    key: str
    type: str
    description: str | None


class Row(NamedTuple):
    """The cells of a row, in Markdown."""

    key: str
    meaning: str


def index() -> str:
    """The headings of the tables, as links."""
    lines = {
        "Set-up": [name for name in _names() if name not in by_kind()],
        "Metrics": [name for name in _names() if name in by_kind()],
        "Several sections": list(_recurring()),
    }
    return "\n".join(f"- **{title}**: {', '.join(map(_link, names))}" for title, names in lines.items())


def tables(page: str) -> str:
    """The tables under their headings, each with the notes that the page has below it, which are written by hand.

    Raises ValueError for notes on what has no table.
    """
    sections = {
        name if name == STUDY else f"`{name}`": [_about(name), _table(_rows(_places(name)))] for name in _names()
    }
    parts = sections | {title: [_table(_once(title))] for title in _recurring()}
    notes = {heading: note.strip() for heading, note in _NOTES.findall(page) if note.strip()}
    if lost := sorted(notes.keys() - parts.keys()):
        raise ValueError(f"there are notes on {', '.join(lost)}, of which there is no table")
    return "\n\n".join(
        "\n\n".join(filter(None, [f"### {heading}", *some, notes.get(heading)])) for heading, some in parts.items()
    )


# Of each heading, what stands between its table and the next heading, or the end of the tables.
_NOTES = re.compile(r"^### (.+)\n(?:(?!###|\|).*\n)*(?:\|.*\n)+((?:(?!###|<!--).*\n)*)", re.MULTILINE)


def _names() -> list[str]:
    """The sections in the order of the page, metrics last."""
    sections = [name for name, field in keys(Study).items() if sections_of(field.annotation)]
    return [STUDY, *sorted(sections, key=by_kind().__contains__)]


def _link(title: str) -> str:
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _about(name: str) -> str:
    """What a section is for."""
    if name == STUDY:
        return ""
    field = keys(Study)[name]
    page = f" [{name}.md](../docs/metrics/{name}.md)." if name in by_kind() else ""
    named = f" Keys of `{name}.{{name}}`:" if _is_named(field) else ""
    return f"{_linked(field.description)}{page}{named}"


def _linked(description: str | None) -> str:
    """A description with links to the pages that it names."""
    return re.sub(r"docs/(?:\w+/)*(\w+)\.md", r"[\1.md](../\g<0>)", description or "")


def _is_named(field: FieldInfo) -> bool:
    """Whether it holds sections by their names."""
    return typing.get_origin(field.annotation) is dict and bool(sections_of(field.annotation))


def _table(rows: Iterable[Row]) -> str:
    return "\n".join(["| key | meaning |", "|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def _places(name: str) -> Iterator[Place]:
    """A top-level section, and the sections in it."""
    if name == STUDY:
        yield Place("", {key: field for key, field in keys(Study).items() if not sections_of(field.annotation)})
    else:
        (section,) = sections_of(keys(Study)[name].annotation)
        yield from _inside(Place("", keys(section)))


def _inside(place: Place) -> Iterator[Place]:
    yield place
    for key, field in place.fields.items():
        sections = sections_of(field.annotation)
        for section in sections:
            recipe = branch(section) if len(sections) > 1 else place.recipe
            yield from _inside(Place(f"{_path(place, key)}.", keys(section), recipe))


def _path(place: Place, key: str) -> str:
    return f"{place.path}{key}{'.{name}' if _is_named(place.fields[key]) else ''}"


def _rows(places: Iterable[Place]) -> list[Row]:
    """The keys that are described here, then those that are described elsewhere."""
    recipes: dict[Row, list[str]] = defaultdict(list)
    elsewhere: dict[str, list[str]] = defaultdict(list)
    for place in places:
        for row in _here(place):
            recipes[row].append(place.recipe)
        for title, key in _elsewhere(place):
            elsewhere[title].append(f"{key}{_which([place.recipe])}")
    return [
        *(Row(f"{row.key}{_which(some)}", row.meaning) for row, some in recipes.items()),
        *(Row(_link(title), ", ".join(some)) for title, some in elsewhere.items()),
    ]


def _which(recipes: Iterable[str]) -> str:
    names = ", ".join(f"`{recipe}`" for recipe in recipes if recipe)
    return f" ({names})" if names else ""


def _here(place: Place) -> Iterator[Row]:
    """The keys that are described here; a section is one if there is more to say than its own keys do."""
    for key, field in place.fields.items():
        sections, path = sections_of(field.annotation), _path(place, key)
        if len(sections) > 1:
            values = ", ".join(f"`{branch(section)}`" for section in sections)
            yield _row(f"{path}.{BRANCH}", f"*{values}*, required.", _linked(field.description))
        elif sections and (field.description or field.is_required()):
            yield _section_row(path, field, sections[0])
        elif not sections and not _is_silent(field) and _meaning(key, field) not in _titles():
            yield _row(path, _kind(field), _linked(field.description))


def _section_row(path: str, field: FieldInfo, section: type[Section]) -> Row:
    """Of a section, and of its keys without a description, which are alike: it ends with their names."""
    about = _linked(field.description)
    silent = {key: inner for key, inner in keys(section).items() if _is_silent(inner)}
    if not silent:
        return _row(path, "Required." if field.is_required() else "", about)
    (kind,) = set(map(_kind, silent.values()))
    return _row(path, kind, f"{about.removesuffix('.')}: {', '.join(f'`{key}`' for key in silent)}.")


def _row(path: str, kind: str, about: str) -> Row:
    return Row(f"`{path}`", f"{kind} {about}".strip())


def _is_silent(field: FieldInfo) -> bool:
    """Whether it has no description of its own."""
    return not field.description and not sections_of(field.annotation)


def _kind(field: FieldInfo) -> str:
    return _with_default(type_of(field), default_of(field))


def _with_default(kind: str, default: str) -> str:
    if default == REQUIRED:
        return f"*{kind}*, required."
    return f"*{kind}* ({default})." if default else f"*{kind}*."


def _elsewhere(place: Place) -> Iterator[tuple[str, str]]:
    """The keys that are described elsewhere, each with the title there; their section stands for all of a title."""
    by_title: dict[str, dict[Meaning, str]] = defaultdict(dict)
    for key, field in place.fields.items():
        meaning = _meaning(key, field)
        if meaning in _titles():
            by_title[_titles()[meaning]][meaning] = default_of(field)
    for title, defaults in by_title.items():
        usual = _recurring()[title]
        if place.path and title != OTHERS and defaults == usual:
            yield title, f"`{place.path[:-1]}`"
        else:
            for meaning, default in defaults.items():
                unusual = "" if default == usual[meaning] else f" ({default or 'optional'})"
                yield title, f"`{place.path}{meaning.key}`{unusual}"


def _once(title: str) -> Iterator[Row]:
    for meaning, default in _recurring()[title].items():
        yield Row(f"`{meaning.key}`", f"{_with_default(meaning.type, default)} {_linked(meaning.description)}")


def _meaning(key: str, field: FieldInfo) -> Meaning:
    return Meaning(key, type_of(field), field.description)


@cache
def _recurring() -> dict[str, dict[Meaning, str]]:
    """By their title, the keys that several places have with one meaning, and their most frequent default."""
    paths, defaults = defaultdict(set), defaultdict(list)
    everywhere = [(name, place) for name in _names() for place in _places(name)]
    for top, place in everywhere:
        for key, field in place.fields.items():
            if not _is_silent(field) and not sections_of(field.annotation):
                paths[_meaning(key, field)].add((top, place.path))
                defaults[_meaning(key, field)].append(default_of(field))
    titles: dict[Meaning, str] = {}
    for section in sorted(_bases(Study), key=lambda section: (len(section.mro()), section.__name__)):
        for key, field in keys(section).items() if "called" in vars(section) else ():
            titles.setdefault(_meaning(key, field), section.called)
    recurring: dict[str, dict[Meaning, str]] = defaultdict(dict)
    for meaning in (meaning for meaning, some in paths.items() if len(some) > 1):
        recurring[titles.get(meaning, OTHERS)][meaning] = Counter(defaults[meaning]).most_common(1)[0][0]
    return dict(sorted(recurring.items(), key=lambda item: item[0] == OTHERS))


@cache
def _titles() -> dict[Meaning, str]:
    return {meaning: title for title, meanings in _recurring().items() for meaning in meanings}


def _bases(section: type[Section]) -> set[type[Section]]:
    """What a section and all sections in it come from, and themselves."""
    inside = {one for field in keys(section).values() for one in sections_of(field.annotation)}
    return {base for base in section.mro() if issubclass(base, Section)}.union(*map(_bases, inside))
