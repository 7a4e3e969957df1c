"""Around a run: required models, one run at a time in a results folder, and records of what made each
file, which travel with the results.
"""

import fcntl
import filecmp
import json
import math
import os
import shlex
import shutil
import time
from base64 import urlsafe_b64decode
from pathlib import Path
from types import ModuleType

from herbarium.core import places, store
from snakemake.io import is_flagged
from snakemake.logging import DefaultFormatter, LogEvent, get_event
from snakemake.settings.types import DeploymentMethod
from snakemake_interface_storage_plugins.io import Mtime


def refuse_taken_names(path, before):
    """Stop when a rule file from elsewhere redefines a name of the workflow, which rules that are read later or run
    would use. before: all names with what they meant before the file was read."""
    for name, meant in before.items():
        is_ours = name.isupper() or callable(meant) or isinstance(meant, ModuleType)
        if is_ours and globals()[name] is not meant:
            raise Refusal(f"{path}: '{name}' is a name of the workflow itself (workflow/rules/); choose another one.")


def image():
    """The container image that scripts run in with `--sdm apptainer`; None without (docs/container.md)."""
    if DeploymentMethod.APPTAINER not in workflow.deployment_settings.deployment_method:
        return None
    given = os.environ.get("HERBARIUM_IMAGE")
    if not given or not ("://" in given or Path(given).exists()):
        raise Refusal(
            f"HERBARIUM_IMAGE must name the image for --sdm apptainer, but {given or 'it is not set'}"
            f"{' is not a file' if given else ''}. docs/container.md says how to build one."
        )
    return given


def require_one_disk():
    """Stop if Snakemake would keep the files of jobs in object storage: a record of a model names the folder that jobs
    load it from, and a shard's answers so far are not an output that Snakemake would upload."""
    if workflow.storage_settings.default_storage_provider:
        raise Refusal(
            "--default-storage-provider: all jobs of Herbarium must share a disk. docs/cluster.md "
            "(Without a shared disk) says how to run it in a cloud."
        )


def rest_between_jobs():
    """Schedule waiting jobs when a job ends, and not once more per second for every job that has ended.

    Snakemake does the latter for a limit that it sets on its own, 100 starts a second: a fifth of a core after two hundred
    jobs, and ever more. A limit that the user asks for stays.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


class LineByLine(DefaultFormatter):
    """What a run shows on the screen: one line as a job starts. A dry run says why it runs; the rest is in Snakemake's log."""

    TOO_MUCH = {LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS}

    def __init__(self, of, n_jobs):
        super().__init__(of.quiet, of.show_failed_logs)
        self.n_jobs, self.n_started = n_jobs, 0

    def format_job_info(self, job):
        self.n_started += 1
        return f"[{time.strftime('%H:%M:%S')}] {self.n_started} of {self.n_jobs}: {job['rule_msg'] or job['rule_name']}"

    @classmethod
    def is_wanted(cls, record):
        return get_event(record) not in cls.TOO_MUCH and record.getMessage() != "Select jobs to execute..."


