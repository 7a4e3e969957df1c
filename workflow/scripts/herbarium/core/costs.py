"""The expected cost of jobs, as a table; and how long something takes, from a part of it."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from herbarium.core import store
from herbarium.core.store import schema

# One row per stage of what a model scores, or otherwise runs (`stimuli`). `sampled`: the number of sentences that the
# other figures are based on; if not all, they are extrapolated. `inputs`: unique ones. `hours`: of all jobs, one after
# the other; `longest_job`: the longest of them, in hours. `device`: for which the hours are. Null: unknown.
COSTS = schema(
    "costs",
    ("model", pa.string()),
    ("stimuli", pa.string()),
    ("stage", pa.string()),
    ("jobs", pa.int64()),
    ("sentences", pa.int64()),
    ("sampled", pa.int64()),
    ("inputs", pa.int64()),
    ("requests", pa.int64()),
    ("tokens", pa.int64()),
    ("passes", pa.int64()),
    ("hours", pa.float64()),
    ("longest_job", pa.float64()),
    ("bytes", pa.int64()),
    ("files", pa.int64()),
    ("device", pa.string()),
    nullable=("model", "inputs", "requests", "tokens", "passes", "hours", "longest_job", "bytes", "device"),
)
TRAIN, FINETUNE = "train", "finetune"  # stages of several rooms
ONE_CORE = "one core"
_SECONDS = 5.0  # approximate length of a measurement


def timed(run: Callable[[int], Any], n: int, first: int = 1) -> tuple[int, float, Any]:
    """The number of things in the last of several runs, its seconds, and its result: each run has more of n things,
    until one takes some seconds or has all. Earlier runs warm up the device.

    run: called with the number. first: the number in the first run.
    """
    size = min(n, first)
    run(size)
    while True:
        start = time.perf_counter()
        result = run(size)
        seconds = time.perf_counter() - start
        if seconds >= _SECONDS / 2 or size == n:
            return size, seconds, result
        size = min(n, max(2 * size, int(size * _SECONDS / seconds)))


def write(path: str | Path, rows: Sequence[dict], model: str, stimuli: str, made: dict) -> None:
    """Write rows as a table of the schema "costs"."""
    named = [{"model": model, "stimuli": stimuli, **row} for row in rows]
    store.write_table(path, COSTS, pa.Table.from_pylist(named, schema=COSTS.fields), made)
