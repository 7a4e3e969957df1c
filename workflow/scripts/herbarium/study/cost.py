"""The cost of a finished study, rule by rule: `python -m herbarium.study.cost RESULTS TABLE` writes it as CSV.

Snakemake measures every job (results/work/benchmarks/), and the record of the run says which rule made a file.
"""

import sys
from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.files import WORK
from herbarium.study import run

COLUMNS = ["rule", "jobs", "wall_s", "longest_s", "cpu_s", "memory_mb", "files", "mb"]


def by_rule(results: Path) -> pd.DataFrame:
    """One row per rule, the one with the most CPU seconds first.

    - jobs: in their last run; wall_s, cpu_s: their total seconds; longest_s: of the longest job; memory_mb: the largest
      resident set of a job
    - files, mb: that they left. Weights count for the rule that wrote the record next to their folder.

    Raises HerbariumError for a folder without the record of a complete run.
    """
    made_by = {place: file["rule"] for place, file in run.read(results)["files"].items()}
    measured = results / WORK / "benchmarks"
    jobs = pd.concat([_jobs(path, measured) for path in sorted(measured.glob("**/*.tsv"))])
    took = jobs.groupby("rule").agg(
        jobs=("s", "size"),
        wall_s=("s", "sum"),
        longest_s=("s", "max"),
        cpu_s=("cpu_time", "sum"),
        memory_mb=("max_rss", "max"),
    )
    left = pd.DataFrame(
        [
            {"rule": rule, "files": 1, "mb": path.stat().st_size / 2**20}
            for path in results.rglob("*")
            if path.is_file() and (rule := _rule(path.relative_to(results), made_by))
        ],
        columns=["rule", "files", "mb"],
    )
    table = took.join(left.groupby("rule").sum()).fillna({"files": 0, "mb": 0})
    table = table.sort_values("cpu_s", ascending=False).round(1).astype({"jobs": int, "files": int})
    return table.reset_index()[COLUMNS]


def _jobs(path: Path, folder: Path) -> pd.DataFrame:
    """Snakemake's measurements of a job; a very short job has none, and gets 0."""
    figures = pd.read_csv(path, sep="\t", usecols=["s", "max_rss", "cpu_time"])
    return (
        figures.apply(pd.to_numeric, errors="coerce")
        .fillna(0)
        .assign(rule=path.relative_to(folder).with_suffix("").parts[0])
    )


def _rule(place: Path, made_by: dict[str, str]) -> str | None:
    """The rule that made a file; None for a log, or anything else that is not a rule's output."""
    return made_by.get(place.as_posix()) or made_by.get(f"{place.parent.as_posix()}.json")


if __name__ == "__main__":
    try:
        store.write_text(sys.argv[2], by_rule(Path(sys.argv[1])).to_csv(index=False))
    except HerbariumError as error:
        sys.exit(str(error))
