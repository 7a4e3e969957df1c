"""HERB by region: a dot with its interval for each model, for the root of the hierarchy and each region directly below
it.

The figure shows the crossed distance; tables may have other scores.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.drawing.style import SCALE
from herbarium.metrics.herb import crossed

EMPTY = style.Empty("No region has a score to show.")


def table(
    summary: pd.DataFrame, regions: pd.DataFrame, models: list[dict], variant: str = crossed.VARIANT
) -> pd.DataFrame:
    """One score for the root and its children.

    summary: tidy table. regions: table of regions. models: model records, in any order. variant: of metric "herb", or
    the crossed distance.

    Returns one row per model (planted ones by strength) and region (the root first): `model, planted, region, level,
    name, n, estimate, std_error, ci_low, ci_high, note`, unscaled; null if the summary has no such number, and for a
    region with one sub-region: its 0 is over no pair, and would be read as no bias.
    """
    metric, definition = (crossed.METRIC, crossed.DEFINITION) if variant == crossed.VARIANT else ("herb", "paper")
    wanted = (summary["metric"] == metric) & (summary["definition"] == definition) & (summary["variant"] == variant)
    numbers = summary.loc[wanted].rename(columns={"group": "region"})
    columns = ["model", "region", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]
    if metric == "herb":
        numbers = numbers.assign(estimate=numbers["estimate"].mask(numbers["n"] == 1))
    return (
        places(regions, models)
        .merge(numbers[columns], how="left", on=["model", "region"], validate="one_to_one")
        .astype({"n": "Int64"})
    )


def places(regions: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """The first columns of `table`: one row per model and region, the root and then its children."""
    root = regions[regions["parent"].isna()]
    shown = pd.concat([root, regions[regions["parent"].isin(root["region"])]])[["region", "level", "name"]]
    order = pd.DataFrame([{"model": model["name"], "planted": model["planted"]} for model in style.by_strength(models)])
    return order.astype({"planted": "float64"}).merge(shown, how="cross")


def title(name: str) -> str:
    """A region's name at the start of a line: "the Earth" is capitalised."""
    return name[:1].upper() + name[1:]


def figure(table: pd.DataFrame) -> Figure:
    """Dot plot of the rows of `table` (see there), times 1e3, with their intervals if they have any."""
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    regions = table["region"].drop_duplicates().tolist()
    rows = table.set_index(["model", "region"])
    looks = style.looks(models["model"])
    step = 0.14  # inches between two models of one region
    with style.context():
        height = 1.1 + 0.2 * len(models) + len(regions) * (step * len(models) + 0.2)
        figure = Figure(figsize=(4.8, height))
        axes = figure.add_subplot()
        for place, (model, planted) in enumerate(models.itertuples(index=False)):
            own = rows.loc[model].loc[regions]
            y = np.arange(len(regions)) + (place - (len(models) - 1) / 2) * step / (step * len(models) + 0.2)
            x = SCALE * own["estimate"].to_numpy(float)
            colour, marker = looks[model]
            axes.hlines(y, SCALE * own["ci_low"], SCALE * own["ci_high"], colors=colour, linewidth=1.4)
            axes.plot(x, y, marker, color=colour, markersize=4.5, label=style.label(model, planted))
        axes.set_yticks(range(len(regions)), [_tick(table[table["region"] == region]) for region in regions])
        axes.set_ylim(len(regions) - 0.5, -0.5)
        for border in range(len(regions) - 1):
            axes.axhline(border + 0.5, color="#999999" if border == 0 else "#e4e4e4", linewidth=0.6)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("crossed distance $D^2$ × 10³\n(log-probability per token, squared)\nn: names compared")
        axes.axvline(0, color="#333333", linewidth=0.8, linestyle="--")
        figure.legend(loc="outside upper left", ncols=1)
    return figure


def _tick(rows: pd.DataFrame) -> str:
    """Name of a region and the number of its sub-regions, or all numbers if models differ."""
    counts = "/".join(str(n) for n in rows["n"].dropna().unique())
    return f"{title(rows['name'].iloc[0])}\nn = {counts or '–'}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The dots of `figure`, interactive (`drawing.panels`). table: as for `figure`."""
    if table.empty:
        return []
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    rows = table.assign(**scaled, line=table["name"].map(title), series=interactive.labels(table))
    return [interactive.forest("", rows, "crossed distance D² × 10³")]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: range and place of the extremes, one sentence per model."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        rows = rows.dropna(subset="estimate")
        if rows.empty:
            sentences.append(f"{style.label(model, planted)}: no value.")
            continue
        low, high = rows.loc[rows["estimate"].idxmin()], rows.loc[rows["estimate"].idxmax()]
        sentences.append(
            f"{style.label(model, planted)}: from {SCALE * low['estimate']:.3g} ({low['name']}) "
            f"to {SCALE * high['estimate']:.3g} ({high['name']})."
        )
    return "Dot plot of the crossed distance times 1000 by region. " + " ".join(sentences)