def say_less():
    """Show the lines of `LineByLine` instead of all of Snakemake's output, unless that is asked for (--verbose)."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not workflow.output_settings.verbose:
            handler.setFormatter(LineByLine(handler.formatter, len(list(workflow.dag.needrun_jobs()))))
            handler.addFilter(LineByLine.is_wanted)


def name_results():
    """At the end of a run: the page, the table of all numbers, and what a few metrics found first."""
    # in full if the run may have been started from elsewhere
    results = Path("" if Path.cwd() == CLONE else Path.cwd(), STUDY.results)
    page, table = results / "report/index.html", results / "summary.csv"
    if not page.is_file():  # not all runs make it
        return
    from herbarium.report.part import from_record, headline  # with what draws figures: slow, and only needed here

    parts = [Path(placed(file, STUDY.results)) for file in TARGETS.parts]
    with told_plainly():
        found = [headline(from_record(store.read_record(path))) for path in parts if path.is_file()]
    lines = [f"Page: {page}", f"All numbers: {table}", *[line for line in found if line][:3]]
    logger.info("\n".join(lines))


def resolved_models():
    """The models of the study whose weights are found in this run, by their keys, as plain data."""
    jobs = [job for job in workflow.dag.needrun_jobs() if job.rule.script == rules.resolve_model.rule.script]
    return loading.with_adapters(
        {f"models.{name}": plain(STUDY.models[name]) for name in sorted(job.wildcards.model for job in jobs)}
    )


def require_models():
    """Stop before the first job when a model or data set of this run is not available."""
    jobs = [(job.rule.name, dict(job.wildcards.items())) for job in workflow.dag.needrun_jobs()]
    read = [
        of
        for of in TARGETS.sources
        if any(of.rule == rule and of.wildcards.items() <= own.items() for rule, own in jobs)
    ]
    with told_plainly():
        loading.require_available(resolved_models() | {of.key: of.entry for of in read if not of.is_data}, STUDY.lock)
        sources.require_available({of.key: of.entry for of in read if of.is_data})
        training_targets.require_equal(STUDY, sorted({of["parallel"] for rule, of in jobs if rule == "align_words"}))
        training_targets.require_terms(STUDY, sorted(of["corpus"] for rule, of in jobs if rule == "swap_corpus"))
        changing = ("train_continued", "project_model", "train_advice")
        changed = [of["model"] for rule, of in jobs if rule in changing]
        training_targets.require_trainable(STUDY, sorted(changed))


def require_targets():
    """Stop if a target of the command is neither a rule, nor a file that is there or that a rule makes."""
    alone = [rule for rule in workflow.rules if not rule.has_wildcards()]
    made = {name: name for rule in alone for name in (rule.name, *map(str, rule.output))}
    for target in sorted(workflow.dag_settings.targets):
        if not (target in made or Path(target).exists() or any(named.is_producer(target) for named in workflow.rules)):
            goals = [rule.name for rule in alone if not rule.output]
            raise Refusal(f"No rule to produce {target}{did_you_mean(target, goals, made)}")


@contextmanager
def followed_by(act):
    """Decorate a function of Snakemake's with what is done after it. A function around it would be named in errors."""
    yield
    act()


def name_unpinned():
    """Let a dry run stop for hub models without a commit, too. Only a real run asks whether the hub has them."""
    if workflow.dryrun:
        with told_plainly():
            loading.require_pinned(resolved_models(), STUDY.lock)


def require_plain_names():
    """Stop when the name of a file of this run could be part of a command, wherever it comes from: the contents of a folder,
    for example. On a cluster, the commands that start jobs name a few folders more."""
    names = {str(file) for job in workflow.dag.jobs for file in (*job.input, *job.output, *job.log)}
    if not workflow.local_exec:
        names |= {os.getcwd(), str(CLONE), *shlex.split(sys.executable), str(workflow.sourcecache.runtime_cache_path)}
        names |= set(map(str, workflow.configfiles))
    if faults := [fault for name in sorted(names) if (fault := places.fault_of_name(name))]:
        raise Refusal("\n".join(f"{fault}." for fault in faults))


# Snakemake's records of what made each file (parameters, inputs with their checksums). Those of the results travel with
# them, so that a folder of results that is copied into a fresh clone is as good as one that was made there.
RECORDS = Path(".snakemake", "metadata")
TRAVELLING = Path(STUDY.results, RECORDS)
# Files that came along count as three centuries older than they are, and so as older than any input that did not come
# with them: Snakemake compares by content only inputs that are newer than the file they made.
AGES = 10_000_000_000  # s
# A record that came along is dated this long before its file. Snakemake does not look at the dates of records, and those
# that it writes are younger than their files.
CAME_ALONG = 1_000_000_000  # s


