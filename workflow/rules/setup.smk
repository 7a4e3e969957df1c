"""Around a run: required models, one run at a time in a results folder, and records of what made each
file, which travel with the results. What is asked of Snakemake for this is in workflow/engine/.
"""

import os
import shlex
import time
from pathlib import Path
from types import ModuleType

from herbarium.core import clock, places
from herbarium.core.claim import claim
from herbarium.core.console import is_cut
from herbarium.scoring import sharing
from herbarium.study import run as run_records

import travelling

BEGUN = time.time() - 60  # some clocks of other machines are behind


def refuse_taken_names(path, before):
    """Stop when a rule file from elsewhere redefines a name of the workflow, which rules that are read later or run
    would use. before: all names with what they meant before the file was read."""
    for name, meant in before.items():
        is_ours = name.isupper() or callable(meant) or isinstance(meant, ModuleType)
        if is_ours and globals()[name] is not meant:
            raise Refusal(f"{path}: '{name}' is a name of the workflow itself (workflow/rules/); choose another one.")


def image():
    """The container image that scripts run in with `--sdm apptainer`; None without (docs/container.md)."""
    if not internals.is_in_containers(workflow):
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
    if internals.is_in_storage(workflow):
        raise Refusal(
            "--default-storage-provider: all jobs of Herbarium need a shared file system. docs/cluster.md "
            "(Without a shared file system) says how to run it in a cloud."
        )


def shared_parameters(step):
    """The parameters that every rule with a script has."""
    writes_csv = any(str(path).endswith(".csv") for path in step.output)
    safe = {"spreadsheet_safe": STUDY.spreadsheet_safe} if writes_csv else {}
    return {"code": code_reached(step), **safe}


def name_results():
    """At the end of a run: the page, the table of all numbers, and the first rows of the first screen."""
    # in full if the run may have been started from elsewhere
    results = Path("" if Path.cwd() == CLONE else Path.cwd(), STUDY.results)
    page, table = results / "report/index.html", results / "summary.csv"
    if not page.is_file():  # not all runs make it
        return
    from herbarium.report.answers import in_words  # with what draws figures: slow, and only needed here
    from herbarium.study.results import read_headline

    with told_plainly():
        first_rows = in_words(read_headline(results / "headline.csv"))
    lines = [f"Page: {page}", f"All numbers: {table}", *first_rows]
    logger.info("\n".join(lines))


def resolved_models():
    """The models of the study whose weights are found in this run, by their keys, as plain data."""
    script = rules.resolve_model.rule.script
    names = sorted(job.wildcards.model for job in internals.needed_jobs(workflow) if job.rule.script == script)
    return loading.with_adapters({f"models.{name}": plain(STUDY.models[name]) for name in names})


def require_models():
    """Stop before the first job when a model or data set of this run is not available."""
    jobs = [(job.rule.name, dict(job.wildcards.items())) for job in internals.needed_jobs(workflow)]
    read = [
        source
        for source in TARGETS.sources
        if any(source.rule == rule and source.wildcards.items() <= wildcards.items() for rule, wildcards in jobs)
    ]
    with told_plainly():
        others = {source.key: source.entry for source in read if not source.is_data}
        loading.require_available(resolved_models() | others, STUDY.lock)
        sources.require_available({source.key: source.entry for source in read if source.is_data})
        training_targets.require_equal(STUDY, sorted({job["parallel"] for rule, job in jobs if rule == "align_words"}))
        training_targets.require_terms(STUDY, sorted(job["corpus"] for rule, job in jobs if rule == "swap_corpus"))
        changing = ("train_continued", "project_model", "train_advice")
        changed = [wildcards["model"] for rule, wildcards in jobs if rule in changing]
        training_targets.require_trainable(STUDY, sorted(changed))


def require_targets():
    """Stop if a target of the command is neither a rule, nor a file that is there or that a rule makes."""
    alone = internals.alone(workflow)
    made = {name: name for rule, output in alone.items() for name in (rule, *output)}
    for target in internals.targets(workflow):
        if not (target in made or Path(target).exists() or internals.is_made(workflow, target)):
            goals = [rule for rule, output in alone.items() if not output]
            raise Refusal(f"No rule to produce {target}{did_you_mean(target, goals, made)}")


def require_plain_names():
    """Stop when the name of a file of this run could be part of a command, wherever it comes from: the contents of a folder,
    for example. On a cluster, the commands that start jobs name a few folders more."""
    names = {str(file) for job in internals.all_jobs(workflow) for file in (*job.input, *job.output, *job.log)}
    if more := internals.names_in_commands(workflow):
        names |= {*more, os.getcwd(), str(CLONE), *shlex.split(sys.executable)}
    if faults := [fault for name in sorted(names) if (fault := places.fault_of_name(name))]:
        raise Refusal("\n".join(f"{fault}." for fault in faults))


