"""A configuration without some of its entries, what is made from them, and what would be measured of nothing else.

A place is the keys that lead to a part of the configuration. What a study does without is called by them, joined by
points: `models.{name}`, `corpora.{name}`, or those of a task, a classifier, a source of vectors, parallel texts, a set
of sentences or questions, a list or a language; else by its section.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from herbarium.models.completion import expanded
from herbarium.models.genealogy import further
from herbarium.models.section import Model

CLASSIFIERS, _TEXTS, _LANGUAGES = "classifiers", "texts", "languages"
# Keys whose values are names of languages of the section that they are in.
_OF_LANGUAGES = ("language", "pivot")
# Keys, besides the sections of this name, whose values are names of entries of a section.
_REFERENCES = {
    **dict.fromkeys(("models", "model", "tokenizer", "comparisons", "from"), "models"),
    **dict.fromkeys(("vectors", "sources", "source"), "vectors"),
    **dict.fromkeys((_TEXTS, "corpora", "corpus"), "corpora"),
    "sentences": "sentence_sets",
    "tasks": "tasks",
}
# Sections with other names under these keys.
_OTHERS = ("models", "vectors", "corpora", "parallel")
# Keys of named entries, each of which a study can do without; as it can without any part of a list that has keys.
ENTRIES = (
    *(CLASSIFIERS, "tasks", "corpora", "parallel", "vectors", "sentence_sets", "questions", _LANGUAGES, "spaces"),
    *("sembias", "similarity", "analogies", "ratios"),
)
_EMPTIED = object()

Place = tuple[str, ...]


def key_of(place: Place) -> str:
    return ".".join(place)


def items(values: list, place: Place) -> Iterator[tuple[Any, Place]]:
    """The items of a list and their places: those with keys are counted, from 0; others are where the list is."""
    for number, item in enumerate(values):
        yield item, (*place, str(number)) if isinstance(item, dict) else place


def models_in(values: dict[str, Any]) -> dict[str, Model]:
    """The models of a configuration, without those whose faults are reported when all of it is read."""
    models = {}
    for name, entry in entries_of(values, "models").items():
        try:
            models[name] = Model.model_validate(entry)
        except ValidationError:
            continue
    try:
        return expanded(models)
    except ValueError:
        return {}


def _made_from(values: dict[str, Any], models: Mapping[str, Model]) -> dict[Place, set[Place]]:
    """What each model, corpus, source of vectors, and set of parallel texts is made from."""
    made = {}
    asked = {
        name: (section, "questions", name) for section in values for name in entries_of(values[section], "questions")
    }
    for name, model in models.items():
        recipe = model.derived.by if model.derived else None
        made["models", name] = {
            ("models", model.derived.base if model.derived else model.tokenizer if model.planted is not None else None),
            ("models", getattr(recipe, "to", None)),
            ("corpora", getattr(recipe, "corpus", None)),
            ("parallel", getattr(recipe, "parallel", None)),
            asked.get(getattr(recipe, "questions", None)),
        }
    for name, corpus in entries_of(values, "corpora").items():
        made["corpora", name] = {
            ("models", text_at(corpus, "planted")),
            ("corpora", text_at(corpus, "swapped", "from")),
        }
    for name, source in entries_of(values, "vectors").items():
        made["vectors", name] = {
            ("models", text_at(source, "model")),
            ("vectors", text_at(source, "debiased", "from")),
            ("corpora", text_at(source, "trained", "corpus")),
        }
    return made | {("parallel", name): set() for name in entries_of(values, "parallel")}


def with_what_is_made(values: dict[str, Any], models: Mapping[str, Model], gone: Collection[Place]) -> set[Place]:
    """Some places, and those of all that is made from what is there."""
    made_from, gone = _made_from(values, models), set(gone)
    while more := {place for place, parts in made_from.items() if parts & gone} - gone:
        gone |= more
    return gone


def text_at(value: Any, *place: str) -> Any:
    """What a configuration has at a place, if that can be a name; None if there is nothing."""
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def entries_of(values: Any, key: str) -> dict[str, Any]:
    section = values.get(key) if isinstance(values, dict) else None
    return (
        {name: entry for name, entry in section.items() if isinstance(entry, dict)} if isinstance(section, dict) else {}
    )


def without(values: dict[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """A configuration without some of its models or other entries, what is made from them, and what would be measured
    of nothing else.

    values: plain data, which is not changed. left_out: keys. A list that loses all its models takes its entry with it,
    such as a language or a set of stimuli, and an entry that loses all of these its section.
    """
    known = models_in(values)
    # of models, only those that can be read: faults of others are reported when the whole configuration is read
    places = {*_made_from(values, known), *(place for place in _places(values) if place[0] != "models")}
    missing = with_what_is_made(values, known, {place for place in places if key_of(place) in left_out})
    gone = {section: {place[1] for place in missing if place[0] == section and len(place) > 1} for section in _OTHERS}
    gone |= {"places": missing, "tasks": set(), "sentence_sets": set()}
    left = _models_left(values, gone["models"])
    for name in gone["models"] & known.keys():
        if (derived := known[name].derived) is not None:
            gone["models"] |= further(name, derived).keys()
        elif (member := known[name].member) is not None and member.family not in left:
            gone["models"].add(member.family)
    given = {key: entries for key, entries in values.items() if key in _OTHERS}
    given = {
        key: {name: entry for name, entry in entries.items() if name not in gone[key]} for key, entries in given.items()
    }
    others = _pruned({key: entry for key, entry in values.items() if key not in _OTHERS}, gone)
    gone["tasks"] = _tasks(values) - _tasks(others)
    gone["sentence_sets"] = entries_of(values, "sentence_sets").keys() - entries_of(others, "sentence_sets").keys()
    # what is left of a list has other numbers now
    gone["places"] = _entries(values) - _entries(others)
    return given | {"models": left} | _pruned(others, gone)


def _tasks(values: dict[str, Any]) -> set[str]:
    """The names of the tasks that other sections refer to."""
    return {name for section in values.values() for name in entries_of(section, "tasks")}


def _places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of everything in a configuration that has a key, or is counted."""
    if isinstance(value, dict):
        inner = [(item, (*place, str(key))) for key, item in value.items()]
    else:
        inner = [(item, at) for item, at in items(value, place) if at != place] if isinstance(value, list) else []
    for item, at in inner:
        yield at
        yield from _places(item, at)


