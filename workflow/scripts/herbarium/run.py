"""The record of a run: what made every file that a study ends in; and whether they are still what it says."""

from pathlib import Path

from herbarium import store
from herbarium.console import tracked
from herbarium.errors import HerbariumError
from herbarium.models import folder_of
from herbarium.provenance import file_hash

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
      checksum that its readers compare, and its making

    Raises HerbariumError when a file is damaged or out of place.
    """
    files, models, waiting = {}, {}, list(made["inputs"])
    while waiting:
        place = waiting.pop()
        path = results / place
        if place in files or not path.is_file():
            continue
        checksum, said = store.examine(path)
        if said is None:
            continue
        making = {key: value for key, value in said.items() if key in store.MAKING}
        files[place] = {"sha256": file_hash(path), "checksum": checksum, **making}
        waiting += said["inputs"]
        if path.suffix == ".json":
            models[place] = store.read_record(path)
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


def verify(results: str | Path) -> list[str]:
    """What is not as `run.json` of a results folder says, a line each; empty when everything is.

    Every checksum is computed anew: of each file, of the files outside the folder that it was made from, and of the
    weights of every model, in its folder or the cache of the hub. Raises HerbariumError when there is no record.
    """
    results = Path(results)
    run = read(results)
    files, sources, faults = run["files"], {}, []
    for place, file in tracked(files.items(), len(files), "files", "Verifying"):
        path = results / place
        if not path.is_file():
            faults.append(f"{path} is not there.")
        elif file_hash(path) != file["sha256"]:
            faults.append(f"{path} is not the file that the run left.")
        for given, checksum in file["inputs"].items():
            if given not in files:
                sources.setdefault(given, checksum)
            if checksum != files.get(given, {}).get("checksum", sources.get(given)):
                faults.append(f"{path} was made from another {given} than the run ended with.")
    for source, checksum in sources.items():
        path = Path(source)
        if not path.is_file():
            faults.append(f"{path}, from which the run began, is not there.")
        elif file_hash(path) != checksum:
            faults.append(f"{path} has changed since the run began from it.")
    for model in run["models"].values():
        try:
            folder_of(model)
        except HerbariumError as error:
            faults.append(str(error))
    return list(dict.fromkeys(faults))