def require_clock():
    """Stop when a file that jobs of this run read is dated after now, unless all files are to be dated now."""
    if not internals.is_dating(workflow):
        jobs = internals.needed_jobs(workflow)
        made = {str(file) for job in jobs for file in job.output}
        with told_plainly():
            clock.require_past(
                {str(file) for job in jobs for file in job.input} - made, clock.now(Path(".snakemake/herbarium"))
            )


def say_killed():
    """After a run that failed: name the jobs that the system killed, which could not say so themselves."""
    cut = [job for job in internals.needed_jobs(workflow) if any(is_cut(log, BEGUN) for log in job.log)]
    for job in cut:
        logger.error(
            f"Killed by the system: {job.message or job.rule.name}. Its log ends before the job did: {job.log[0]}"
        )
    if cut:
        logger.error(
            "Mostly there is not enough memory. What helps: fewer jobs at once (`--resources mem_mb=…`, `--cores`); for a "
            "model, `dtype: bfloat16`; for a large study, more `shards`. On a cluster, also more `mem_mb` or `runtime` for "
            "the rule. What is done is kept: the same command continues from here."
        )


def give_records():
    """After a run: put the records of the results next to them."""
    try:
        travelling.give(STUDY.results)
    except OSError as error:
        logger.warning(
            f"The records of what made each result could not be written next to the results, for copies of the folder: {error}"
        )


def make_lost_files():
    """Let Snakemake make those files of the results again that a run had made and that are gone or no longer those: by
    itself, it makes a missing file only if something is yet to be made from it, and looks only at the date of one that is there.
    """
    with told_plainly():
        lost = run_records.lost(STUDY.results) | run_records.replaced(STUDY.results)
    internals.force(workflow, [file for file in lost if not internals.is_passing(workflow, file)])


def claim_results():
    """Stop before the first job when the results cannot be written, or are being written by another run."""
    with told_plainly():
        if warning := claim(STUDY.results):
            logger.warning(warning)


def study_hashes():
    """What decides which jobs there are and with which parameters: a hash of each, by its name in words."""
    ours = [file for kind in ("rules/*.smk", "engine/*.py") for file in sorted(SCRIPTS.parent.glob(kind))]
    files = [SCRIPTS.parent / "Snakefile", *ours, *STUDY.rules]
    rule_files = {str(path): provenance.file_hash(path) for path in files}
    pins = provenance.value_hash(loading.read_lock(STUDY.lock))
    return {"the configuration": provenance.value_hash(config), str(STUDY.lock): pins, **rule_files}


def shards_to_answer():
    """The shards that this run answers."""
    jobs = internals.needed_jobs(workflow)
    made = {file for job in jobs for file in job.output}
    script = rules.score_shard.rule.script
    return [
        sharing.Shard(
            **dict(job.wildcards.items()),
            record=job.input.model,
            inputs=job.input.inputs,
            requests=job.input.requests,
            output=job.output[0],
            is_planned=made.isdisjoint([job.input.inputs, job.input.requests]),
        )
        for job in jobs
        if job.rule.script == script
    ]


def keep_baseline():
    """Write down without which models this run was planned, which shards its jobs share, and from what it was planned,
    which they compare with what they find (`step.begin`). Let Snakemake record the inputs of a job as they were then: it
    reads them once more some time after the job."""
    left_out.write(Path(STUDY.results), LEFT_OUT)
    sharing.write(STUDY.results, shards_to_answer())
    jobs = internals.needed_jobs(workflow)
    made = {file for job in internals.all_jobs(workflow) for file in job.output}
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
            hashes={
                baseline.job_key(job.rule.name, job.params.get("does", ())): job.params.code
                for job in jobs
                if isinstance(job.params.get("code"), str)
            },
            sources=baseline.examine(sources, earlier),
        )
        baseline.write(STUDY.results, planned)
    checksums = {file: sha for file, (_, sha) in planned.sources.items() if not provenance.is_of_text(sha)}
    internals.record_inputs(workflow, checksums)


def keep_baseline_without_hooks():
    """As `keep_baseline`, in a run for which Snakemake does not call `onstart`."""
    if internals.is_run(workflow) and (IS_MODULE or internals.is_without_hooks(workflow)):
        keep_baseline()


require_one_disk()
IS_MODULE = internals.is_module(workflow)
STUDY_HASHES = study_hashes()
if not workflow.is_main_process and (planned := baseline.read(STUDY.results)):  # of a job on another machine
    with told_plainly():
        baseline.require_same_study(planned, STUDY_HASHES)
if workflow.is_main_process:
    # without it, Snakemake would take the folder for that of an old version
    travelling.RECORDS.with_name("incomplete").mkdir(parents=True, exist_ok=True)
    internals.before_planning(
        workflow, lambda dates=travelling.take(STUDY.results): internals.remember_dates(workflow, dates)
    )
    internals.before_planning(workflow, make_lost_files)
    internals.before_planning(workflow, require_targets)
    internals.once_planned(workflow, require_plain_names)
    internals.once_planned(workflow, require_clock)
    internals.once_planned(workflow, keep_baseline_without_hooks)
