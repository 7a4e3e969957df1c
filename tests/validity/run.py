"""Error rates of what the page prints, by simulation (`make validity`, hours): docs/validity.csv.

python tests/validity/run.py [STUDIES [METRIC ...]]: of each design so many simulated studies, 2,000 if not said.
"""

import csv
import importlib
import sys
from datetime import date
from pathlib import Path

from tests.validity.rates import COLUMNS

from herbarium.core.console import tracked

RESULTS = Path("docs/validity.csv")
METRICS = ("propagation",)


def rows(studies, metrics=METRICS):
    for metric in metrics:
        module = importlib.import_module(f"tests.validity.{metric}")
        yield from module.rates(studies)


if __name__ == "__main__":
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    metrics = sys.argv[2:] or METRICS
    with open(RESULTS, "w", newline="", encoding="utf-8") as file:
        file.write(f"# {date.today()}: make validity, {studies} simulated studies of each design\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in tracked(rows(studies, metrics), None, "rows", "Simulating"):
            table.writerow(row)
            file.flush()
