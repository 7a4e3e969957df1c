"""Rates of groups in predictions against those in training, and the margin (Figures 5.2, 5.3, 5.5 of the thesis)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.decisions.corpus import UNITS
from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, scatter, stroke

COLUMNS = [*tasks.PLACE, "region", "name", "training_rate", "predicted_rate", "difference", "p_adjusted", "n"]
EMPTY = style.Empty("No group has a rate in training and in predictions.")
X, Y = "positive rate in training", "positive rate in predictions"


def table(numbers: pd.DataFrame, where: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """One row per task, model and group, COLUMNS; `n` and `p_adjusted` are those of the difference.

    numbers: tidy rows of metric "amplification". where: of `drawing.tasks.places`. names: of regions.
    """
    chosen = numbers[numbers["unit"].isin(UNITS)]
    keys = ["model", "group"]
    wide = chosen.pivot_table(index=keys, columns="variant", values="estimate", sort=False)
    tests = chosen[chosen["variant"] == "difference"].set_index(keys)[["p_adjusted", "n"]]
    rates = wide.join(tests).reset_index()
    rates = rates.assign(task=rates["group"].str.partition("/")[0], region=rates["group"].str.partition("/")[2])
    rows = where.merge(rates, on=["task", "model"])
    rows = rows.assign(name=[names.get(region, region) for region in rows["region"]])
    return rows.reindex(columns=COLUMNS).dropna(subset=["training_rate", "predicted_rate"]).reset_index(drop=True)


def _span(table: pd.DataFrame) -> tuple[float, float]:
    values = table[["training_rate", "predicted_rate"]].to_numpy()
    around = 0.05 * max(np.ptp(values), 0.1)
    return max(values.min() - around, 0.0), min(values.max() + around, 1.0)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{task}, {label}: from {row['training_rate']:.2f} to {row['predicted_rate']:.2f} in {row['name']}, the "
        f"largest of {len(rows)} differences."
        for (task, _, label), rows in tasks.by_model(table)
        for row in [rows.loc[rows["difference"].abs().idxmax()]]
    ]
    return " ".join(
        ["Scatter plots of positive rates of groups in predictions against their rates in training.", *sentences]
    )


def panels(table: pd.DataFrame, margin: float) -> list[dict]:
    """One panel per task and model. margin: γ, the width of the band on either side of equal rates."""
    rows = table.assign(x=table["training_rate"], estimate=table["predicted_rate"])
    plots = []
    for task, of_task in tasks.by_task(rows).items():
        for label, model_rows in by_model(of_task):
            panel = scatter(f"{task}, {label}", model_rows, X, Y, rows)
            ends = pd.Series(_span(table))
            for axis in ("xaxis", "yaxis"):
                panel["layout"][axis]["range"] = list(_span(table))
            panel["data"] += [
                stroke(ends, ends + shift, name, dash)
                for name, shift, dash in (
                    ("as in training", 0, "dash"),
                    ("within the margin", margin, "dot"),
                    ("within the margin", -margin, "dot"),
                )
            ]
            plots.append(panel)
    return plots
