"""How a step begins: its log, checks of all its inputs, and what all its outputs will say about how they were made."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from herbarium.core import baseline, rows, store
from herbarium.core.console import log, start_log
from herbarium.core.errors import HerbariumError
from herbarium.core.places import named
from herbarium.core.provenance import installed_libraries, value_hash

# Results whose content does not identify another, by their schema: what was written with weights, which are
# identified by the model's record; what a server is asked again, whose answers have last digits that differ each time.
WRITTEN, PROBES = "written", "probes"
_APART = (WRITTEN, PROBES)
# What a file from outside the results is, which does not say it, by the name of the input: weights, identified by their
# model's record; handwritten texts, which may have comments. A rule has the latter as `ancient`, and their content as a
# parameter.
_WEIGHTS = "weights"
_TEXTS = ("lists", "words", "nonsense", "published", "n_countries")


def begin(job, apart: Iterable[str] = ()) -> dict:
    """Start the log of a step and say what its outputs are made from: {"rule", "run", "code", "config", "inputs", …}.

    job: what Snakemake gives a script: rule, config, params (with "code"), input, log. apart: names of inputs that may
    change without changing the result.
    - run: hash of the whole configuration of the study; config: of only this step's parameters
    - inputs: the checksum of each file; handwritten files without their comments
    - models: name -> the revision and a hash of the files of every model that anything here comes from
    - rows: of `rows.begin`; outputs say it that are written when a table has been read

    Raises HerbariumError when an input is damaged or out of place, is in the results but does not say what made it, or
    two inputs come from different files under the same name; and when code or an input is not what the run was planned
    from. The step fails as well if one of these changes before its process ends.
    """
    collect_rarely()
    start_log(job.log[0])
    if "SLURM_JOB_ID" in os.environ:
        outlive_notice()
    if planned := baseline.read(job.config["results"]):
        _keep_to(planned, job)
    results = Path(job.config["results"]).absolute()
    outside = {path for path in job.input if not Path(path).absolute().is_relative_to(results)}
    texts = texts_in(job.input) & outside
    left_out = {path for name in apart for path in _paths(job.input.get(name, []))}
    left_out |= set(_paths(job.input.get(_WEIGHTS, []))) & outside
    inputs, models, named_by = {named(path): store.examine_text(path) for path in sorted(texts - left_out)}, {}, {}
    for path in job.input:
        if path in left_out | texts or (path not in outside and _is_of_model(Path(path))):
            continue
        checksum, header = (store.examine if path in outside else store.examine_result)(path)
        if path not in outside and header.get("schema") in _APART:
            continue
        inputs[named(path) if path in outside else header["file"]] = checksum
        for name, entry in (header or {"models": {}})["models"].items():
            if models.setdefault(name, entry) != entry:
                raise HerbariumError(
                    f"{named_by[name]} and {path} both come from '{name}', but from different files of it. Delete "
                    "the older one and run snakemake again to make it again."
                )
            named_by.setdefault(name, path)
    return {
        "results": job.config["results"],
        "spreadsheet_safe": job.params.get("spreadsheet_safe", True),
        "rule": job.rule,
        "run": value_hash(job.config),
        "code": job.params.code,
        "config": value_hash({name: value for name, value in job.params.items() if name != "code"}),
        "inputs": inputs,
        "models": models,
        "libraries": installed_libraries(),
        "rows": rows.begin(),
    }


def texts_in(inputs) -> set[str]:
    """The handwritten texts among the inputs that Snakemake gives a step, or will give it."""
    return {path for name in _TEXTS for path in _paths(inputs.get(name, []))}


def _is_of_model(path: Path) -> bool:
    """Whether a file of the results is of a model that the workflow wrote, with its record beside the folder."""
    record = path.parent.with_name(f"{path.parent.name}.json")
    return record.is_file() and path.name in store.read_json(record).get("files", ())


def _keep_to(planned: baseline.Baseline, job) -> None:
    """Raise HerbariumError unless a step finds what was planned, now; end its process as a failed one if it does not at
    the end: modules may be imported and files read at any time. One that was written to in between is warned of."""
    script, calls = Path(sys.modules["__main__"].__file__), job.params.get("does", ())

    def require_same() -> None:
        baseline.require_same_code(planned, job.rule, script, calls=calls)
        baseline.require_same_sources(planned, job.input)

    def end() -> None:
        try:
            require_same()
        except HerbariumError as error:
            log.error("Error: %s", error)
            os._exit(1)  # nothing else that happens at the end of a process changes how it ended
        if warning := baseline.written_meanwhile(planned, before, script, calls=calls):
            log.warning(warning)

    before = baseline.in_use(planned, job.input)
    require_same()
    atexit.register(end)


def collect_rarely() -> None:
    """Let Python look for unreachable objects less often, and not at all when the process ends.

    torch and transformers make some hundred thousand permanent objects. Looking through them again and again takes a
    fifth of their import time, and the same again at exit.
    """
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def outlive_notice() -> None:
    """Continue after SIGTERM, by which Slurm gives notice that the job will lose its node.

    Slurm restarts a job that it had to kill for a more urgent one; one that ends at the notice counts as failed.
    """
    signal.signal(signal.SIGTERM, lambda *_: log.warning("Slurm will end this job soon."))


def of_model(record: dict, name: str | None = None) -> dict:
    """What a file says about a model or classifier that it was made with. record: with "revision" and "files", all that
    it is loaded from."""
    return {name or record["name"]: {"revision": record["revision"], "files": value_hash(record["files"])}}


def _paths(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
