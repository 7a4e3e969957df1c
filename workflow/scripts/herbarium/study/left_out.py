"""What a study does without, as it is not given: models, classifiers, texts and lists that are gated, gone, or silent.

A run asks the hub, repositories of Git and addresses of files before it plans anything, pins what has no commit or
digest, and leaves out what it is refused, with what is made from it. Of what does not answer, the last answer holds;
without one, texts and lists are left out of this run, and the next asks again. Jobs go by what their run decided.
"""

import os
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
MADE_FROM_IT = "made from what is left out"


class Answers(NamedTuple):
    """What the hub and other servers said: commits and digests of what had none, by the names in the lock file; and why
    something is left out, by its key in the study."""

    pins: dict[str, str]
    left_out: dict[str, str]


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
    models = models_in(values)
    wanted = [*of_models(models), *elsewhere(values)]
    pins, refused = ask(wanted, beginning.lock, results, before, asks)
    if pins:
        loading.write_lock(beginning.lock, pins)
    gone = with_what_is_made(values, models, {one.entry for one in wanted if key_of(one.entry) in refused})
    made = sorted({key_of(place) for place in gone} - refused.keys())
    if refused and (beginning.strict or {("models", name) for name in models} <= gone):
        raise HerbariumError("\n".join(f"{key}: {why}." for key, why in refused.items()))
    return Answers(pins, refused | dict.fromkeys(made, MADE_FROM_IT))


def _beginning(values: dict[str, Any]) -> Beginning:
    return Beginning.model_validate({key: values[key] for key in Beginning.model_fields if key in values})


def ask(wanted: Iterable[Wanted], lock: Path, results: Path, before: Mapping[str, str], asks: bool) -> Answers:
    """Ask for the commit or digest of everything without one, and for everything that is neither in the local cache nor
    recorded in the results. before: what was left out by the last answer, which holds if there is none now."""
    pins, left_out, silent, locked = {}, {}, set(), loading.read_lock(lock)
    for one in wanted:
        key, pin, commit = key_of(one.entry), one.pin, one.pinned(locked)
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
            elif one.is_planned_with or (asks and not one.is_model and not hub.is_offline()):
                why = str(silence).removesuffix(".")
                left_out.setdefault(key, f"{_called(pin, commit)} {why}; the next run asks again")
    return Answers(pins, {key: _in_a_line(why) for key, why in left_out.items()})


def _in_a_line(text: str) -> str:
    """What a server says, so that it can be shown on a screen."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


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


def told(values: dict[str, Any], left_out: Mapping[str, str]) -> dict[str, str]:
    """`left_out`, with what takes the place of a model as the first of a list, which says which is a language's own.

    values: the configuration that it is left out of."""
    gone = {key.removeprefix("models.") for key in left_out if key.startswith("models.")}
    reasons = {key: [why] for key, why in left_out.items()}
    for section in values:
        for language, entry in entries_of(values[section], "languages").items():
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
