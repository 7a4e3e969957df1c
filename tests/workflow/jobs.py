"""Every job of a study, to compare before and after a change of rules: `python tests/workflow/jobs.py STUDY JOBS`.

Writes a line of JSON for each: rule, wildcards, inputs, outputs, log, parameters, resources, environment. Two states of
the project plan the same study if the lines are the same.
"""

import json
import os
import sys
from pathlib import Path


def lines(workflow):
    """A line for each job, in order."""
    return sorted(json.dumps(described(job), sort_keys=True, default=str) for job in workflow.dag.jobs)


def described(job):
    resources = {name: value for name, value in job.resources.items() if name != "tmpdir"}
    return {
        "rule": job.rule.name,
        "wildcards": dict(job.wildcards.items()),
        "input": sorted(map(str, job.input)),
        "output": sorted(map(str, job.output)),
        "log": sorted(map(str, job.log)),
        "params": {name: repr(value) for name, value in sorted(job.params.items())},
        "resources": resources,
        "threads": job.threads,
        "group": job.group,
        "conda": str(job.rule.conda_env),
        "message": job.message,
    }


def main(study, path, *targets):
    from snakemake import cli
    from snakemake.executors.dryrun import Executor

    def write_all(executor, _):
        Path(path).write_text("\n".join(lines(executor.workflow)) + "\n")
        os._exit(0)

    Executor.run_job = write_all
    options = ["--forceall", "--quiet", "all", "--cores", "8", "--resources", "gpu=1", "--configfile", study]
    cli.main(["-n", *targets, *options])


if __name__ == "__main__":
    main(*sys.argv[1:])
