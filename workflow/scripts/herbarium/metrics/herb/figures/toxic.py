"""HERB against the epoch of toxic training (Li et al. 2022, Fig. 5): the root and the regions below it."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.herb.figures.continents import SCALE, places, title
from herbarium.metrics.herb.toxic import epochs_of

EMPTY = style.Empty("No region has a score after an epoch of toxic training.")


def table(
    summary: pd.DataFrame, regions: pd.DataFrame, models: list[dict], variant: str = "C_w_size_free"
) -> pd.DataFrame:
    """One variant of HERB after each epoch, for the root and its children.

    summary: tidy table. regions: table of regions. models: records of the models that were trained, in any order.

    Returns one row per model (planted ones by strength), region (the root first) and epoch (0: before the training):
    `model, planted, region, level, name, epoch, n, estimate, std_error, ci_low, ci_high, note`, unscaled; a region
    without numbers has one row of null values.
    """
    numbers = summary[(summary["metric"] == "herb_toxic") & (summary["definition"] == "paper")]
    numbers = numbers.assign(epoch=epochs_of(numbers["variant"], variant)).dropna(subset="epoch")
    columns = ["model", "region", "epoch", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]
    return (
        places(regions, models)
        .merge(numbers.rename(columns={"group": "region"})[columns], how="left", on=["model", "region"])
        .astype({"n": "Int64"})
    )


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first and last value of each model's root, and what
    rises."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    root = table["region"].iloc[0]
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        first, last = (rows[rows["epoch"] == epoch].set_index("region") for epoch in (0, rows["epoch"].max()))
        if root not in last.index:
            sentences.append(f"{style.label(model, planted)}: no value.")
            continue
        rises = (last["estimate"] > first["estimate"]).drop(root)
        start, end = (SCALE * rows.loc[root, "estimate"] for rows in (first, last))
        sentences.append(
            f"{style.label(model, planted)}: {last.loc[root, 'name']} from {start:.3g} to {end:.3g} after epoch "
            f"{last.loc[root, 'epoch']:g}; higher than before in {rises.sum()} of {len(rises)} regions below it."
        )
    return "Lines of size-free C_w times 1000 against the epoch of toxic training. " + " ".join(sentences)


def panels(table: pd.DataFrame) -> list[dict]:
    """Two panels per model, of numbers times 1e3 with their intervals: the root, and the regions directly below it.

    table: rows of `table` (see there).
    """
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    table = table.assign(**scaled, x=table["epoch"].astype(float), series=table["name"].map(title))
    table = table.assign(line="epoch " + table["epoch"].astype(str)).dropna(subset="estimate")
    looks, axes = style.looks(table["series"]), ("epoch of toxic training", "size-free C<sub>w</sub> × 10³")
    plots = []
    for label, rows in interactive.by_model(table):
        is_root = rows["level"] == table["level"].iloc[0]
        for what, shown in (("", rows[is_root]), (", the regions below", rows[~is_root])):
            if len(shown):
                plots.append(interactive.lines(f"{label}{what}", shown, axes, looks))
    return plots
