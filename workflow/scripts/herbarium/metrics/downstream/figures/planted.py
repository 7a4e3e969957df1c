"""The measured effect of each country against what was planted in the texts of a task: is it found?"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, plain, scatter
from herbarium.metrics.downstream import planted_slope as metric
from herbarium.metrics.downstream.figures import shared

COLUMNS = [*tasks.PLACE, "strength", "region", "name", "lean", "planted_effect", "n", "excess", "ci_low", "ci_high"]
EMPTY = style.Empty("No country of these tasks has both a lean and an excess.")
_HEIGHT = 2.7  # inches


def table(
    numbers: pd.DataFrame,
    prefixes: Mapping[str, pd.DataFrame],
    where: pd.DataFrame,
    lean: pd.Series,
    strengths: Mapping[str, float | None],
) -> pd.DataFrame:
    """Lean, planted and measured effect of every country with all three, in natural log-odds.

    numbers, prefixes, where: as for `shared.effects`. lean: of each country by region identifier, mean 0 and
    standard deviation 1. strengths: of each task; None for one without planted texts, which is left out.

    Returns one row per task, model and country, with COLUMNS: `planted` is the strength in the model, `strength` that
    in the task's texts; `planted_effect`, strength times lean; `excess`, the effect of the country's name on the
    log-odds of the positive class beyond made-up names, over `n` test texts and the training sets.
    """
    where = where[[strengths[task] is not None for task in where["task"]]]
    rows = shared.effects(numbers, prefixes, where, [shared.COUNTRY])
    rows = rows.assign(lean=rows["region"].map(lean).astype(float), strength=rows["task"].map(strengths).astype(float))
    rows["planted_effect"] = rows["strength"] * rows["lean"]
    return rows.dropna(subset=["lean", "excess"])[COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame, numbers: pd.DataFrame, level: float) -> Figure:
    """Scatter plots of measured effects against leans, over the planted line, one block per task, one panel per model.

    table: rows of `table` (see there). numbers: tidy rows of metric "downstream", for the lines under the titles.
    level: of the intervals.
    """
    if table.empty:
        return style.note(EMPTY)
    by_task = tasks.by_task(table)
    titles = {task: f"{task}, planted strength {rows['strength'].iloc[0]:g}" for task, rows in by_task.items()}
    blocks = {titles[task]: list(rows["model"].unique()) for task, rows in by_task.items()}
    # one scale for all, so that panels can be compared
    bounds = table[["excess", "ci_low", "ci_high"]].to_numpy()
    span = np.array([min(np.nanmin(bounds), 0), max(np.nanmax(bounds), 0)])
    margin = 0.05 * (np.ptp(span) or 1)
    with style.context():
        figure, parts = tasks.panels(blocks, dict.fromkeys(blocks, _HEIGHT), sharex=True, sharey=True)
        for (task, model, label), rows in tasks.by_model(table):
            panel = parts[titles[task]][1][model]
            _draw(panel, rows)
            panel.set_ylim(span[0] - margin, span[1] + margin)
            panel.set_title("\n".join([label, *_found(task, model, numbers)]), fontsize=8.5, parse_math=False)
        tasks.caption(
            figure,
            "lean: what a country adds to the log-odds of the positive label at a strength of 1, mean 0. measured: "
            "what its prefix adds to the classifiers' log-odds beyond made-up names.",
            f"Dashed: as planted. Lines: {level:.0%} intervals over training sets and names. Slope and ρ "
            "(Spearman's): with intervals over countries.",
        )
    return figure


def _draw(panel, rows: pd.DataFrame) -> None:
    x, y, low, high = (rows[key].to_numpy() for key in ("lean", "excess", "ci_low", "ci_high"))
    panel.axhline(0, color="#777777", linewidth=0.6)
    ends = np.array([x.min(), x.max()])
    panel.plot(ends, rows["strength"].iloc[0] * ends, "--", color=style.COLOURS[1], linewidth=1)
    look = {"colors": style.COLOURS[0], "linewidth": 0.7, "alpha": 0.7}
    tasks.intervals(panel, x, None, low, high, horizontal=False, **look)
    panel.plot(x, y, "o", color=style.COLOURS[0], markersize=2)
    panel.tick_params(labelbottom=True, labelleft=True)
    panel.set_xlabel("lean (standard deviations)", fontsize=8)
    panel.set_ylabel("measured (log-odds)", fontsize=8)


def _found(task: str, model: str, numbers: pd.DataFrame) -> tuple[str, str]:
    """Both numbers of a task and model, with intervals. numbers: tidy rows of metric "downstream"."""
    rows = numbers[(numbers["metric"] == metric.METRIC) & (numbers["model"] == model)]
    rows = rows[(rows["unit"] == "all") & (rows["group"] == f"{task}/country")].set_index("variant")
    values = rows.reindex([metric.SPEARMAN, metric.SLOPE])
    rank, slope = (style.with_interval(*row) for row in values[["estimate", "ci_low", "ci_high"]].astype(float).values)
    n = values["n"].iloc[0]
    return f"ρ = {rank}, n = {'–' if pd.isna(n) else f'{n:.0f}'} countries", f"slope = {slope} log-odds"


def describe(table: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per task and model. Arguments as for `figure`."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{task} (planted strength {rows['strength'].iloc[0]:g}), {label}: {', '.join(_found(task, model, numbers))}."
        for (task, model, label), rows in tasks.by_model(table)
    ]
    return (
        "Scatter plots by task and model of what each country's prefix adds to the log-odds of the positive class "
        f"against the lean planted in the texts. {' '.join(sentences)}"
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """The figure, interactive: one panel per task and model, with the planted line."""
    table = table.rename(columns={"lean": "x", "excess": "estimate"})
    found = []
    for (task, strength), of_task in table.groupby(["task", "strength"], sort=False):
        for label, rows in by_model(of_task):
            title = f"{task} (planted strength {strength:g}), {label}"
            panel = scatter(title, rows, "lean (standard deviations)", "measured (log-odds)", table)
            ends = rows["x"].agg(["min", "max"])
            line = {"mode": "lines", "name": "as planted", "line": {"color": style.COLOURS[1], "dash": "dash"}}
            panel["data"].append(line | {"x": plain(ends), "y": plain(strength * ends), "hoverinfo": "skip"})
            found.append(panel)
    return found