def _entries(values: dict[str, Any]) -> set[Place]:
    """The places of all named entries."""
    return {place for place in _places(values) if len(place) > 1 and place[-2] in ENTRIES}


def _models_left(values: dict[str, Any], gone: Collection[str]) -> dict[str, Any]:
    """The entries of the models that are left, each with the checkpoints that are."""
    left = {}
    for name, entry in values["models"].items():
        if isinstance(entry, dict) and (checkpoints := entry.get("checkpoints")):
            entry = {**entry, "checkpoints": [one for one in checkpoints if f"{name}-{one}" not in gone]}
            if not entry["checkpoints"]:
                continue
        if name not in gone:
            left[name] = entry
    return left


def _pruned(study: dict[str, Any], gone: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """The sections of a study without what refers to what is gone."""
    return _with_emptied(study, {key: _left_of(value, (key,), gone) for key, value in study.items()})


def _with_emptied(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """A section without its emptied entries; its own emptied lists stay, as empty ones."""
    return {
        key: [] if value is _EMPTIED else value
        for key, value in after.items()
        if value is not _EMPTIED or isinstance(before[key], list)
    }


def _left_of(value: Any, place: Place, gone: Mapping[str, Collection[Any]]) -> Any:
    """What is left of a value of the configuration; _EMPTIED if that says nothing any more."""
    key = place[-1]
    if place in gone["places"]:
        return _EMPTIED
    if isinstance(value, dict) and place[-1] in ENTRIES:
        return (
            _with_emptied(value, {name: _left_of(entry, (*place, name), gone) for name, entry in value.items()})
            or _EMPTIED
        )
    if isinstance(value, dict):
        after = {inner: _left_of(inner_value, (*place, inner), gone) for inner, inner_value in value.items()}
        lost = [inner for inner, inner_value in after.items() if inner_value is _EMPTIED]
        is_needed = any(isinstance(value[inner], str) or inner == _TEXTS for inner in lost)
        left = {inner: inner_value for inner, inner_value in after.items() if inner_value is not _EMPTIED}
        measures = any(key == CLASSIFIERS or _measures(inner_value, inner) for inner, inner_value in left.items())
        return _EMPTIED if lost and (is_needed or not measures) else _with_emptied(value, after)
    if isinstance(value, list) and value:
        left = [item for item in (_left_of(item, at, gone) for item, at in items(value, place)) if item is not _EMPTIED]
        is_pair = key == "comparisons" and isinstance(value[0], str)
        return left if len(left) == len(value) or (left and not is_pair) else _EMPTIED
    if not isinstance(value, str):
        return value
    is_gone = key in _REFERENCES and value in gone[_REFERENCES[key]]
    # predictions decided again, of a classifier of the same task
    is_of_gone = key == "from" and (*place[:-3], CLASSIFIERS, value) in gone["places"]
    is_in_gone = key in _OF_LANGUAGES and (*place[:-3], _LANGUAGES, value) in gone["places"]
    return _EMPTIED if is_gone or is_of_gone or is_in_gone else value


def _measures(value: Any, key: str) -> bool:
    """Whether part of a section says what is measured."""
    if isinstance(value, dict):
        return key == CLASSIFIERS or any(_measures(inner_value, inner) for inner, inner_value in value.items())
    return _REFERENCES.get(key) in ("models", "vectors", "tasks") and bool(value)
