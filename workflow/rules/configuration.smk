"""The study: where the library is, how mistakes are reported, and what the configuration asks for."""

import importlib.util
import os
import shlex
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from snakemake.exceptions import ApiError
from snakemake.logging import logger


class Refusal(ApiError):
    """Something the user can fix. Snakemake prints only the message of an ApiError whose traceback does not name a line
    of a rule file; so this one has no traceback, nor takes one from the context managers that it passes."""

    __traceback__ = property(lambda self: None, lambda self, traceback: None)


SCRIPTS = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent / "scripts"
if not SCRIPTS.is_dir():
    raise Refusal(
        f"{SCRIPTS}: no such folder. Herbarium runs from a clone or an installation on this machine: `git clone` it, and give "
        "the clone's workflow/Snakefile as `-s`, or as `snakefile:` of a module."
    )
# Where the library is: next to the scripts in a clone; an installed one contains this workflow.
LIBRARY = SCRIPTS if (SCRIPTS / "herbarium").is_dir() else SCRIPTS.parents[3]

# Scripts use the library that Python finds first: in a clone that of the clone, whatever is installed.
if LIBRARY == SCRIPTS:
    sys.path.insert(0, str(LIBRARY))
    loaded = importlib.util.find_spec("herbarium.core")  # that of the clone, or what a profile has found installed
    if Path(loaded.origin).resolve() != (LIBRARY / "herbarium/core/__init__.py").resolve():
        for name in [name for name in sys.modules if name.partition(".")[0] == "herbarium"]:
            del sys.modules[name]
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(LIBRARY), os.environ.get("PYTHONPATH")])))
other = importlib.util.find_spec("herbarium")
if other and other.origin and Path(other.origin).resolve() != (LIBRARY / "herbarium/__init__.py").resolve():
    raise Refusal(
        f"Python finds the library herbarium in {Path(other.origin).parent}, not in {LIBRARY} with these rules: numbers "
        "would come from other code than they say. Remove that folder from PYTHONPATH, or uninstall it (`pip uninstall "
        "herbarium-bias`), and run snakemake again."
    )
# Snakemake puts the path of Python into commands unquoted: with a space in it, no job would start
if Path(sys.executable).exists():
    sys.executable = shlex.quote(sys.executable)
# What this workflow asks of Snakemake.
sys.path.append(str(SCRIPTS.parent / "engine"))
import internals

# Jobs start warm in a run by workflow/warm/run.py
WARM = os.environ.get("HERBARIUM_PYTHON")
if WARM:
    sys.executable = shlex.quote(WARM)

from herbarium.core import baseline, provenance, shared
from herbarium.core.downloads import is_address
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.files import placed
from herbarium.core.places import CLONE
from herbarium.core.step import collect_rarely, texts_in
from herbarium.core.targets import filled
from herbarium.models import loading, originals, records
from herbarium.statistics import targets as statistics_targets
from herbarium.study import ahead, extension, faults, left_out, targets


@contextmanager
def told_plainly():
    """Stop with the message of a HerbariumError, and nothing else."""
    try:
        yield
    except HerbariumError as error:
        raise Refusal(str(error)) from None


def plain(section):
    """A section of the configuration as plain data, for the parameters of a rule."""
    return section.model_dump(mode="json")


def says_more(record):
    """Whether a message of Snakemake's says more than that one of our scripts failed, which has reported the reason itself."""
    said = record.getMessage()
    return not ("returned non-zero exit status 1." in said and f'in file "{SCRIPTS.parent}' in said)


logger.addFilter(says_more)
# --configfile replaces the full study instead of being merged into it; a module keeps the configuration that it is given
if not internals.is_configured(workflow):
    with told_plainly():
        faults.require_file(Path("config/everything.yaml"))

    configfile: "config/everything.yaml"


collect_rarely()
with told_plainly():
    CONFIGURATIONS = extension.extend(config, workflow.configfiles)
    ANSWERS = left_out.begin(config, is_dry=internals.is_dry(workflow), is_job=not workflow.is_main_process)
    STUDY, LEFT_OUT = targets.without_idle(partial(left_out.load, config, CONFIGURATIONS), ANSWERS)
    loading.read_lock(STUDY.lock)
    records.check(
        {name: plain(model) for name, model in STUDY.models.items() if model.path or model.adapter},
        {STUDY.origin(name) for name in STUDY.weighted},
    )
    if not LEFT_OUT:  # which may have been the only use of something
        targets.require_used(STUDY)
        targets.require_effect(targets.idle(STUDY))
    TARGETS = targets.of(STUDY)
# What was left out, as people are told of it.
TOLD = left_out.told(config, LEFT_OUT)
# Before it is hashed: an edit in between is noticed by the jobs.
CODE_STATES = baseline.states(provenance.code_files(SCRIPTS, LIBRARY))
# What answers requests: an edit of anything else that the step of a shard reaches changes no answer.
ANSWERED_BY = {
    "a model": (
        "herbarium.models.loading:load_recorded",
        "herbarium.scoring.answering:place",
        "herbarium.scoring.answering:answer",
    ),
    "a server": ("herbarium.scoring.serving:answer",),
}
CALLED = [*ANSWERED_BY.values(), *(names for metric in targets.DECLARED.values() for _, names in metric.calls())]
CODE = provenance.code_hashes(SCRIPTS, LIBRARY, Path(".snakemake/herbarium/code.json"), CALLED)
NEUTRALISED = STUDY.neutralised
# By its place a model, or a source of vectors, has the same colour and marker in all figures.
ORDER = [*STUDY.models, *STUDY.vectors]
for pin, commit in ANSWERS.pins.items():
    what = "content, sha256" if is_address(pin) else "latest commit,"
    logger.info(f"{pin} is pinned to its {what} {commit}, in {STUDY.lock}.")
for sentence in [*left_out.sentences(config, LEFT_OUT), *STUDY.undecidable]:
    logger.warning(sentence)
if workflow.is_main_process:
    for path in STUDY.rules:
        told_by = extension.naming("rules", CONFIGURATIONS) or "the command line"
        logger.info(f"Rules of {path} run with your rights: {told_by} names them (docs/security.md).")
if workflow.is_main_process and not internals.is_dry(workflow):
    for sentence in ahead.sentences(CONFIGURATIONS, STUDY.results, ahead.speed):
        logger.warning(sentence)
# Every file says where in the results folder it belongs.
config["results"] = STUDY.results


def code_of_others(script):
    """Hash of the code that a script from elsewhere reaches."""
    if not script.is_file():
        raise Refusal(f"{script}: no such file. A rule names it as its script.")
    CODE_STATES.update(baseline.states(provenance.code_files_of(script, LIBRARY)))
    return provenance.code_hash(script, LIBRARY)


def ours(path):
    """A file of the workflow itself; by its relative path if the study is in the clone."""
    return path if Path.cwd() == CLONE else str(CLONE / path)


def real_path(pattern, **values):
    """A file as an input function names it, in which `<work>` has no meaning. Wildcards without a value are the job's."""
    return placed(filled(pattern, **values), STUDY.results)


def real_paths(pattern, **values):
    """The files of a pattern as an input function names them, for all combinations of values."""
    return expand(placed(pattern, STUDY.results), allow_missing=True, **values)
