"""The association of each attribute with the dialect, by model."""

import pandas as pd

from herbarium.drawing import forests, style
from herbarium.metrics.matched_guise.numbers import ASSOCIATION
from herbarium.metrics.matched_guise.score import TOP

COLUMNS = ["unit", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No association of an attribute was measured.")
AXIS = "association with the dialect, nats (above 0: likelier after the dialect)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS: attributes by guises, those most associated with the dialect, on average over models, first.

    numbers: tidy rows. models: model records, by strength.
    """
    rows = forests.ranked(numbers[numbers["variant"] == ASSOCIATION], models)
    mean = rows.groupby(["unit", "group"])["estimate"].transform("mean")
    rows = rows.assign(mean=-mean)
    return rows.sort_values(["unit", "mean", "group", "rank"], kind="stable")[COLUMNS]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: each model's stereotype."""
    known = table.dropna(subset="estimate")
    if known.empty:
        return EMPTY
    told = []
    for (name, model), rows in known.groupby(["unit", "model"], sort=False):
        top = rows.sort_values("estimate", ascending=False, kind="stable").head(TOP)
        values = ", ".join(top["group"] + top["estimate"].map(" {:.2f}".format))
        told.append(f"{name}, {style.label(model, rows['planted'].iloc[0])}: {values}.")
    return f"Associations of attributes with the dialect; the largest of each model. {' '.join(told)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel for each name of guises. table: rows of `table`."""
    return forests.panels(table, "unit", "group", AXIS)
