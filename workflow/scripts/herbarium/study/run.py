"""The record of a run: what made every final file of a study."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from herbarium.core import kept, store
from herbarium.core.errors import HerbariumError
from herbarium.core.files import SIDECAR
from herbarium.core.places import named
from herbarium.core.provenance import file_hash, value_hash

_STATES = Path(".snakemake/herbarium/results")  # state and sha256 of files, by their place in the results
RECORD, SUMMARY = "run.json", "summary.parquet"
ALIKE = ("models", "libraries")  # the parts of a file's making that many files share


def record(results: Path, study: dict, config: dict, left_out: dict, made: dict) -> dict:
    """The content of `run.json`.

    study: the whole configuration with its defaults. config: as it was given. made: of the record itself, from
    `step.begin`: its inputs are the study's final files.
    - run, code, libraries: of the record
    - left_out: models, tasks and data of the configuration that were not measured or used, and why
    - configurations: as given, by the hash that files name as their run: of this run, and of earlier ones whose files
      are still in use
    - models: the records of models and classifiers, by their files
    - sources: what else was read from the hub or a repository, by the files that were made from it: "data", as in
      the configuration, and "files", the checksum of each
    - rows: of each table of which rows can be left out, how many were `read`, how many `used`, and how many `left_out`
      for each reason
    - files: for each final file, and each file that it was made from, including the files of models that the workflow
      wrote: sha256 of its bytes, the checksum that its readers compare, its making, and for a model's output the
      "device". Models and libraries, which many files share, are replaced by their hash
    - said: these by their hashes; `read` puts them back

    Raises HerbariumError when a file is damaged or out of place, or does not say what made it.
    """
    files, sources, rows, alike = {}, {}, {}, {}
    walked = walk(results, made["inputs"])
    for place, (checksum, header) in walked.said.items():
        making = {key: value for key, value in header.items() if key in (*store.MAKING, "device")}
        for key in ALIKE:
            alike[hashed := value_hash(making[key])] = making[key]
            making[key] = hashed
        files[place] = {"sha256": file_hash(results / place), "checksum": checksum, **making}
        sources |= {place: header["source"]} if "source" in header else {}
        rows |= header.get("rows", {})
    before = store.read_record(results / RECORD)["configurations"] if (results / RECORD).exists() else {}
    known = before | {made["run"]: config}
    used = {made["run"], *(file["run"] for file in files.values())}
    return {
        "run": made["run"],
        "code": made["code"],
        "libraries": made["libraries"],
        "study": _with_names(study),
        "left_out": left_out,
        "configurations": {run: known[run] for run in sorted(used & known.keys())},
        "models": walked.models,
        "sources": sources,
        "rows": rows,
        "files": files,
        "said": alike,
    }


def _with_names(value: object) -> object:
    """Nested plain data with the paths of the workflow's own files as they are in a clone."""
    if isinstance(value, dict):
        return {key: _with_names(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_names(inner) for inner in value]
    return named(value) if isinstance(value, str) else value


class Found(NamedTuple):
    """said: path of a file -> its checksum and what it says about itself. models: path -> record of a model or
    classifier."""

    said: dict[str, tuple[str, dict]]
    models: dict[str, dict]


def walk(results: Path, places: Iterable[str]) -> Found:
    """Some files of a results folder, and all files there that they were made from, including the files of models that
    the workflow wrote.

    Raises HerbariumError when a file is damaged or out of place, or does not say what made it.
    """
    walked, waiting, written = Found({}, {}), list(places), set()
    while waiting:
        place = waiting.pop()
        path = results / place
        if place in walked.said or not path.is_file() or Path(place).is_absolute():  # a source, or temporary
            continue
        walked.said[place] = store.examine_result(path)
        waiting += walked.said[place][1]["inputs"]
        is_record = path.suffix == ".json" and not place.endswith(SIDECAR)
        if is_record and "files" in (record := store.read_record(path)):  # not part of the page
            if place not in written:
                walked.models[place] = record
            beside = f"{os.path.relpath(record['path'], results)}.json" if record["path"] else place
            if not beside.startswith(os.pardir):
                written |= {beside} - {place}
                waiting.append(beside)
    return walked


def behind(files: dict[str, dict], place: str) -> Iterator[str]:
    """A file of a record and every file that it was made from, each once. files: what each says about itself."""
    waiting, reached = [place], set()
    while waiting:
        place = waiting.pop()
        if place in files and place not in reached:
            reached.add(place)
            yield place
            waiting += files[place]["inputs"]


def outside(files: dict[str, dict], places: Iterable[str], results: str) -> dict[str, str]:
    """The files outside the results that some files of a record were made from: the checksum of each word list and
    table by its path. results: the folder, as the configuration names it."""
    return {
        given: checksum
        for place in places
        for given, checksum in files[place]["inputs"].items()
        if given not in files and not given.startswith(f"{results}/")
    }


def read(results: Path) -> dict:
    """The record of a results folder; raises HerbariumError when it has none."""
    if not (results / RECORD).is_file():
        raise HerbariumError(f"{results} has no {RECORD}, the record of a complete run: run snakemake first.")
    record = store.read_record(results / RECORD)
    if alike := record.pop("said", None):  # in an earlier format, each file has its own
        for file in record["files"].values():
            file |= {key: alike[file[key]] for key in ALIKE}
    return record


def lost(results: str | Path) -> set[str]:
    """Files in the record of the results that no longer exist: for example because the job for one was killed. None if
    there is no record, or it cannot be read."""
    try:
        of_run = store.read_record(Path(results, RECORD))
    except HerbariumError:
        return set()
    files = {f"{results}/{place}" for place in of_run["files"]}
    for model in of_run["models"].values():
        files |= {f"{model['path']}/{name}" for name in model["files"]}
    return {file for file in files if not Path(file).exists()}


def replaced(results: str | Path) -> set[str]:
    """Files of the results that are not those of the record, though they are no newer than it: for example those of
    another run, copied with their dates. None if there is no record, or it cannot be read.

    What a file was is remembered in Snakemake's working folder: it is read for this once, as long as nobody writes to
    it.
    """
    record = Path(results, RECORD)
    try:
        recorded, date = store.read_record(record)["files"], record.stat().st_mtime_ns
    except (HerbariumError, OSError):
        return set()
    memory = _STATES / f"{value_hash(str(record.absolute()))}.json"
    remembered, now = kept.read(memory), {}
    for place in recorded:
        path = Path(results, place)
        if path.is_file() and path.stat().st_mtime_ns <= date:
            state = kept.state(path)
            before, sha256 = remembered.get(place, (None, ""))
            now[place] = [state, sha256 if before == state else file_hash(path)]
    if now != remembered:
        with suppress(OSError):
            store.write_json(memory, now)
    return {f"{results}/{place}" for place, (_, sha256) in now.items() if sha256 != recorded[place]["sha256"]}


def left(results: Path, record: dict, place: str) -> Path:
    """The path of a file that a run left; raises HerbariumError when another file is there."""
    path = results / place
    if place not in record["files"]:
        raise HerbariumError(f"{results / RECORD} has no record of {place}: run snakemake first.")
    if store.examine(path)[0] != record["files"][place]["checksum"]:
        raise HerbariumError(f"{path} is not the file that the run left: run snakemake first.")
    return path