def records(folder):
    """The records of the results in a folder, each with the path of its file: Snakemake names them by that, encoded and
    cut. Other files there, by chance or by malice, are ignored."""
    results = os.path.abspath(STUDY.results)
    for path in sorted(folder.rglob("[!.]*")):
        if path.is_file():
            parts = path.relative_to(folder).parts
            encoded = "".join(part.removeprefix("@") for part in parts)
            try:
                file = urlsafe_b64decode(encoded).decode()
                is_ours = os.path.abspath(file).startswith(f"{results}{os.sep}")
            except ValueError:  # not an encoded name of a file
                continue
            if is_ours:
                yield path.relative_to(folder), file


def copy_record(name, source, target, date=None):
    """Copy a record completely or not at all: a run can be killed at any time. date: of the copy, in seconds since 1970."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    partial = target / f".{os.getpid()}.partial"
    try:
        shutil.copy2(source / name, partial)
        store.share(partial)
        if date is not None:
            os.utime(partial, (date, date))
        os.replace(partial, target / name)
    finally:
        partial.unlink(missing_ok=True)


def give_records():
    """After a run: put the records of the results next to them."""
    try:
        for name, _ in records(RECORDS):
            known = TRAVELLING / name
            if not (known.exists() and filecmp.cmp(RECORDS / name, known)):
                copy_record(name, RECORDS, TRAVELLING)
    except OSError as error:
        logger.warning(
            f"The records of what made each result could not be written next to the results, for copies of the folder: {error}"
        )


def made(record):
    """When the file of a record was made, in seconds since 1970; never if the record cannot be read."""
    try:
        return float(json.loads(record.read_text())["endtime"])
    except (OSError, ValueError, LookupError, TypeError):
        return -math.inf


def same_time(one, other):
    return abs(one - other) < 1  # s; some network file systems round


def take_records():
    """Before Snakemake looks at records: take those that came with results which were not made in this folder.

    Returns when each file that came along was made, those left out that were made again or edited since.
    """
    came = {}
    for name, file in records(TRAVELLING):
        known, path = RECORDS / name, Path(file)
        if not path.exists() or made(TRAVELLING / name) == -math.inf:  # a file, or a folder that a rule makes
            continue
        date = path.stat().st_mtime
        is_new = not (known.exists() and filecmp.cmp(TRAVELLING / name, known))
        # a record of a file that was made here is kept, unless another file took its place
        if is_new and not same_time(date, made(known)):
            copy_record(name, TRAVELLING, RECORDS, date - CAME_ALONG)
        if same_time(date - CAME_ALONG, known.stat().st_mtime):
            came[file] = made(known)
    return came


def compare_by_content(came):
    """Let Snakemake compare all inputs of files that came along by content, and the files among themselves by when they
    were made, whatever their dates here. Nothing is written: Snakemake's memory of the dates of files is filled
    before it looks at them.
    """

    def fill():
        workflow.iocache.mtime.update({file: Mtime(local=when - AGES) for file, when in came.items()})

    workflow._prepare_dag = followed_by(fill)(workflow._prepare_dag)


def lost():
    """Files in the record of the run that no longer exist: for example because the job for one was killed.

    Snakemake makes a missing file only if something is yet to be made from it.
    """
    try:
        record = store.read_record(Path(STUDY.results, "run.json"))
    except HerbariumError:  # there is none, or it will be made again
        return set()
    files = {f"{STUDY.results}/{place}" for place in record["files"]}
    for model in record["models"].values():
        files |= {f"{model['path']}/{name}" for name in model["files"]}
    passing = [output for rule in workflow.rules for output in rule.output if is_flagged(output, "temp")]
    return {file for file in files if not Path(file).exists() and not any(output.match(file) for output in passing)}


def make_lost_files():
    """Let Snakemake make those files again, as far as they are asked for."""

    def force():
        workflow.dag.forcefiles |= lost()

    workflow._prepare_dag = followed_by(force)(workflow._prepare_dag)


def claim_results():
    """Stop before the first job when the results cannot be written, or are being written by a run of another clone, which
    Snakemake's own lock does not cover."""
    lock = TRAVELLING.with_name("lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        # never closed: the lock holds until the process ends, however it does
        claimed = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise Refusal(
            f"{error.filename}: {error.strerror}. Snakemake must be able to write there; to use another "
            "folder, set `results:` in the configuration."
        ) from None
    try:
        fcntl.flock(claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refusal(
            f"Another run is writing into {STUDY.results}. Wait until it ends: what it makes will not be made again."
        ) from None
    except OSError as error:  # its type depends on the file system
        logger.warning(
            f"{STUDY.results}: its file system has no locks ({error.strerror}), so two runs at once would not be "
            "noticed: do not start another one from another clone before this one has ended."
        )


def study_hashes():
    """What decides which jobs there are and with which parameters: a hash of each, by its name in words."""
    files = [SCRIPTS.parent / "Snakefile", *sorted(SCRIPTS.parent.glob("rules/*.smk")), *STUDY.rules]
    rule_files = {str(path): provenance.file_hash(path) for path in files}
    pins = provenance.value_hash(loading.read_lock(STUDY.lock))
    return {"the configuration": provenance.value_hash(config), str(STUDY.lock): pins, **rule_files}


def keep_baseline():
    """Write down without which models this run was planned, and from what, which its jobs compare with what they find
    (`step.begin`), and let Snakemake record the inputs of a job as they were then: it reads them once more some time
    after the job."""
    left_out.write(Path(STUDY.results), LEFT_OUT)
    jobs = list(workflow.dag.needrun_jobs())
    made = {file for job in workflow.dag.jobs for file in job.output}
    sources = {}  # whether a file is nothing but a text, by its path
    for job in jobs:
        texts = texts_in(job.input)
        for file in job.input:
            if file not in made and os.path.isfile(file):
                sources[str(file)] = sources.get(str(file), True) and file in texts
    with told_plainly():
        try:
            earlier = baseline.read(STUDY.results)
        except (HerbariumError, TypeError):  # of another version
            earlier = None
        planned = baseline.Baseline(
            study=STUDY_HASHES,
            code=CODE_STATES,
            hashes={job.rule.name: of for job in jobs if isinstance(of := job.rule.params.get("code"), str)},
            sources=baseline.examine(sources, earlier),
        )
        baseline.write(STUDY.results, planned)
    workflow.persistence._write_record = with_inputs_of(planned, workflow.persistence._write_record)


def keep_baseline_without_hooks():
    """As `keep_baseline`, in a run for which Snakemake does not call `onstart`."""
    is_run = workflow.executor_plugin and not workflow.dryrun  # and nothing else that has a graph
    if is_run and (IS_MODULE or workflow.execution_settings.no_hooks):
        keep_baseline()


def with_inputs_of(planned, write):
    """Decorate how Snakemake writes the record of a file."""
    checksums = {file: f"sha256:{of}" for file, (_, of) in planned.sources.items() if not provenance.is_of_text(of)}

    def act(key, record):
        inputs = record.input_checksums or {}
        record.input_checksums = inputs | {file: checksums[file] for file in inputs.keys() & checksums.keys()}
        write(key, record)

    return act


require_one_disk()
IS_MODULE = not workflow.modifier.is_main_snakefile()
STUDY_HASHES = study_hashes()
if not workflow.is_main_process and (planned := baseline.read(STUDY.results)):  # of a job on another machine
    with told_plainly():
        baseline.require_same_study(planned, STUDY_HASHES)
if workflow.is_main_process:
    # without it, Snakemake would take the folder for that of an old version
    RECORDS.with_name("incomplete").mkdir(parents=True, exist_ok=True)
    compare_by_content(take_records())
    make_lost_files()
    workflow._prepare_dag = followed_by(require_targets)(workflow._prepare_dag)
    workflow._build_dag = followed_by(require_plain_names)(followed_by(name_unpinned)(workflow._build_dag))
    workflow._build_dag = followed_by(keep_baseline_without_hooks)(workflow._build_dag)
