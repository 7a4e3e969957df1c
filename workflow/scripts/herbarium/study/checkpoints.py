"""Along training: the primary numbers of all metrics, checkpoint by checkpoint.

Metrics write them with their differences from one checkpoint to the next (`statistics.changes`).
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style

STEPS, ORDER = "step", "order"
COLUMNS = [
    *("training", "model", "checkpoint", "axis", "step"),
    *("metric", "measure", "kind", "null", "estimate", "ci_low", "ci_high"),
]
EMPTY = style.Empty("No metric was measured at several checkpoints of a training.")
_LOG_FROM = 100  # the axis is logarithmic if the last step is at least this many times the first
_TITLES = {STEPS: "checkpoint (number in its name)", ORDER: "checkpoint (by its place)"}


def table(changes: pd.DataFrame, trainings: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """One row per measure, training and checkpoint, with COLUMNS.

    changes: with the schema "changes". trainings: name -> model -> the checkpoint that it is, in order. `step`: the
    number in the checkpoint's name (`axis` STEPS) if each name has exactly one number, and a training's numbers all
    differ; otherwise its place, from 1 (ORDER).
    """
    numbers = {name: _numbers(models.values()) for name, models in trainings.items()}
    axis = STEPS if all(numbers.values()) else ORDER
    of_models = pd.DataFrame(
        [
            {"training": name, "model": model, "checkpoint": checkpoint, "axis": axis, "step": step}
            for name, models in trainings.items()
            for (model, checkpoint), step in zip(
                models.items(), numbers[name] if axis == STEPS else range(1, len(models) + 1), strict=True
            )
        ]
    )
    measure = ["metric", "measure", "kind"]
    columns = {"value": "estimate", "low": "ci_low", "high": "ci_high"}
    sides = [
        changes[[*measure, "null", side, *(f"{column}_{side}" for column in columns)]].rename(
            columns={side: "model"} | {f"{column}_{side}": name for column, name in columns.items()}
        )
        for side in ("before", "after")
    ]
    # all but the first and last are in two comparisons
    values = pd.concat(sides).groupby([*measure, "model"], sort=False, as_index=False).first()
    merged = values.merge(of_models, on="model")
    order = {"measure": list(values["measure"].unique()), "training": list(trainings)}
    merged = merged.sort_values(
        ["measure", "training", "step"],
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
    )
    return merged.reindex(columns=COLUMNS).reset_index(drop=True)


def _numbers(names: Iterable[str]) -> list[float]:
    """The numbers in names; empty unless each has exactly one, and all differ."""
    digits = [re.findall(r"\d+", name) for name in names]
    numbers = [float(digits[0]) for digits in digits if len(digits) == 1]
    return numbers if len(set(numbers)) == len(digits) else []


def places(table: pd.DataFrame) -> tuple[pd.Series, dict[float, str]]:
    """The position of each row on the axis, and its tick labels: none if positions are numbers.

    On a logarithmic axis, step 0 is a factor of ten before the first one.
    """
    steps = table["step"].astype(float)
    later = steps[steps > 0]
    if table["axis"].iloc[0] == ORDER:
        names = table.groupby("step")["checkpoint"].unique()
        return steps, {} if (names.str.len() > 1).any() else {float(at): label[0] for at, label in names.items()}
    if later.max() <= _LOG_FROM * later.min():
        return steps, {}
    at = np.log10(steps.where(steps > 0, later.min() / 10))
    powers = range(int(np.ceil(np.log10(later.min()))), int(np.log10(later.max())) + 1)
    return at, ({float(at.min()): "0"} if len(later) < len(steps) else {}) | {
        float(power): f"{10**power:,}" for power in powers
    }


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it: where each line begins and ends."""
    if table.empty:
        return EMPTY

    def end(row: pd.Series) -> str:
        return f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3g')} at {row['checkpoint']}"

    lines = [
        f"{measure}, {training}: {end(rows.iloc[0])}, {end(rows.iloc[-1])}."
        for (measure, training), rows in table.groupby(["measure", "training"], sort=False)
    ]
    return f"Each metric along training, at its first and last checkpoint. {' '.join(lines)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per measure, one line per training. table: rows of `table`."""
    if table.empty:
        return []
    (at, ticks), looks = places(table), style.looks(table["training"])
    table = table.assign(x=at, line=table["checkpoint"], series=table["training"])
    axes = _TITLES[table["axis"].iloc[0]], "value with its interval"
    return [
        interactive.lines(title, rows, axes, looks, rows["null"].iloc[0], ticks=ticks)
        for title, rows in table.groupby("measure", sort=False)
    ]
