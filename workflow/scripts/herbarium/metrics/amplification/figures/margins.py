"""The cost of constraints: accuracy against violations, over the margins of decisions."""

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.metrics.amplification.figures import curves

COLUMNS = [*tasks.PLACE, "method", "margin", "violations", "accuracy"]
EMPTY = style.Empty("No method of deciding within constraints was tried.")


def table(by_method: pd.DataFrame, where: pd.DataFrame) -> pd.DataFrame:
    """COLUMNS; methods tried with several margins, from the narrowest, and the classifier itself.

    by_method: of the schema "amplification_methods". where: of `drawing.tasks.places`.
    """
    rows = where.merge(by_method, on=["task", "model"])
    several = rows.groupby(["task", "model", "method"])["margin"].transform("nunique") > 1
    rows = rows[several].sort_values("margin", kind="stable")
    order = {method: place for place, method in enumerate(curves.NAMES)}
    rows = rows.sort_values("method", key=lambda column: column.map(order), kind="stable")
    place = {place: number for number, place in enumerate(zip(where["task"], where["model"], strict=True))}
    ranks = [place[key] for key in zip(rows["task"], rows["model"], strict=True)]
    return rows.assign(at=ranks).sort_values("at", kind="stable")[COLUMNS].reset_index(drop=True)


def axes(margin: float) -> tuple[str, str]:
    return f"violated constraints at a margin of {margin:g}", "accuracy"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY

    def of_method(rows: pd.DataFrame) -> str:
        ends = rows.iloc[[0, -1]]
        return " to ".join(f"{row['violations']:.3g} violations at {row['accuracy']:.3f}" for _, row in ends.iterrows())

    curves_text = curves.said(table, of_method)
    return (
        f"Line plots of accuracy against violated constraints, from the narrowest margin to the widest. {curves_text}"
    )


def panels(table: pd.DataFrame, margin: float) -> list[dict]:
    return curves.panels(table, "violations", "accuracy", axes(margin), "lines+markers")
