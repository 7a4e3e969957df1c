"""Everything that this workflow asks of Snakemake beyond what its documentation promises.

Each reach was tried on Snakemake 9.27.1; tests/workflow/test_internals.py tries each on the version that is installed,
and says which one a new version has broken. workflow: Snakemake's object of that name.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from snakemake.io import is_flagged
from snakemake.logging import DefaultFormatter, LogEvent, get_event
from snakemake.settings.types import DeploymentMethod
from snakemake_interface_storage_plugins.io import Mtime

# What was asked for on the command line.


def is_module(workflow) -> bool:
    """Whether the rule file that is read belongs to a workflow that another one uses as a module."""
    return not workflow.modifier.is_main_snakefile()


def is_configured(workflow) -> bool:
    """Whether the configuration was given on the command line, or by a workflow that uses this one as a module."""
    return bool(workflow.overwrite_configfiles) or workflow.modifier.skip_configfile


def is_dry(workflow) -> bool:
    """Whether a dry run was asked for, as is known before the jobs are planned."""
    return workflow.output_settings.dryrun


def is_dating(workflow) -> bool:
    """Whether files are only to be dated now (`--touch`)."""
    return bool(workflow.executor_plugin) and workflow.touch


def is_in_containers(workflow) -> bool:
    """Whether scripts run in a container (`--sdm apptainer`)."""
    return DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method


def is_in_storage(workflow) -> bool:
    """Whether the files of jobs are kept in object storage (`--default-storage-provider`)."""
    return bool(workflow.storage_settings.default_storage_provider)


def is_run(workflow) -> bool:
    """Whether jobs are executed: neither a dry run, nor anything else that plans jobs, such as `--dag`."""
    return bool(workflow.executor_plugin) and not workflow.dryrun


def is_without_hooks(workflow) -> bool:
    """Whether a run does not call `onstart`, as was asked for (`--no-hooks`)."""
    return workflow.execution_settings.no_hooks


def targets(workflow) -> list[str]:
    """The targets of the command, as they were given."""
    return sorted(workflow.dag_settings.targets)


def names_in_commands(workflow) -> set[str]:
    """Folders and files that the commands name which start jobs on other machines; none if jobs run on this one."""
    if workflow.local_exec:
        return set()
    return {str(workflow.sourcecache.runtime_cache_path), *map(str, workflow.configfiles)}


# The rules and the jobs.


def alone(workflow) -> dict[str, list[str]]:
    """Rules without wildcards, by name, and their output: they can be targets."""
    return {rule.name: list(map(str, rule.output)) for rule in workflow.rules if not rule.has_wildcards()}


def is_made(workflow, file: str) -> bool:
    """Whether a rule makes this file."""
    return any(rule.is_producer(file) for rule in workflow.rules)


def needed_jobs(workflow) -> list:
    """The jobs that this run executes."""
    return list(workflow.dag.needrun_jobs())


def all_jobs(workflow) -> list:
    """The jobs of this run, and those whose output is there already."""
    return list(workflow.dag.jobs)


def is_passing(workflow, file: str) -> bool:
    """Whether a rule makes this file for others only, so that it is removed (`temp`)."""
    return any(is_flagged(output, "temp") and output.match(file) for rule in workflow.rules for output in rule.output)


def script_of(rule) -> Path:
    """The file of a rule's script."""
    return Path(rule.basedir.join(rule.script).get_path_or_uri(secret_free=True))


