"""Shared by the figures of algorithms: one line per method, one panel per task and model."""

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, plain

_HEIGHT = 2.6  # inches
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


def figure(table: pd.DataFrame, x: str, y: str, axes: tuple[str, str], caption: tuple[str, str], marker: str) -> Figure:
    """table: `task, model, planted, method` and the columns x and y, in the order of lines. marker: of each point."""
    by_task = tasks.by_task(table)
    blocks = {task: list(rows["model"].unique()) for task, rows in by_task.items()}
    colours = style.colours(pd.Series([method for method in NAMES if method in set(table["method"])]))
    with style.context():
        figure, parts = tasks.panels(blocks, dict.fromkeys(blocks, _HEIGHT))
        for (task, model, label), rows in tasks.by_model(table):
            panel = parts[task][1][model]
            for method, of in rows.groupby("method", sort=False):
                panel.plot(of[x], of[y], marker, color=colours[method], label=NAMES[method], linewidth=1, markersize=3)
            panel.set_title(label, fontsize=8.5, parse_math=False)
            panel.set_xlabel(axes[0], fontsize=8)
            panel.set_ylabel(axes[1], fontsize=8)
            panel.legend(fontsize=6.5, frameon=False)
        tasks.caption(figure, *caption)
    return figure


def panels(table: pd.DataFrame, x: str, y: str, axes: tuple[str, str], mode: str) -> list[dict]:
    """The same, interactive. mode: of plotly's traces."""
    found = []
    for task, of_task in tasks.by_task(table).items():
        for label, rows in by_model(of_task):
            traces = [
                {"mode": mode, "name": NAMES[method], "x": plain(of[x]), "y": plain(of[y])}
                for method, of in rows.groupby("method", sort=False)
            ]
            layout = {
                "height": 320,
                "xaxis": {"title": {"text": axes[0]}},
                "yaxis": {"title": {"text": axes[1]}},
                "showlegend": True,
            }
            found.append({"title": f"{task}, {label}", "data": traces, "layout": layout})
    return found


def said(table: pd.DataFrame, of_method: Callable[[pd.DataFrame], str]) -> str:
    """One sentence per task and model. of_method: the wording for the rows of one method."""
    return " ".join(
        f"{task}, {label}: "
        + "; ".join(f"{NAMES[method]} {of_method(of)}" for method, of in rows.groupby("method", sort=False))
        + "."
        for (task, _, label), rows in tasks.by_model(table)
    )
