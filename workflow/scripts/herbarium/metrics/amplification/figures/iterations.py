"""Violated constraints along the iterations: algorithms with fixed steps oscillate."""

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.metrics.amplification.figures import curves

COLUMNS = [*tasks.PLACE, "method", "iteration", "violations"]
EMPTY = style.Empty("No algorithm with iterations was run.")
_AXES = ("iteration", "violated constraints, mean over training sets")


def table(iterations: pd.DataFrame, where: pd.DataFrame) -> pd.DataFrame:
    """The mean over training sets, COLUMNS: a set that has ended keeps its last value.

    iterations: of the schema "amplification_iterations". where: of `drawing.tasks.places`.
    """
    keys = ["model", "task", "method"]
    parts = []
    for key, group in iterations.groupby(keys, sort=False):
        wide = group.pivot_table(index="iteration", columns="set", values="violations").ffill()
        mean = wide.mean(axis=1).rename("violations").reset_index()
        parts.append(mean.assign(**dict(zip(keys, key, strict=True))))
    violations = pd.concat([pd.DataFrame(columns=[*keys, "iteration", "violations"]), *parts], ignore_index=True)
    return where.merge(violations, on=["task", "model"])[COLUMNS]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY

    def of_method(rows: pd.DataFrame) -> str:
        values = rows["violations"]
        return f"from {values.iloc[0]:.3g} to {values.iloc[-1]:.3g} violations, at best {values.min():.3g}"

    return f"Line plots of violated constraints by iteration. {curves.said(table, of_method)}"


def panels(table: pd.DataFrame) -> list[dict]:
    return curves.panels(table, "iteration", "violations", _AXES, "lines")
