"""Error rates of what the page prints, by simulation (`make validity`, hours): resources/{metric}/validity.csv.

python studies/validity/run.py [STUDIES [METRIC ...]]: of each design so many simulated studies, 2,000 if not said.
"""

import csv
import importlib
import sys
from datetime import date
from pathlib import Path

from studies.validity.rates import COLUMNS

from herbarium.core.console import tracked

# Every file beside this one that has rates of its own is called as what it simulates.
METRICS = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef rates(" in path.read_text(encoding="utf-8")
)


def results(metric):
    return Path(f"resources/{metric}/validity.csv")


def write(metric, studies):
    """Row by row, so that a run that is stopped leaves what it found."""
    rows = importlib.import_module(f"studies.validity.{metric}").rates(studies)
    with open(results(metric), "w", newline="", encoding="utf-8") as file:
        file.write(f"# {date.today()}: make validity, {studies} simulated studies of each design\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in tracked(rows, None, "rows", f"Simulating {metric}"):
            table.writerow(row)
            file.flush()


if __name__ == "__main__":
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    metrics = sys.argv[2:] or METRICS
    for metric in metrics:
        write(metric, studies)
