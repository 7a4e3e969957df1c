"""The record of a run: what made every file that a study ends in."""

import os
from pathlib import Path

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import file_hash

RECORD = "run.json"


def record(results: Path, study: dict, config: dict, made: dict) -> dict:
    """What `run.json` holds.

    study: the whole configuration with its defaults. config: as it was given. made: of the record itself, by
    `step.begin`: its inputs are what the study ends in.
    - run, code, libraries: of the record
    - configurations: as given, by the hash that files name as their run: this run's, and of those before it whose files
      are still in use
    - models: the records of models and classifiers, by their files
    - files: of everything that the study ends in, and of everything that it was made from: sha256 of its bytes, the
      checksum that its readers compare, its making, and of what a model said the "device"; among them what the workflow
      wrote as the files of its models

    Raises HerbariumError when a file is damaged or out of place.
    """
    files, models, waiting, written = {}, {}, list(made["inputs"]), set()
    while waiting:
        place = waiting.pop()
        path = results / place
        if place in files or not path.is_file():
            continue
        checksum, said = store.examine(path)
        if said is None:
            continue
        making = {key: value for key, value in said.items() if key in (*store.MAKING, "device")}
        files[place] = {"sha256": file_hash(path), "checksum": checksum, **making}
        waiting += said["inputs"]
        if path.suffix == ".json" and "files" in (record := store.read_record(path)):  # not a part of the page
            if place not in written:
                models[place] = record
            beside = f"{os.path.relpath(record['path'], results)}.json" if record["path"] else place
            if not beside.startswith(os.pardir):
                written |= {beside} - {place}
                waiting.append(beside)
    before = store.read_record(results / RECORD)["configurations"] if (results / RECORD).exists() else {}
    known = before | {made["run"]: config}
    used = {made["run"], *(file["run"] for file in files.values())}
    return {
        "run": made["run"],
        "code": made["code"],
        "libraries": made["libraries"],
        "study": study,
        "configurations": {run: known[run] for run in sorted(used & known.keys())},
        "models": models,
        "files": files,
    }


def read(results: Path) -> dict:
    """The record of a results folder; raises HerbariumError when it has none."""
    if not (results / RECORD).is_file():
        raise HerbariumError(f"{results} has no {RECORD}, the record of a whole run: run snakemake first.")
    return store.read_record(results / RECORD)


def left(results: Path, record: dict, place: str) -> Path:
    """The path of a file that a run left; raises HerbariumError when another file is there."""
    path = results / place
    if store.examine(path)[0] != record["files"][place]["checksum"]:
        raise HerbariumError(f"{path} is not the file that the run left: run snakemake first.")
    return path
