"""How a step begins: its log, a look at everything it is given, and what all that it writes will say of its making."""

import atexit
import gc
import os
import signal
from collections.abc import Iterable
from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log, start_log
from herbarium.core.errors import HerbariumError
from herbarium.core.places import named
from herbarium.core.provenance import installed_libraries, value_hash

# Inputs by whose content a result is not known: that of weights, and so what was written of them, stands in the model's
# record; how many tokens a pass takes was measured by the clock, and changes no number.
_APART = ("weights", "written", "passes")
# Inputs that people write, and may put comments into. A rule has them as `ancient`, and what they say as a parameter.
_TEXTS = ("lists", "words", "nonsense", "published", "n_countries")


def begin(job, apart: Iterable[str] = ()) -> dict:
    """Start the log of a step and say what it is made of: {"rule", "run", "code", "config", "inputs", …}.

    job: what Snakemake gives a script: rule, config, params (with "code"), input, log. apart: names of inputs that
    may change without the result becoming another.
    - run: hash of the whole configuration of the study; config: of the parameters of this step alone
    - inputs: the checksum of each file; of what people write, without its comments
    - models: by name the revision and a hash of the files of every model that anything here comes from

    Raises HerbariumError when an input is damaged or out of place, is of the results and does not say what made it, or
    two of them come from different files under one name.
    """
    collect_rarely()
    start_log(job.log[0])
    if "SLURM_JOB_ID" in os.environ:
        outlive_notice()
    left_out = {path for name in (*_APART, *apart) for path in _paths(job.input.get(name, []))}
    texts = {path for name in _TEXTS for path in _paths(job.input.get(name, []))}
    results = Path(job.config["results"]).absolute()
    inputs, models, named_by = {named(path): store.examine_text(path) for path in sorted(texts)}, {}, {}
    for path in job.input:
        if path in left_out | texts:
            continue
        is_result = Path(path).absolute().is_relative_to(results)
        checksum, said = (store.examine_result if is_result else store.examine)(path)
        inputs[said["file"] if said else named(path)] = checksum
        for name, of in (said or {"models": {}})["models"].items():
            if models.setdefault(name, of) != of:
                raise HerbariumError(
                    f"{named_by[name]} and {path} both come from '{name}', but from different files of it. Delete "
                    "the older of them and run snakemake again: it will be made anew."
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
    }


def collect_rarely() -> None:
    """Let Python look for unreachable objects less often, and no more when the process ends.

    torch and transformers make some hundred thousand objects that stay. To look through them again and again takes a
    fifth of the time of importing them, and as much again at the exit.
    """
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def outlive_notice() -> None:
    """Work on after SIGTERM, by which Slurm gives notice that the job loses its node.

    Slurm starts a job again that it had to kill for a more urgent one; one that ended at the notice counts as failed.
    """
    signal.signal(signal.SIGTERM, lambda *_: log.warning("Slurm will end this job soon."))


def of_model(record: dict, name: str | None = None) -> dict:
    """What the making of a file says of a model or classifier. record: with "revision" and "files", all that it is
    loaded from."""
    return {name or record["name"]: {"revision": record["revision"], "files": value_hash(record["files"])}}


def _paths(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
