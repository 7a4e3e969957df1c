"""What the benchmarks have in common: their short form, the clock, and figures as lines of JSON beside the text.

    PYTHONPATH=workflow/scripts:. python studies/benchmarks/shared.py

It adds the ratios of full runs to docs/benchmarks.csv, as `make bench` does at its end. With SHORT=1 in the environment
each benchmark takes tiny sizes: that proves that it runs, and its figures mean nothing.

PyTorch and pandas are imported where they are used: what a system says of the memory of a process that was started
includes that of the one that started it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

SHORT = bool(os.environ.get("SHORT"))
FIGURES = Path(os.environ.get("BENCHMARKS", "results/work/benchmarks/bench.jsonl"))
TABLE = Path("docs/benchmarks.csv")
RATIO = "ratio"
COLUMNS = ["date", "commit", "benchmark", "what", "peer", "value", "processor", "threads"]


class Figure(NamedTuple):
    """A figure of a benchmark. A ratio is ours over the peer's: below 1, ours takes less."""

    what: str
    value: float
    unit: str = RATIO
    peer: str | None = None


def size(full: T, short: T) -> T:
    """How much of something a benchmark takes."""
    return short if SHORT else full


# A model of base size, or one whose passes take no time: arguments of a configuration of BERT's kind.
BASE = size({}, {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64})


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """Seconds, and what the call gives."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def say(text: str, *figures: Figure, threads: int | None = None, device: str = "cpu") -> None:
    """Print a line, and append its figures to those of all runs. threads: those of PyTorch if not said. device: that
    ran it."""
    import torch

    from herbarium.models import devices

    print(f"short form: {text}" if SHORT else text, flush=True)
    of_run = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "benchmark": Path(sys.argv[0]).stem,
        "processor": devices.name(device),
        "threads": threads or torch.get_num_threads(),
        "short": SHORT,
    }
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    with FIGURES.open("a", encoding="utf-8") as file:
        for figure in figures:
            row = of_run | figure._asdict() | {"value": float(f"{figure.value:.4g}")}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _commit() -> str | None:
    """Of the clone; None in a folder that is none."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or None


def ratios(figures: "pd.DataFrame") -> "pd.DataFrame":
    """Those of full runs, as docs/benchmarks.csv has them. figures: what `say` has appended, a row each."""
    rows = figures[~figures["short"].astype(bool) & (figures["unit"] == RATIO)]
    return rows.assign(date=rows["date"].str[:10])[COLUMNS]


def main() -> None:
    import pandas as pd

    with FIGURES.open(encoding="utf-8") as file:
        table = ratios(pd.DataFrame(map(json.loads, file)))
    known = [pd.read_csv(TABLE)] if TABLE.exists() else []
    key = [column for column in COLUMNS if column != "value"]
    # of two runs on a day the later one stays
    pd.concat([*known, table]).drop_duplicates(key, keep="last").to_csv(TABLE, index=False)


if __name__ == "__main__":
    main()
