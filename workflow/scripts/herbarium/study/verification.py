"""Whether the files of a results folder, and what they were made from, are still what the record of the run says."""

from collections.abc import Iterable
from pathlib import Path

from herbarium.core.console import tracked
from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.core.provenance import file_hash, source_hash
from herbarium.models import sources as texts
from herbarium.models.loading import folder_of
from herbarium.study import run


def verify(results: str | Path) -> list[str]:
    """What is not as `run.json` of a results folder says, a line each; empty when everything is.

    Every checksum is computed anew: of each file, of the files outside the folder that it was made from (of what people
    write without its comments; of the hub and of repositories in the cache), and of the weights of every model, in its
    folder or the cache of the hub. Raises HerbariumError when there is no record.
    """
    results = Path(results)
    record = run.read(results)
    files, sources, faults = record["files"], {}, []
    for place, file in tracked(files.items(), len(files), "files", "Verifying"):
        path = results / place
        if not path.is_file():
            faults.append(f"{path} is not there.")
        elif file_hash(path) != file["sha256"]:
            faults.append(f"{path} is not the file that the run left.")
        for given, checksum in file["inputs"].items():
            if given in files:
                recorded = files[given]["checksum"]
            else:  # a text has another checksum where a step counts its comments, too
                recorded = sources.setdefault((given, ":" in checksum), checksum)
            if checksum != recorded:
                faults.append(f"{path} was made from another {given} than the run ended with.")
    for (source, _), checksum in sources.items():
        path = located(Path(source))
        if not path.is_file():
            faults.append(f"{path}, from which the run began, is not there.")
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


def _was_in_passing(model: dict, models: Iterable[dict]) -> bool:
    """Whether the workflow itself has deleted the weights of a model: it was trained further, and is measured."""
    derived = model.get("derived")
    if not derived or model["path"] is None or Path(model["path"], "config.json").exists():
        return False
    of_base = [other["derived"] for other in models if other.get("derived")]
    return any(of["from"] == derived["from"] and of["by"]["epochs"] > derived["by"]["epochs"] for of in of_base)
