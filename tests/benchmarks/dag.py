"""How long a dry run of the full study takes, and how much memory.

Wanted: less than 15 s and 1 GB. Every job on a cluster reads the rules anew too.
"""

import os
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import yaml

MOST_SECONDS, MOST_MB = 15, 1000


def main() -> None:
    models = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))["models"].values()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as lock:  # a model without a commit stops a dry run
        yaml.safe_dump({model["hub"]: "0" * 40 for model in models if "hub" in model}, lock)
        command = ["snakemake", "-n", "--forceall", "--configfile", "config/config.yaml", "--config"]
        offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
        start = time.perf_counter()
        done = subprocess.run([*command, f"lock={lock.name}"], check=True, capture_output=True, text=True, env=offline)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    (jobs,) = set(re.findall(r"^total +(\d+)$", done.stdout + done.stderr, re.MULTILINE))
    said = f"{seconds:.1f} s, of these {used.ru_utime + used.ru_stime:.1f} s on a core, {used.ru_maxrss / 1024:.0f} MB"
    print(f"dry run of the full study: {jobs} jobs, {said} (wanted: {MOST_SECONDS} s, {MOST_MB} MB)")


if __name__ == "__main__":
    main()
