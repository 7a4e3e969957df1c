"""Whether the files of a results folder, and what they were made from, are still what the record of the run says.

A copy of the folder is verified wherever it is: the record names what is in it by its path there.
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from herbarium.core import downloads, places, store
from herbarium.core.console import log, tracked
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.provenance import file_hash, is_of_text, source_hash
from herbarium.core.resources import place as in_words
from herbarium.models import hub
from herbarium.models import sources as texts
from herbarium.models.loading import folder_of
from herbarium.study import run, signatures

SIGNATURES = "exchange/signatures.csv"
EXCHANGE = "exchange/files.json"
_MOST = 5  # names in a line


class Verified(NamedTuple):
    """faults: what differs, one line each. checked: how many, by what they are, in words. unchecked: what is not to be
    had where a copy of the results is."""

    faults: list[str]
    checked: dict[str, int]
    unchecked: list[str]

    def __str__(self) -> str:
        """What was checked, and what was not, in a line."""
        checked = f"Checked: {', '.join(f'{n:,} {what}' for what, n in self.checked.items())}."
        if not self.unchecked:
            return checked
        more = f", … ({len(self.unchecked):,} in all)" if len(self.unchecked) > _MOST else ""
        return f"{checked} Not checked, as they are not here: {', '.join(self.unchecked[:_MOST])}{more}."


class _NotHereError(Exception):
    """What a copy of the results was made from is not where the copy is."""


def verify(results: str | Path, signature: str | None = None) -> list[str]:
    """What differs from the `run.json` of a results folder, one line each; empty when nothing does.

    results: the folder, or a copy of it, wherever it is; or one file of it, such as the page, which holds its own
    checksum. signature: of one number. It is looked up, its estimate is logged, and everything that it depends on and
    that is different here is reported as well.

    Every checksum is computed again: of each file, of the files outside the folder that it was made from (handwritten
    ones without their comments; those from the hub and repositories in the cache), and of the weights of every model,
    in its folder or the hub's cache. For a copy, nothing is said of those that are not where it is (`verified`). Raises
    HerbariumError when there is no record, or no such number.
    """
    return verified(results, signature).faults


def verified(results: str | Path, signature: str | None = None) -> Verified:
    """As `verify`, with what was checked."""
    results = Path(results)
    if results.is_file():
        return _verified_alone(results)
    record = run.read(results)
    files, sources, faults = record["files"], {}, []
    if signature:
        number, facts = cited(results, record, signature)
        log.info(said(number))
        faults += unlike(signatures.parse(signature), facts)
    for place, file in tracked(files.items(), len(files), "files", "Verifying"):
        path = results / place
        if not path.is_file():
            faults.append(f"{path} is missing.")
        elif file_hash(path) != file["sha256"]:
            faults.append(f"{path} is not the file that the run left.")
        for given, checksum in file["inputs"].items():
            if given in files:
                recorded = files[given]["checksum"]
            else:  # a text has another checksum if a step includes its comments
                recorded = sources.setdefault((given, ":" in checksum), checksum)
            if checksum != recorded:
                faults.append(f"{path} was made from another version of {given} than the run ended with.")
    faults += _given_away(results)
    origin, models = _origin(results, record), list(record["models"].values())
    parts = [("sources", name, partial(_faults_of_source, name, origin, known)) for (name, _), known in sources.items()]
    for read in record["sources"].values():
        parts.append(("sources", in_words(read["data"]), partial(_faults_of_texts, read, origin)))
    for model in models:
        parts.append(("models", model["name"], partial(_faults_of_model, model, models, origin)))
    checked, unchecked = {"files": len(files), "sources": 0, "models": 0}, []
    for what, name, faults_of in parts:
        try:
            faults += faults_of()
            checked[what] += 1
        except _NotHereError:
            unchecked.append(name)
        except HerbariumError as error:
            faults.append(str(error))
    return Verified(list(dict.fromkeys(faults)), checked, list(dict.fromkeys(unchecked)))


def _verified_alone(file: Path) -> Verified:
    """One file of the results, without them."""
    try:
        _, said_of_itself = store.examine(file)
        faults = [] if said_of_itself else [f"{file} does not say what made it, so it cannot be verified on its own."]
    except HerbariumError as error:
        faults = [str(error)]
    return Verified(faults, {"file, by the checksum in it": 1}, ["the results that it belongs to"])


class _Origin(NamedTuple):
    """results: the folder that is verified. called: as its study names it. study: the folder of its study, in which
    relative paths are; None if a copy is elsewhere. is_whole: whether the study ran here, so that it has all."""

    results: Path
    called: Path
    study: Path | None
    is_whole: bool


def _origin(results: Path, record: dict) -> _Origin:
    name = record["study"].get("results")
    if name is None:  # no study's
        return _Origin(results, results, Path(), True)
    called, at = Path(places.expanded(name)), results.absolute()
    is_at_its_place = called.resolve() == at.resolve()
    if called.is_absolute():
        ran = [folder for folder in (Path(), *at.parents) if (folder / ".snakemake").is_dir()]
        return _Origin(results, called, next(iter(ran), None) if is_at_its_place else None, is_at_its_place)
    above = [at.parents[len(called.parts) - 1]] if at.parts[-len(called.parts) :] == called.parts else []
    study = next(iter([Path()] * is_at_its_place + above), None)
    return _Origin(results, called, study, study is not None and (study / ".snakemake").is_dir())


def _located(path: str, origin: _Origin) -> Path:
    """Where a path of the record leads. Raises `_NotHereError` if nobody knows."""
    given = Path(places.expanded(path))
    if given.is_relative_to(origin.called):
        return origin.results / given.relative_to(origin.called)
    if given.is_absolute():
        return given
    if origin.study is not None and (origin.study / given).exists():
        return origin.study / given
    if (ours := places.located(given)).is_absolute():
        return ours
    if origin.study is None:
        raise _NotHereError
    return origin.study / given


def _faults_of_source(name: str, origin: _Origin, checksum: str) -> list[str]:
    """What has changed of a file from outside the results."""
    if downloads.is_address(name):
        if not origin.is_whole and not downloads.is_cached(downloads.parsed(name)):
            raise _NotHereError
        path = downloads.local(Path(name))
    else:
        path = _located(name, origin)
    if not path.is_file():
        if not origin.is_whole:
            raise _NotHereError
        return [f"{path}, from which the run began, is missing."]
    now = source_hash(path, checksum) if is_of_text(checksum) else store.examine(path)[0]
    if now == checksum:
        return []
    if not origin.is_whole and path.is_relative_to(places.CLONE):  # of another version, perhaps
        raise _NotHereError
    return [f"{path} has changed since the run began from it."]


def _faults_of_texts(source: dict, origin: _Origin) -> list[str]:
    """What has changed of a data set of the hub or a repository."""
    data = source["data"]
    if not origin.is_whole and not (
        hub.is_cached(data["hub"], data["revision"], hub.DATASET, texts.FILES) if data["hub"] else texts.is_cached(data)
    ):
        raise _NotHereError
    return texts.changed(source)


def _faults_of_model(model: dict, models: Iterable[dict], origin: _Origin) -> list[str]:
    """What has changed of the files of a model."""
    if model["path"] is None:
        if not origin.is_whole and not hub.is_cached(model["hub"], model["revision"], hub.MODEL, list(model["files"])):
            raise _NotHereError
        folder = None
    else:
        folder = _located(model["path"], origin)
        if _was_in_passing(model, folder, models):
            return []
        if not origin.is_whole and not folder.exists() and not folder.is_relative_to(origin.results):
            raise _NotHereError
    folder_of(model | {"path": folder and str(folder)})
    return []


def cited(results: Path, record: dict, signature: str) -> tuple[dict, dict[str, str]]:
    """The row of the summary that a signature names, and the content of its signature in these results.

    Raises HerbariumError for a text that is not a signature, or for a number that does not exist.
    """
    wanted = signatures.parse(signature)
    lines = store.read_csv(run.left(results, record, SIGNATURES).read_bytes(), usecols=["signature"])["signature"]
    rows = [signatures.parse(line) for line in lines]
    for key in signatures.KEY:
        matching = [row for row in rows if row.get(key) == wanted.get(key)]
        if not matching:
            names = sorted({row[key] for row in rows if key in row})
            what = f"the {key} '{wanted[key]}'{did_you_mean(wanted[key], names)}" if key in wanted else f"no {key}"
            alike = [wanted[before] for before in signatures.KEY[: signatures.KEY.index(key)] if before in wanted]
            place = f" of {', '.join(alike)}" if alike else ""
            raise HerbariumError(f"{results} does not have the number of the signature: none{place} has {what}.")
        rows = matching
    summary = store.read_frame(run.left(results, record, run.SUMMARY), "tidy")
    for key in signatures.KEY:
        summary = summary[summary[key].isna() if key not in wanted else summary[key] == wanted[key]]
    return summary.iloc[0].to_dict(), rows[0]


def said(number: dict) -> str:
    """A number in words: the estimate with all digits, and its interval and error if it has them."""
    name = ", ".join(str(number[key]) for key in signatures.KEY if not pd.isna(number[key]))
    if pd.isna(number["estimate"]):
        return f"{name}: no estimate ({number['note']})"
    more = [f"n = {number['n']:.0f}"] if not pd.isna(number["n"]) else []
    if not pd.isna(number["std_error"]):
        more.append(f"standard error {number['std_error']:.3g}")
    if not pd.isna(number["ci_low"]) and not pd.isna(number["ci_high"]):
        more.append(f"interval {number['ci_low']:.4g} to {number['ci_high']:.4g}")
    return f"{name}: {number['estimate']!r}" + (f" ({', '.join(more)})" if more else "")


def unlike(wanted: dict[str, str], recorded: dict[str, str]) -> list[str]:
    """What differs here from a number's citation, one sentence each.

    Fields that a signature does not have are not compared; neither is the configuration of the whole study, which
    changes with every model that is added.
    """
    names = {"version": "the version of Herbarium", "revision": "the revision of the model", **signatures.FIELDS}
    return [
        f"signature: {names[key]} ({key}): cited as '{value}', but here it is '{recorded.get(key, '')}'."
        for key, value in wanted.items()
        if key != "run" and recorded.get(key) != value
    ]


def _given_away(results: Path) -> list[str]:
    """Changes in the files for exchange, which are made from the record of the run."""
    path = results / EXCHANGE
    if not path.is_file():  # earlier versions made none
        return []
    try:
        made_from = store.examine_result(path)[1]["inputs"]
    except HerbariumError as error:
        return [str(error)]
    faults = []
    if made_from[run.RECORD] != file_hash(results / run.RECORD):
        faults.append(f"{path} was made from another {run.RECORD} than the present one. {store.REMEDY}")
    for place, sha256 in store.read_record(path)["sha256"].items():
        if not (results / place).is_file():
            faults.append(f"{results / place} is missing.")
        elif file_hash(results / place) != sha256:
            faults.append(f"{results / place} is not the file that the run left.")
    return faults


def _was_in_passing(model: dict, folder: Path, models: Iterable[dict]) -> bool:
    """Whether the workflow itself has deleted the weights of a model: it was trained further, and has been measured.
    folder: its own."""
    derived = model.get("derived")
    if not derived or (folder / "config.json").exists():
        return False
    further = [other["derived"] for other in models if other.get("derived")]
    return any(other["from"] == derived["from"] and _epochs(other) > _epochs(derived) for other in further)


def _epochs(derived: dict) -> int:
    """0 for a recipe that has none."""
    return derived["by"].get("epochs") or 0
