"""Countries ranked by their effect in a task, compared with meaningless names."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, scatter, shaded
from herbarium.metrics.downstream.figures import shared

NONSENSE = "nonsense"
COLUMNS = [*tasks.PLACE, "unit", "rank", "region", "name", "continent"]
COLUMNS += ["n", "excess", "ci_low", "ci_high", "p_adjusted", "is_found", "band_low", "band_high", "is_beyond"]
# Countries shown at either end of the ranking.
ENDS = 12
# Characters of a name; longer ones are cut between words. The CSV has them in full.
LONGEST = 26
BAND = 2  # standard deviations
EMPTY = style.Empty("No country has an excess to rank.")
_LINE = 0.145  # inches
_AXIS = "excess (log-odds)"


def table(numbers: pd.DataFrame, prefixes: Mapping[str, pd.DataFrame], where: pd.DataFrame) -> pd.DataFrame:
    """The effects of countries beyond made-up names, ranked, then the effect of each made-up name.

    numbers, prefixes, where: as for `shared.effects`.

    Returns one row per task, model and prefix, with COLUMNS. `excess` and its numbers are those of
    `map.table`. `rank`: for a country, 1 for the greatest; equal values share the lowest rank, null without a value.
    `band_low`, `band_high`: BAND standard deviations (n - 1) of the nonsense names on either side of their mean, null
    of fewer than two; `is_beyond`: whether the excess is outside.
    """
    rows = shared.effects(numbers, prefixes, where, [shared.COUNTRY, NONSENSE])
    place = rows.groupby(["task", "model"], sort=False)
    is_country = rows["unit"] == shared.COUNTRY
    ranks = rows["excess"].where(is_country).groupby([rows["task"], rows["model"]]).rank(method="min", ascending=False)
    band = rows["excess"].where(rows["unit"] == NONSENSE).groupby([rows["task"], rows["model"]])
    mean, half = band.transform("mean"), BAND * band.transform("std")
    rows = rows.assign(rank=ranks.astype("Int64"), band_low=mean - half, band_high=mean + half)
    rows["is_found"] = shared.is_found(rows)
    rows["is_beyond"] = (rows["excess"] < rows["band_low"]) | (rows["excess"] > rows["band_high"])
    units = rows["unit"].map({unit: number for number, unit in enumerate([shared.COUNTRY, NONSENSE])})
    rows = rows.assign(place=place.ngroup(), units=units)
    return rows.sort_values(["place", "units", "rank"], kind="stable", ignore_index=True)[COLUMNS]


def figure(table: pd.DataFrame, level: float) -> Figure:
    """Dots with intervals: the countries at either end, then all made-up names, one panel per model.

    table: rows of `table` (see there). level: of the intervals.
    """
    countries = table[table["rank"].notna()]
    if countries.empty:
        return style.note(EMPTY)
    by_task = tasks.by_task(table)
    blocks, heights = {}, {}
    for task, rows in by_task.items():
        blocks[task] = list(rows["model"].unique())
        most = rows[rows["rank"].notna()].groupby("model").size().max()
        heights[task] = 0.75 + _LINE * (min(0 if pd.isna(most) else most, 2 * ENDS + 1) + 1)
    titles = {task: f"{task}, {shared.texts(rows)}" for task, rows in by_task.items()}
    with style.context():
        figure, parts = tasks.panels(
            *({titles[task]: sizes[task] for task in by_task} for sizes in (blocks, heights)), sharex=True
        )
        for task, (_, panels) in zip(by_task, parts.values(), strict=True):
            for (_, model, label), model_rows in tasks.by_model(by_task[task]):
                _draw(panels[model], model_rows)
                panels[model].set_title(f"{label}\n{_counted(model_rows)}", loc="right", parse_math=False)
        tasks.caption(
            figure,
            f"x: {shared.EFFECT}; line at 0: the mean of these.",
            f"Lines: {level:.0%} intervals over training sets and names. Filled: adjusted p < {style.ALPHA:g}. Shaded: "
            f"mean ± {BAND} standard deviations of the made-up names: the effect of an unknown name.",
        )
    return figure


def _counted(model_rows: pd.DataFrame) -> str:
    model_rows = model_rows[model_rows["rank"].notna()]
    if model_rows["band_low"].isna().all():
        return f"adjusted p < {style.ALPHA:g}: {model_rows['is_found'].sum()} of {len(model_rows)} countries"
    return f"{model_rows['is_beyond'].sum()} of {len(model_rows)} countries beyond the shaded range of made-up names"


def lines(ranked: pd.DataFrame) -> list[int | str]:
    """The lines from the top: positions in `ranked`, and the remark on those left out. ranked: by rank."""
    if len(ranked) <= 2 * ENDS:
        return list(range(len(ranked)))
    left_out = f"⋮  {len(ranked) - 2 * ENDS} more"
    return [*range(ENDS), left_out, *range(len(ranked) - ENDS, len(ranked))]


def _draw(panel, model_rows: pd.DataFrame) -> None:
    ranked = model_rows[model_rows["rank"].notna()]
    shown = lines(ranked)
    ticks = [line if isinstance(line, str) else _tick(ranked.iloc[line]) for line in shown]
    y = np.array([place for place, line in enumerate(shown) if not isinstance(line, str)])
    drawn = ranked.iloc[[line for line in shown if not isinstance(line, str)]]
    _dots(panel, drawn, y, "o", style.COLOURS[0])
    others = model_rows[(model_rows["unit"] == NONSENSE) & model_rows["excess"].notna()]
    if not others.empty:
        panel.axhline(len(ticks) - 0.5, color="#dddddd", linewidth=0.6)
        # their intervals would cover one another
        panel.plot(
            *(others["excess"], [len(ticks)] * len(others), "D"),
            **{"color": style.COLOURS[1], "markerfacecolor": "none", "markersize": 3, "markeredgewidth": 0.7},
        )
        ticks.append(f"made-up names ({len(others)})")
    if ranked["band_low"].notna().any():
        panel.axvspan(*model_rows[["band_low", "band_high"]].iloc[0], color="#f3dccb", linewidth=0, zorder=0)
    panel.axvline(0, color="#555555", linewidth=0.7, zorder=1)
    panel.set_yticks(range(len(ticks)), ticks, fontsize=7, parse_math=False)
    panel.set_ylim(len(ticks) - 0.4, -0.6)
    panel.grid(axis="x")
    panel.tick_params(axis="y", length=0)
    panel.tick_params(axis="x", labelbottom=True)
    panel.spines["left"].set_visible(False)


def _tick(row: pd.Series) -> str:
    return f"{row['rank']}  {textwrap.shorten(row['name'], LONGEST, placeholder='…')}"


def _dots(panel, rows: pd.DataFrame, y: np.ndarray, marker: str, colour: str) -> None:
    bounds = (rows[bound].to_numpy(float) for bound in ("ci_low", "ci_high"))
    tasks.intervals(panel, None, y, *bounds, horizontal=True, colors=colour, linewidth=1)
    for is_found in (False, True):
        chosen = rows["is_found"].to_numpy(bool) == is_found
        face = colour if is_found else "white"
        panel.plot(
            rows["excess"].to_numpy()[chosen], y[chosen], marker, color=colour, markerfacecolor=face, markersize=3.6
        )


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per task and model."""
    if table["rank"].isna().all():
        return EMPTY
    sentences = []
    for (task, _, label), rows in tasks.by_model(table):
        known = rows[rows["rank"].notna()]
        summary = f"{shared.extremes(known)}; {_counted(rows)}" if len(known) else "no value"
        band = rows[["band_low", "band_high"]].iloc[0]
        if band.notna().all():
            summary += f" ({' to '.join(map(shared.signed, band))})"
        sentences.append(f"{task}, {label}: {summary}.")
    return f"Countries ranked by task and model: {shared.EFFECT}, with intervals. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """All countries by rank, interactive, one panel per task and model."""
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "excess": "estimate"})
    return [
        shaded(
            scatter(f"{task}, {label}", rows, "rank", _AXIS, of_task),
            *("y", *rows[["band_low", "band_high"]].iloc[0], "made-up names"),
        )
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ]
