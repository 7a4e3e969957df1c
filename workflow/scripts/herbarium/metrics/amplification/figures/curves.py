"""Shared by the figures of algorithms: one line per method, one panel per task and model."""

from collections.abc import Callable

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, lines

NAMES = {
    "as_it_is": "the classifier itself",
    "planned": "knows what was planted",
    "rba_paper": "RBA, as published",
    "rba_released": "RBA, as released",
    "rba": "RBA, ours",
    "posterior_paper": "posterior, as published",
    "posterior": "posterior, exact dual",
    "exact": "optimum",
    "bound": "bound (relaxed program)",
    "fairlearn_thresholds": "fairlearn, thresholds",
    "fairlearn_reductions": "fairlearn, reductions",
}


def panels(table: pd.DataFrame, x: str, y: str, axes: tuple[str, str], mode: str) -> list[dict]:
    """One panel per task and model, one line per method.

    table: `task, model, planted, method` and the columns x and y, in the order of lines. mode: of plotly's traces.
    """
    looks = style.looks(NAMES[method] for method in NAMES if method in set(table["method"]))
    rows = table.assign(x=table[x], estimate=table[y], series=table["method"].map(NAMES))
    plots = []
    for task, of_task in tasks.by_task(rows.assign(line=rows["series"])).items():
        for label, shown in by_model(of_task):
            panel = lines(f"{task}, {label}", shown, axes, looks)
            panel["data"] = [trace | {"mode": mode} for trace in panel["data"]]
            plots.append(panel)
    return plots


def said(table: pd.DataFrame, of_method: Callable[[pd.DataFrame], str]) -> str:
    """One sentence per task and model. of_method: the wording for the rows of one method."""
    return " ".join(
        f"{task}, {label}: "
        + "; ".join(f"{NAMES[method]} {of_method(group)}" for method, group in rows.groupby("method", sort=False))
        + "."
        for (task, _, label), rows in tasks.by_model(table)
    )