def complete(workflow, logs: str, benchmarks: str | None, environments: Path, parameters: Callable) -> None:
    """Give all rules with a script what they share: message, log, benchmark, environment, group, priority, and
    parameters. What they have already stays. Not those of a workflow that uses this one as a module.

    logs, benchmarks: folders; None: no benchmarks. environments: folder of conda's. parameters: further ones of a rule,
    by name.
    """
    for rule in workflow.modifier.rules:
        if not rule.script:
            continue
        slots = re.findall(r"{(\w+)", str(rule.output[0])) if rule.output else []
        place = Path(rule.name, *(f"{{{slot}}}" for slot in dict.fromkeys(slots)))
        told = ", ".join(f"{slot} {{wildcards.{slot}}}" for slot in sorted(rule.wildcard_names))
        rule.message = (rule.docstring or rule.name).partition(".")[0] + (f" ({told})" if told else "")
        # on a cluster, they are one submission; as a module, the rules of the workflow have a prefix
        if re.search(r"(?:^|_)(?:compare|table|draw|part)(?:_|$)", rule.name):
            rule.group = rule.group or "report"
        # before a model is loaded, since a job that has one answers all shards that are planned by then
        if re.search(r"(?:^|_)(?:design|instantiate|plan)(?:_|$)", rule.name):
            rule.priority = rule.priority or 1
        rule.log_modifier = rule.benchmark_modifier = workflow.modifier.path_modifier
        if not rule.log:
            rule.set_log(f"{logs}/{place}.log")
        if rule.output and benchmarks:
            rule.benchmark = f"{benchmarks}/{place}.tsv"
        environment = "scoring" if "gpu" in rule.resources else "analysis"  # what takes a GPU runs a model
        rule.conda_env = rule.conda_env or str(environments / f"{environment}.yaml")
        given = set(rule.params.keys())
        rule.set_params(**{name: value for name, value in parameters(rule).items() if name not in given})


# What is done between the steps of a run.


@contextmanager
def _followed_by(act: Callable):
    yield
    act()


def before_planning(workflow, act: Callable) -> None:
    """Do something before the jobs are planned."""
    workflow._prepare_dag = _followed_by(act)(workflow._prepare_dag)


def once_planned(workflow, act: Callable) -> None:
    """Do something once the jobs are planned, before any runs."""
    workflow._build_dag = _followed_by(act)(workflow._build_dag)


def force(workflow, files: Iterable[str]) -> None:
    """Have files made again, as far as they are asked for. To be called before the jobs are planned."""
    workflow.dag.forcefiles |= set(files)


def remember_dates(workflow, dates: Mapping[str, float]) -> None:
    """Have files taken for as old as we say, in seconds since 1970. To be called before the jobs are planned."""
    workflow.iocache.mtime.update({file: Mtime(local=date) for file, date in dates.items()})


def record_inputs(workflow, checksums: Mapping[str, str]) -> None:
    """Have these checksums (SHA-256) of inputs recorded, instead of what Snakemake finds some time after a job."""
    write = workflow.persistence._write_record

    def act(key, record):
        inputs = record.input_checksums or {}
        planned = {file: f"sha256:{checksums[file]}" for file in inputs.keys() & checksums.keys()}
        record.input_checksums = inputs | planned
        write(key, record)

    workflow.persistence._write_record = act


def rest_between_jobs(workflow) -> None:
    """Schedule waiting jobs when a job ends, and not once more per second for every job that has ended.

    Snakemake does the latter for a limit that it sets on its own, 100 starts a second: a fifth of a core after two
    hundred jobs, and ever more. A limit that the user asks for stays.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


# What a run shows.


class LineByLine(DefaultFormatter):
    """One line as a job starts. A dry run says why it runs; the rest is in Snakemake's log."""

    TOO_MUCH = frozenset({LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS})

    def __init__(self, usual: DefaultFormatter, n_jobs: int):
        super().__init__(usual.quiet, usual.show_failed_logs)
        self.n_jobs, self.n_started = n_jobs, 0

    def format_job_info(self, job: dict) -> str:
        self.n_started += 1
        return f"[{time.strftime('%H:%M:%S')}] {self.n_started} of {self.n_jobs}: {job['rule_msg'] or job['rule_name']}"

    @classmethod
    def is_wanted(cls, record) -> bool:
        return get_event(record) not in cls.TOO_MUCH and record.getMessage() != "Select jobs to execute..."


def say_less(workflow, logger) -> None:
    """Show the lines of `LineByLine` instead of all of Snakemake's output, unless that is asked for (--verbose)."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not workflow.output_settings.verbose:
            handler.setFormatter(LineByLine(handler.formatter, len(needed_jobs(workflow))))
            handler.addFilter(LineByLine.is_wanted)
