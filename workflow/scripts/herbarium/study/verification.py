"""Whether the files of a results folder, and what they were made from, are still what the record of the run says."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.downloads import local
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.provenance import file_hash, source_hash
from herbarium.models import sources as texts
from herbarium.models.loading import folder_of
from herbarium.study import run, signatures

SIGNATURES = "exchange/signatures.csv"
EXCHANGE = "exchange/files.json"


def verify(results: str | Path, signature: str | None = None) -> list[str]:
    """What differs from the `run.json` of a results folder, one line each; empty when nothing does.

    signature: of one number. It is looked up, its estimate is logged, and everything that it depends on and that is
    different here is reported as well.

    Every checksum is computed again: of each file, of the files outside the folder that it was made from (handwritten
    ones without their comments; those from the hub and repositories in the cache), and of the weights of every model,
    in its folder or the hub's cache. Raises HerbariumError when there is no record, or no such number.
    """
    results = Path(results)
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
    for (source, _), checksum in sources.items():
        try:
            path = local(Path(source))
        except HerbariumError as error:
            faults.append(str(error))
            continue
        if not path.is_file():
            faults.append(f"{path}, from which the run began, is missing.")
        elif source_hash(path, checksum) != checksum:
            faults.append(f"{path} has changed since the run began from it.")
    for source in record["sources"].values():
        faults += texts.changed(source)
    for model in record["models"].values():
        if _was_in_passing(model, record["models"].values()):
            continue
        try:
            folder_of(model)
        except HerbariumError as error:
            faults.append(str(error))
    return list(dict.fromkeys(faults))


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


def _was_in_passing(model: dict, models: Iterable[dict]) -> bool:
    """Whether the workflow itself has deleted the weights of a model: it was trained further, and has been measured."""
    derived = model.get("derived")
    if not derived or model["path"] is None or Path(model["path"], "config.json").exists():
        return False
    of_base = [other["derived"] for other in models if other.get("derived")]
    return any(
        other_model["from"] == derived["from"] and other_model["by"]["epochs"] > derived["by"]["epochs"]
        for other_model in of_base
    )
