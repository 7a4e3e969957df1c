"""Models that a study does without, as the hub does not give them: gated ones, and those that are gone.

A run asks the hub before it plans anything, pins models that have no commit, and leaves out those that it is refused,
with what is made from them. Its jobs, dry runs, and runs without a network go by what the last such answer was.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.models import hub, loading
from herbarium.models.section import Model, expanded, further
from herbarium.study import config
from herbarium.study.config import Beginning, Study

_FILE = Path(".snakemake/left_out.json")  # in the results, with which it travels
# Keys, besides the sections of this name, whose values are names of models, sources of vectors, or tasks.
_REFERENCES = {
    **dict.fromkeys(("models", "model", "tokenizer", "comparisons", "from"), "models"),
    **dict.fromkeys(("vectors", "sources", "source"), "vectors"),
    "tasks": "tasks",
}
# Sections with other names under these keys.
_OTHERS = ("models", "vectors", "corpora", "parallel")
_EMPTIED = object()


class Answers(NamedTuple):
    """What the hub said: commits of models that had none, by the names in the lock file; and why models are left out,
    by their names in the study."""

    pins: dict[str, str]
    left_out: dict[str, str]


def begin(values: dict[str, Any], asks: bool, is_job: bool) -> Answers:
    """The models that a study is planned without, after it has written new pins to the lock file.

    values: the configuration. asks: whether the hub may be asked. is_job: whether a run has decided, of which this
    process is a job. Raises HerbariumError for a strict study that would lack a model, or any that would
    lack all.
    """
    try:
        beginning = Beginning.model_validate({key: values[key] for key in Beginning.model_fields if key in values})
    except ValidationError:  # reported when the whole configuration is read
        return Answers({}, {})
    results = Path(beginning.results)
    before = read(results)
    if is_job:
        return Answers({}, before)
    models = _models(values)
    pins, refused = ask(models, beginning.lock, results, before, asks)
    if pins:
        loading.write_lock(beginning.lock, pins)
    gone = _with_what_is_made(models, refused)
    if refused and (beginning.strict or gone >= models.keys()):
        raise HerbariumError("\n".join(f"models.{name}: {why}." for name, why in refused.items()))
    made = sorted(gone - refused.keys())
    return Answers(pins, refused | dict.fromkeys(made, "it is made from one that is left out"))


def ask(models: Mapping[str, Model], lock: Path, results: Path, before: Mapping[str, str], asks: bool) -> Answers:
    """Ask the hub for the commit of every model without one, and for every model that is neither in the local cache nor
    recorded in the results. before: what was left out by the last answer, which holds if there is none now."""
    pins, left_out = {}, {}
    asks = asks and not hub.is_offline()
    parts = [(name, part) for name, model in models.items() for part in (model, model.adapter) if part and part.hub]
    for name, part in parts:
        entry = part.model_dump(mode="json")
        pin, commit = loading.pin(entry), loading.pinned(entry, lock)
        try:
            if commit is None and pin not in pins:
                _require_connection(asks)
                pins[pin] = hub.latest(part.hub, loading.branch(entry))
            commit = commit or pins[pin]
            files = loading.wanted_files(entry)
            if not (_is_recorded(results, name, commit) or hub.is_cached(part.hub, commit, hub.MODEL, files)):
                _require_connection(asks)
                hub.require(part.hub, commit, hub.MODEL, files)
        except hub.RefusedError as refusal:
            left_out[name] = f"{_called(pin, commit)} {refusal}"
        except HerbariumError:
            asks = False  # nobody waits for more than one answer that does not come
            if before.get(name, "").startswith(_called(pin, commit)):
                left_out[name] = before[name]
    return Answers(pins, left_out)


def _require_connection(asks: bool) -> None:
    if not asks:
        raise HerbariumError(hub.OFFLINE)


def _called(pin: str, commit: str | None) -> str:
    return f"'{pin}' at {commit[:12]}:" if commit else f"'{pin}':"


def _is_recorded(results: Path, name: str, commit: str) -> bool:
    """Whether a model was found earlier at this commit, so that nothing may be left to ask of it."""
    record = results / f"models/{name}.json"
    return record.is_file() and commit in record.read_text(encoding="utf-8", errors="replace")


def sentences(left_out: Mapping[str, str]) -> list[str]:
    """What to tell of each model."""
    return [f"models.{name} is left out: {why}." for name, why in left_out.items()]


def read(results: Path) -> dict[str, str]:
    """What the last run with these results left out, and why."""
    path = results / _FILE
    if not path.is_file():
        return {}
    said = store.read_json(path)
    # results may come from others, and this is shown on the screen
    if not isinstance(said, dict) or not all(isinstance(why, str) and why.isprintable() for why in said.values()):
        raise HerbariumError(f"{path} is damaged; remove it.")
    return said


def write(results: Path, left_out: Mapping[str, str]) -> None:
    """Keep what a run leaves out, for its jobs."""
    path = results / _FILE
    if left_out:
        store.write_json(path, dict(left_out))
    else:
        path.unlink(missing_ok=True)


def load(values: dict[str, Any], files: Iterable[str | Path], left_out: Mapping[str, str]) -> Study:
    """As `config.load`, without some models. Raises HerbariumError if no study is left without them."""
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


def _with_what_is_made(models: Mapping[str, Model], names: Collection[str]) -> set[str]:
    """Some models, and all that come from them or share their tokenizer."""
    made_from = {name: model.derived.base if model.derived else model.tokenizer for name, model in models.items()}
    gone = set(names)
    while more := {name for name, base in made_from.items() if base in gone} - gone:
        gone |= more
    return gone


def _named(values: Any, key: str) -> dict[str, Any]:
    section = values.get(key) if isinstance(values, dict) else None
    return {name: of for name, of in section.items() if isinstance(of, dict)} if isinstance(section, dict) else {}


def without(values: dict[str, Any], models: Collection[str]) -> dict[str, Any]:
    """A configuration without some models, what is made from them, and what would be measured of nothing else.

    values: plain data, which is not changed. A list that loses all its models takes its entry with it, such as a
    language or a set of stimuli, and an entry that loses all of these its section.
    """
    known, sources = _models(values), _named(values, "vectors")
    gone = {"models": _with_what_is_made(known, models), "vectors": set(), "tasks": set()}
    left = _models_left(values, gone["models"])
    for name in gone["models"] & known.keys():
        if (derived := known[name].derived) is not None:
            gone["models"] |= further(name, derived).keys()
        elif (member := known[name].member) is not None and member.family not in left:
            gone["models"].add(member.family)
    while more := {name for name, of in sources.items() if _comes_from(of, gone)} - gone["vectors"]:
        gone["vectors"] |= more
    given = {key: of for key, of in values.items() if key in _OTHERS} | {"models": left}
    if sources:
        given["vectors"] = {name: of for name, of in values["vectors"].items() if name not in gone["vectors"]}
    others = _pruned({key: of for key, of in values.items() if key not in _OTHERS}, gone)
    gone["tasks"] = _tasks(values) - _tasks(others)
    return given | _pruned(others, gone)


def _tasks(values: dict[str, Any]) -> set[str]:
    """The names of the tasks in all sections."""
    return {name for section in values.values() for name in _named(section, "tasks")}


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


def _comes_from(source: dict[str, Any], gone: Mapping[str, set[str]]) -> bool:
    return source.get("model") in gone["models"] or (source.get("debiased") or {}).get("from") in gone["vectors"]


def _pruned(study: dict[str, Any], gone: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """The sections of a study without what refers to what is gone."""
    return _with_emptied(study, {key: _left_of(value, key, gone) for key, value in study.items()})


def _with_emptied(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """A section without its emptied entries; its own emptied lists stay, as empty ones."""
    return {
        key: [] if of is _EMPTIED else of
        for key, of in after.items()
        if of is not _EMPTIED or isinstance(before[key], list)
    }


def _left_of(value: Any, key: str, gone: Mapping[str, Collection[str]]) -> Any:
    """What is left of a value of the configuration; _EMPTIED if that says nothing any more."""
    if isinstance(value, dict):
        after = {inner: _left_of(of, inner, gone) for inner, of in value.items()}
        lost = [value[inner] for inner, of in after.items() if of is _EMPTIED]
        is_needed = any(isinstance(of, str) for of in lost)
        measures = any(_measures(of, inner) for inner, of in after.items() if of is not _EMPTIED)
        return _EMPTIED if lost and (is_needed or not measures) else _with_emptied(value, after)
    if isinstance(value, list) and value:
        left = [of for of in (_left_of(of, key, gone) for of in value) if of is not _EMPTIED]
        is_pair = key == "comparisons" and isinstance(value[0], str)
        return left if len(left) == len(value) or (left and not is_pair) else _EMPTIED
    is_gone = isinstance(value, str) and key in _REFERENCES and value in gone[_REFERENCES[key]]
    return _EMPTIED if is_gone else value


def _measures(value: Any, key: str) -> bool:
    """Whether part of a section says what is measured."""
    if isinstance(value, dict):
        return key == "classifiers" or any(_measures(of, inner) for inner, of in value.items())
    return key in _REFERENCES and bool(value)
