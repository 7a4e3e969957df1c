"""How long the demo takes if its jobs start warm (workflow/warm/), compared with jobs that start as new processes.

Wanted: at most 60 % of the time. Both run in folders of their own, one after the other.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from studies.benchmarks.shared import Figure, say, size, timed
from tests.workflow.conftest import copy_project

TARGETS = size([], ["results/demo/work/regions.parquet"])
WARM = [sys.executable, "workflow/warm/run.py"]


def measured(before: list[str]) -> tuple[float, float]:
    """Seconds that the demo takes, by the clock and on all cores. before: of the command."""
    command = [*before, "snakemake", *TARGETS, "--cores", str(os.cpu_count()), "--resources", "gpu=1"]
    with tempfile.TemporaryDirectory() as folder:
        copy_project(Path(folder))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = [*command, "--configfile", "config/demo.yaml"]
        seconds, _ = timed(lambda: subprocess.run(run, cwd=folder, check=True, capture_output=True))
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def main() -> None:
    (seconds, cpu), (warm_seconds, warm_cpu) = measured([]), measured(WARM)
    say(
        f"demo: {seconds:.0f} s, of a core {cpu:.0f} s; warm {warm_seconds:.0f} s, of a core {warm_cpu:.0f} s",
        Figure("demo", warm_seconds, "s"),
        Figure("demo, time", warm_seconds / seconds, peer="jobs as new processes"),
        Figure("demo, CPU time", warm_cpu / cpu, peer="jobs as new processes"),
    )


if __name__ == "__main__":
    main()
