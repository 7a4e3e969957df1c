"""HERB by region: a dot with its interval for each model, for the root of the hierarchy and each region directly below
it.

The figure shows the crossed distance; tables may have other scores.
"""

import pandas as pd

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


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel, of the numbers times 1e3. table: rows of `table` (see there)."""
    if table["estimate"].isna().all():
        return []
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    counted = table.groupby("region")["n"].unique().map(lambda counts: "/".join(map(str, counts[~pd.isna(counts)])))
    line = table["name"].map(title) + " (n = " + table["region"].map(counted).replace("", "–") + ")"
    rows = table.assign(**scaled, line=line, series=interactive.labels(table))
    axis = "crossed distance D² × 10³ (log-probability per token, squared)"
    return [interactive.forest("", rows, axis, interactive.looks_of(table))]


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
