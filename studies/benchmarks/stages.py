"""Bytes, seconds and memory of each stage from sentences to numbers (`make bench`): the rows of docs/cost.md.

The published wording of HERB about 2,700 regions, 300,000 sentences in one shard, with a model so small that
scoring is what remains without one. The workflow itself runs, one job at a time, each with a start of its own.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import yaml
from studies.benchmarks.shared import Figure, say, size

from herbarium.core import store
from herbarium.core.files import WORK

# What each stage leaves in the folder of work, without the records of its rules.
STAGES = {
    "instantiate_herb": "stimuli/herb/*.parquet",
    "plan_scoring": "plans/tiny/herb/*.parquet",
    "score_shard": "scores/tiny/herb/*.parquet",
    "gather_scores": "scores/tiny/herb.parquet",
    "assemble_herb": "likelihoods/**/tiny.parquet",
    "measure_herb": "*/herb*/tiny.parquet",
}
DEPARTURES = ["no_full_stop", "odd_spaces", "pad_mean", "last_pair", "single_alpha", "unit_V", "raw_top", "last_leaf"]
STUDY = {
    "shards": 1,
    "testbed": {"steps": 20, "batch_size": 32},
    "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
    "regions": {"cities": {"min_population": size(230_000, 5_000_000)}},
    "herb": {
        "substitutes": {},
        "released": dict.fromkeys([*DEPARTURES, "childless", "last_name"], False),
        "representations": False,
    },
}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        results, configuration = Path(name) / "results", Path(name) / "study.yaml"
        work = results / WORK
        store.write_text(configuration, yaml.safe_dump({"results": str(results), **STUDY}))
        command = ["snakemake", "--cores", "1", "--resources", "gpu=1", "--configfile", str(configuration)]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        wanted = str(work / "metrics/herb/tiny.parquet")
        subprocess.run(
            [*command, "--quiet", "all", "--", wanted], check=True, env=environment, stdout=subprocess.DEVNULL
        )
        millions = store.count_rows(work / "scores/tiny/herb.parquet", "scores") / 1e6
        say(f"{millions:.2f} million sentences")
        for rule, left in STAGES.items():
            mb = sum(path.stat().st_size for path in work.glob(left)) / 2**20
            (measured,) = (work / "benchmarks" / rule).glob("**/*.tsv")
            took = pd.read_csv(measured, sep="\t").iloc[0]
            figures = {"MB per million sentences": mb / millions, "s": took["s"], "MB of memory": took["max_rss"]}
            text = ", ".join(f"{value:.1f} {unit}" for unit, value in figures.items())
            say(f"{rule}: {text}", *(Figure(rule, value, unit) for unit, value in figures.items()), threads=1)


if __name__ == "__main__":
    main()
