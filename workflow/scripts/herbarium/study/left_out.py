"""What a study does without, as the hub does not give it: models, classifiers and data that are gated, or gone.

A run asks the hub before it plans anything, pins what has no commit, and leaves out what it is refused, with what is
made from it. Repositories of Git, and files that are named by their address, are asked for as well. Its jobs, dry runs,
and runs without a network go by what the last such answer was.

What is left out has its key in the configuration for a name: `models.{name}`, `corpora.{name}`, or that of a task, a
classifier, a source of vectors, parallel texts or a set of sentences; else that of its section.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from herbarium.core import downloads, store
from herbarium.core.errors import HerbariumError, RefusedError
from herbarium.core.files import WORK
from herbarium.core.section import COMMIT, HUB
from herbarium.models import hub, loading, sources
from herbarium.models.completion import expanded
from herbarium.models.genealogy import further
from herbarium.models.section import Model
from herbarium.study import config
from herbarium.study.config import Beginning, Study

_FILE = Path(".snakemake/left_out.json")  # in the results, with which it travels
_GIT, _FILE_AT, _CLASSIFIERS, _TEXTS, _LANGUAGES = "git", "address", "classifiers", "texts", "languages"
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
_ENTRIES = (
    *(_CLASSIFIERS, "tasks", "corpora", "parallel", "vectors", "sentence_sets", "questions", _LANGUAGES, "spaces"),
    *("sembias", "similarity", "analogies", "ratios"),
)
_EMPTIED = object()
_MADE_FROM_IT = "made from what is left out"
# Repositories of Git whose texts jobs read: under these sections, and under this key of tasks.
_READ_BY_JOBS, _DATA = ("corpora", "parallel"), "data"
# Sections whose addresses are published with the results, not read.
_PUBLISHED = ("exchange",)

Place = tuple[str, ...]


class Answers(NamedTuple):
    """What the hub and other servers said: commits and digests of what had none, by the names in the lock file; and why
    something is left out, by its key in the study."""

    pins: dict[str, str]
    left_out: dict[str, str]


class Wanted(NamedTuple):
    """Something that a study takes from the hub, from a repository of Git, or from an address.

    entry: the place of what goes without it. place: of `data`, its part of the configuration as plain data; of a file,
    {"address"}. kind: `hub.MODEL`, `hub.DATASET`, "git" or "address".
    """

    entry: Place
    place: Place
    data: dict[str, Any]
    kind: str

    @property
    def pin(self) -> str:
        """Its name in the lock file, and what it is called."""
        if self.kind == _FILE_AT:
            return self.address.url
        return self.data[_GIT] if self.kind == _GIT else _pin(self.data, self.kind)

    @property
    def address(self) -> downloads.Address:
        return downloads.parsed(self.data[_FILE_AT])

    @property
    def server(self) -> str:
        """What answers for it."""
        if self.kind == _FILE_AT:
            return urlsplit(self.address.url).netloc
        return self.pin if self.kind == _GIT else "the hub"

    def pinned(self, locked: Mapping[str, str]) -> str | None:
        """Its commit, or the digest of a file; None if it has none. locked: the lock file."""
        given = self.address.sha256 if self.kind == _FILE_AT else self.data["revision"]
        return given or locked.get(self.pin)

    def latest(self) -> str:
        """Its commit or digest now. Raises HerbariumError; `RefusedError` if it is not given."""
        if self.kind == _FILE_AT:
            return downloads.pin(self.address)
        return hub.latest(self.data["hub"], loading.branch(self.data), self.kind)

    def is_cached(self, commit: str) -> bool:
        if self.kind == _FILE_AT:
            return downloads.is_cached(self.address._replace(sha256=commit))
        if self.kind == _GIT:
            return sources.is_cached(self.data)
        return hub.is_cached(self.data["hub"], commit, self.kind, self.files)

    def require(self, commit: str) -> None:
        """Raise HerbariumError unless it can be had now; `RefusedError` if it is not given. A file is fetched."""
        if self.kind == _FILE_AT:
            downloads.fetch(self.address._replace(sha256=commit))
        elif self.kind == _GIT:
            sources.require_repository(self.data)
        else:
            hub.require(self.data["hub"], commit, self.kind, self.files)

    @property
    def is_planned_with(self) -> bool:
        """Whether a run can be planned only with it, or its commit or digest, at hand."""
        if self.kind == _GIT:
            return not (self.place[0] in _READ_BY_JOBS or self.place[-1] == _DATA)
        return self.kind == _FILE_AT or (self.kind == hub.DATASET and self.data["revision"] is None)

    @property
    def files(self) -> list[str]:
        return sources.FILES if self.kind == hub.DATASET else loading.wanted_files(self.data)


def begin(values: dict[str, Any], asks: bool, is_job: bool) -> Answers:
    """What a study is planned without, after new pins were written to the lock file.

    values: the configuration. asks: whether the hub may be asked. is_job: whether a run has decided, of which this
    process is a job. Raises HerbariumError for a strict study that would lack something, or any that would
    lack all models.
    """
    try:
        beginning = _beginning(values)
    except ValidationError:  # reported when the whole configuration is read
        return Answers({}, {})
    results = Path(beginning.results)
    before = read(results)
    if is_job:
        return Answers({}, before)
    models = _models(values)
    wanted = [*of_models(models), *elsewhere(values)]
    pins, refused = ask(wanted, beginning.lock, results, before, asks)
    if pins:
        loading.write_lock(beginning.lock, pins)
    gone = _with_what_is_made(values, models, {entry for entry, *_ in wanted if _key(entry) in refused})
    made = sorted({_key(place) for place in gone} - refused.keys())
    if refused and (beginning.strict or {("models", name) for name in models} <= gone):
        raise HerbariumError("\n".join(f"{key}: {why}." for key, why in refused.items()))
    return Answers(pins, refused | dict.fromkeys(made, _MADE_FROM_IT))


def _beginning(values: dict[str, Any]) -> Beginning:
    return Beginning.model_validate({key: values[key] for key in Beginning.model_fields if key in values})


def ask(wanted: Iterable[Wanted], lock: Path, results: Path, before: Mapping[str, str], asks: bool) -> Answers:
    """Ask for the commit or digest of everything without one, and for everything that is neither in the local cache nor
    recorded in the results. before: what was left out by the last answer, which holds if there is none now."""
    pins, left_out, silent, locked = {}, {}, set(), loading.read_lock(lock)
    for one in wanted:
        key, pin, commit = _key(one.entry), one.pin, one.pinned(locked)
        # whoever asks for a plan only, is given one with what has a pin
        obstacle = _obstacle(asks or (one.is_planned_with and commit is not None), one.server in silent)
        try:
            if commit is None and pin not in pins:
                _require_no(obstacle)
                pins[pin] = one.latest()
            commit = commit or pins[pin]
            if not (_is_recorded(results, one, commit) or one.is_cached(commit)):
                _require_no(obstacle)
                one.require(commit)
        except RefusedError as refusal:
            left_out.setdefault(key, f"{_called(pin, commit)} {str(refusal).removesuffix('.')}")
        except HerbariumError as silence:
            if obstacle is None:  # nobody waits for more than one answer that does not come
                silent.add(one.server)
            if before.get(key, "").startswith(_called(pin, commit)):
                left_out[key] = before[key]
            elif one.is_planned_with or (asks and one.kind != hub.MODEL and not hub.is_offline()):
                why = str(silence).removesuffix(".")
                left_out.setdefault(key, f"{_called(pin, commit)} {why}; the next run asks again")
    return Answers(pins, left_out)


def pinned(value: Any, locked: Mapping[str, str], place: Place = ()) -> Any:
    """A configuration in which everything but models has its commit or digest, as far as the lock file has one.

    value: plain data, which is not changed. Models are read with the lock file at hand (`loading.pinned`).
    """
    if place[:1] == ("models",):
        return value
    if isinstance(value, list):
        return [pinned(item, locked, place) for item in value]
    if isinstance(value, str) and (address := _address(value, place)) and not address.sha256:
        return str(address._replace(sha256=locked.get(address.url, "")))
    if not isinstance(value, dict):
        return value
    commit = locked.get(_pin(value, _kind(place))) if _is_of_hub(value) and not value.get("revision") else None
    given = {key: pinned(inner, locked, (*place, str(key))) for key, inner in value.items()}
    return given | {"revision": commit} if commit else given


def of_models(models: Mapping[str, Model]) -> Iterator[Wanted]:
    for name, model in models.items():
        for part in (model, model.adapter):
            if part and part.hub:
                yield Wanted(("models", name), ("models", name), part.model_dump(mode="json"), hub.MODEL)


def elsewhere(value: Any, place: Place = (), entry: Place = ()) -> Iterator[Wanted]:
    """What is wanted besides models, and belongs to a named entry, or a section, that a study can do without."""
    if place[:1] == ("models",):
        return
    if isinstance(value, list):
        for item, at in _items(value, place):
            yield from elsewhere(item, at, entry if at == place else at)
    if _address(value, place):
        yield Wanted(entry or place[:1], place, {_FILE_AT: value}, _FILE_AT)
    if not isinstance(value, dict):
        return
    revision = value.get("revision")
    if isinstance(value.get(_GIT), str) and re.fullmatch(COMMIT, str(revision)):
        yield Wanted(entry or place[:1], place, value, _GIT)
    elif _is_of_hub(value) and (revision is None or re.fullmatch(COMMIT, str(revision))):
        files = {"files": [str(value.get("path"))]} if place[0] == "vectors" else {}
        yield Wanted(entry or place[:1], place, {"revision": None} | value | files, _kind(place))
    for key, inner in value.items():
        if key in _ENTRIES and isinstance(inner, dict):
            for name, named in inner.items():
                yield from elsewhere(named, (*place, key, str(name)), (*place, key, str(name)))
        else:
            yield from elsewhere(inner, (*place, str(key)), entry)


def _items(values: list, place: Place) -> Iterator[tuple[Any, Place]]:
    """The items of a list and their places: those with keys are counted, from 0; others are where the list is."""
    for number, item in enumerate(values):
        yield item, (*place, str(number)) if isinstance(item, dict) else place


def _is_recorded(results: Path, wanted: Wanted, commit: str) -> bool:
    """Whether it was found earlier at this commit, so that nothing may be left to ask of it: in the record of a model,
    or of the last study."""
    is_model = wanted.entry[0] == "models"
    record = results / (f"{WORK}/models/{wanted.entry[1]}.json" if is_model else "run.json")
    if not record.is_file():
        return False
    if is_model:
        return commit in record.read_text(encoding="utf-8", errors="replace")
    try:
        return _at(store.read_record(record), "study", *wanted.place, "revision") == commit
    except HerbariumError:  # it will be made again
        return False


def _is_of_hub(value: dict) -> bool:
    return isinstance(name := value.get("hub"), str) and bool(re.fullmatch(HUB, name))


def _kind(place: Place) -> str:
    """What a part of the configuration that names a repository of the hub takes from it."""
    return hub.MODEL if place[0] == "vectors" or place[-2:-1] == (_CLASSIFIERS,) else hub.DATASET


def _pin(data: dict, kind: str) -> str:
    """The name of a repository of the hub in the lock file."""
    return f"datasets/{data['hub']}" if kind == hub.DATASET else loading.pin(data)


def _address(value: Any, place: Place) -> downloads.Address | None:
    """The address of a file at a place of the configuration; None for anything else, and for an address that will not
    do, which is reported when it is read."""
    if not isinstance(value, str) or not downloads.is_address(value):
        return None
    if place[0] in _PUBLISHED or place[-1] == _GIT:
        return None
    with suppress(HerbariumError):
        return downloads.parsed(value)
    return None


def _obstacle(asks: bool, is_silent: bool) -> str | None:
    """Why a server is not asked; None if it is."""
    if hub.is_offline():
        return hub.OFFLINE
    if is_silent:
        return "there was no answer"
    return None if asks else "a dry run does not ask"


def _require_no(obstacle: str | None) -> None:
    if obstacle:
        raise HerbariumError(obstacle)


def _called(pin: str, commit: str | None) -> str:
    name = pin.removeprefix("datasets/")
    return f"'{name}' at {commit[:12]}:" if commit else f"'{name}':"


def _key(place: Place) -> str:
    return ".".join(place)


def told(values: dict[str, Any], left_out: Mapping[str, str]) -> dict[str, str]:
    """`left_out`, with what takes the place of a model as the first of a list, which says which is a language's own.

    values: the configuration that it is left out of."""
    gone = {key.removeprefix("models.") for key in left_out if key.startswith("models.")}
    reasons = {key: [why] for key, why in left_out.items()}
    for section in values:
        for language, entry in _named(values[section], "languages").items():
            models = entry.get("models")
            models = models if isinstance(models, list) and all(isinstance(name, str) for name in models) else []
            left = [name for name in models if name not in gone]
            if models[:1] != left[:1] and left:
                key = f"{section}.languages.{language}"
                reasons[f"models.{models[0]}"].append(f"'{left[0]}' takes its place as the model of {key}")
    return {key: "; ".join(whys) for key, whys in reasons.items()}


def by_name(left_out: Mapping[str, str]) -> dict[str, str]:
    """`left_out` for results, which know models by their names."""
    return {key.removeprefix("models."): why for key, why in left_out.items()}


def sentences(left_out: Mapping[str, str]) -> list[str]:
    """What to tell of each."""
    by_reason: dict[str, list[str]] = {}
    for key, why in left_out.items():
        by_reason.setdefault(why, []).append(key)
    return [
        f"{', '.join(keys)} {'is' if len(keys) == 1 else 'are'} left out: {why}." for why, keys in by_reason.items()
    ]


def read(results: Path) -> dict[str, str]:
    """What the last run with these results left out, and why."""
    path = results / _FILE
    if not path.is_file():
        return {}
    reasons = store.read_json(path)
    # results may come from others, and this is shown on the screen
    if not isinstance(reasons, dict) or not all(isinstance(why, str) and why.isprintable() for why in reasons.values()):
        raise HerbariumError(f"{path} is damaged; remove it.")
    return reasons


def write(results: Path, left_out: Mapping[str, str]) -> None:
    """Keep what a run leaves out, for its jobs."""
    path = results / _FILE
    if left_out:
        store.write_json(path, dict(left_out))
    else:
        path.unlink(missing_ok=True)


def load(values: dict[str, Any], files: Iterable[str | Path], left_out: Mapping[str, str]) -> Study:
    """As `config.load`, without some models, and with the pins of the lock file. Raises HerbariumError if no study is
    left without them."""
    with suppress(ValidationError):  # reported when the whole configuration is read
        values = pinned(values, loading.read_lock(_beginning(values).lock))
    if not left_out:
        return config.load(values, files)
    with suppress(TypeError, AttributeError, ValueError):  # faults, which are reported key by key
        values = without(values, left_out)
    try:
        return config.load(values, files)
    except HerbariumError as error:
        raise HerbariumError("\n".join([*sentences(left_out), str(error)])) from error


def _models(values: dict[str, Any]) -> dict[str, Model]:
    """The models of a configuration, without those whose faults are reported when all of it is read."""
    models = {}
    for name, entry in _named(values, "models").items():
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
    asked = {name: (section, "questions", name) for section in values for name in _named(values[section], "questions")}
    for name, model in models.items():
        recipe = model.derived.by if model.derived else None
        made["models", name] = {
            ("models", model.derived.base if model.derived else model.tokenizer),
            ("models", getattr(recipe, "to", None)),
            ("corpora", getattr(recipe, "corpus", None)),
            ("parallel", getattr(recipe, "parallel", None)),
            asked.get(getattr(recipe, "questions", None)),
        }
    for name, corpus in _named(values, "corpora").items():
        made["corpora", name] = {("models", _at(corpus, "planted")), ("corpora", _at(corpus, "swapped", "from"))}
    for name, source in _named(values, "vectors").items():
        made["vectors", name] = {
            ("models", _at(source, "model")),
            ("vectors", _at(source, "debiased", "from")),
            ("corpora", _at(source, "trained", "corpus")),
        }
    return made | {("parallel", name): set() for name in _named(values, "parallel")}


def _with_what_is_made(values: dict[str, Any], models: Mapping[str, Model], gone: Collection[Place]) -> set[Place]:
    """Some places, and those of all that is made from what is there."""
    made_from, gone = _made_from(values, models), set(gone)
    while more := {place for place, parts in made_from.items() if parts & gone} - gone:
        gone |= more
    return gone


def _at(value: Any, *place: str) -> Any:
    """What a configuration has at a place, if that can be a name; None if there is nothing."""
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _named(values: Any, key: str) -> dict[str, Any]:
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
    known = _models(values)
    places = [*_made_from(values, known), *(wanted.entry for wanted in elsewhere(values))]
    missing = _with_what_is_made(values, known, {place for place in places if _key(place) in left_out})
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
    gone["sentence_sets"] = _named(values, "sentence_sets").keys() - _named(others, "sentence_sets").keys()
    # what is left of a list has other numbers now
    gone["places"] = set(_entries(values)) - set(_entries(others))
    return given | {"models": left} | _pruned(others, gone)


def _tasks(values: dict[str, Any]) -> set[str]:
    """The names of the tasks that other sections refer to."""
    return {name for section in values.values() for name in _named(section, "tasks")}


def _entries(value: Any, place: Place = ()) -> Iterator[Place]:
    """The places of all named entries."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        if place and place[-1] in _ENTRIES:
            yield (*place, str(key))
        yield from _entries(inner, (*place, str(key)))


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
    if isinstance(value, dict) and place[-1] in _ENTRIES:
        return (
            _with_emptied(value, {name: _left_of(entry, (*place, name), gone) for name, entry in value.items()})
            or _EMPTIED
        )
    if isinstance(value, dict):
        after = {inner: _left_of(inner_value, (*place, inner), gone) for inner, inner_value in value.items()}
        lost = [inner for inner, inner_value in after.items() if inner_value is _EMPTIED]
        is_needed = any(isinstance(value[inner], str) or inner == _TEXTS for inner in lost)
        left = {inner: inner_value for inner, inner_value in after.items() if inner_value is not _EMPTIED}
        measures = any(key == _CLASSIFIERS or _measures(inner_value, inner) for inner, inner_value in left.items())
        return _EMPTIED if lost and (is_needed or not measures) else _with_emptied(value, after)
    if isinstance(value, list) and value:
        left = [
            item for item in (_left_of(item, at, gone) for item, at in _items(value, place)) if item is not _EMPTIED
        ]
        is_pair = key == "comparisons" and isinstance(value[0], str)
        return left if len(left) == len(value) or (left and not is_pair) else _EMPTIED
    if not isinstance(value, str):
        return value
    is_gone = key in _REFERENCES and value in gone[_REFERENCES[key]]
    # predictions decided again, of a classifier of the same task
    is_of_gone = key == "from" and (*place[:-3], _CLASSIFIERS, value) in gone["places"]
    is_in_gone = key in _OF_LANGUAGES and (*place[:-3], _LANGUAGES, value) in gone["places"]
    return _EMPTIED if is_gone or is_of_gone or is_in_gone else value


def _measures(value: Any, key: str) -> bool:
    """Whether part of a section says what is measured."""
    if isinstance(value, dict):
        return key == _CLASSIFIERS or any(_measures(inner_value, inner) for inner, inner_value in value.items())
    return _REFERENCES.get(key) in ("models", "vectors", "tasks") and bool(value)
