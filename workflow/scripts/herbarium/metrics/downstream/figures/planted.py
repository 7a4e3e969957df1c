"""The measured effect of each country against what was planted in the texts of a task: is it found?"""

from collections.abc import Mapping

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, plain, scatter
from herbarium.metrics.downstream import planted_slope as metric
from herbarium.metrics.downstream.figures import shared

COLUMNS = [*tasks.PLACE, "strength", "region", "name", "lean", "planted_effect", "n", "excess", "ci_low", "ci_high"]
EMPTY = style.Empty("No country of these tasks has both a lean and an excess.")


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


def _found(task: str, model: str, numbers: pd.DataFrame) -> tuple[str, str]:
    """Both numbers of a task and model, with intervals. numbers: tidy rows of metric "downstream"."""
    rows = numbers[(numbers["metric"] == metric.METRIC) & (numbers["model"] == model)]
    rows = rows[(rows["unit"] == "all") & (rows["group"] == f"{task}/country")].set_index("variant")
    values = rows.reindex([metric.SPEARMAN, metric.SLOPE])
    rank, slope = (style.with_interval(*row) for row in values[["estimate", "ci_low", "ci_high"]].astype(float).values)
    n = values["n"].iloc[0]
    return f"ρ = {rank}, n = {'–' if pd.isna(n) else f'{n:.0f}'} countries", f"slope = {slope} log-odds"


def describe(table: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per task and model. Arguments as for `panels`."""
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


def panels(table: pd.DataFrame, numbers: pd.DataFrame) -> list[dict]:
    """Scatter plots of measured effects against leans, over the planted line, one panel per task and model.

    table: rows of `table` (see there). numbers: tidy rows of metric "downstream", for the titles.
    """
    table = table.rename(columns={"lean": "x", "excess": "estimate"})
    plots = []
    for (task, strength), of_task in table.groupby(["task", "strength"], sort=False):
        for label, rows in by_model(of_task):
            sentence = "; ".join(_found(task, rows["model"].iloc[0], numbers))
            title = f"{task} (planted strength {strength:g}), {label}: {sentence}"
            panel = scatter(title, rows, "lean (standard deviations)", "measured (log-odds)", table)
            ends = rows["x"].agg(["min", "max"])
            line = {"mode": "lines", "name": "as planted", "line": {"color": style.COLOURS[1], "dash": "dash"}}
            panel["data"].append(line | {"x": plain(ends), "y": plain(strength * ends), "hoverinfo": "skip"})
            plots.append(panel)
    return plots
