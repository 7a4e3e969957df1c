"""How long a dry run of the full study takes, and how much memory.

Wanted: less than 15 s and 1 GB. Every job on a cluster reads the rules anew too.
"""

import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import yaml
from studies.benchmarks.shared import Figure, say, size, timed

MOST_SECONDS, MOST_MB = 15, 1000
STUDY = size("config/core.yaml", "config/demo.yaml")


def main() -> None:
    models = yaml.safe_load(Path(STUDY).read_text(encoding="utf-8"))["models"].values()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as lock:  # a model without a commit stops a dry run
        yaml.safe_dump({model["hub"]: "0" * 40 for model in models if "hub" in model}, lock)
        command = ["snakemake", "-n", "--forceall", "--configfile", STUDY, "--config", f"lock={lock.name}"]
        offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
        seconds, done = timed(lambda: subprocess.run(command, check=True, capture_output=True, text=True, env=offline))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (jobs,) = set(re.findall(r"^total +(\d+)$", done.stdout + done.stderr, re.MULTILINE))
    mb = used.ru_maxrss / 1024
    text = f"{seconds:.1f} s, of these {used.ru_utime + used.ru_stime:.1f} s on a core, {mb:.0f} MB"
    say(
        f"dry run of {STUDY}: {jobs} jobs, {text} (wanted: {MOST_SECONDS} s, {MOST_MB} MB)",
        Figure("dry run", seconds, "s"),
        Figure("dry run, time", seconds / MOST_SECONDS, peer="what is wanted"),
        Figure("dry run, memory", mb / MOST_MB, peer="what is wanted"),
    )


if __name__ == "__main__":
    main()
