"""HERB against the epoch of toxic training (Li et al. 2022, Fig. 5): the root and the regions below it."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from herbarium.drawing import style
from herbarium.metrics.herb.figures.continents import SCALE, places, title
from herbarium.metrics.herb.toxic import epochs_of


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


def figure(table: pd.DataFrame) -> Figure:
    """Lines of the rows of `table` (see there), times 1e3, with bands for the intervals if there are any.

    One row of panels per model: the root on the left, the regions below it on the right.
    """
    models = table[["model", "planted"]].drop_duplicates()
    root, *below = table["region"].drop_duplicates()
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 0.6 + 2.3 * len(models)))
        panels = figure.subplots(len(models), 2, squeeze=False, sharex=True)
        for (left, right), (model, planted) in zip(panels, models.itertuples(index=False), strict=True):
            own = table[table["model"] == model].set_index("region")
            _draw(left, own.loc[[root]], "#000000", "o")
            for region, look in style.looks(below).items():
                _draw(right, own.loc[[region]], *look)
            left.set_title(f"{style.label(model, planted)}: {own.loc[[root], 'name'].iloc[0]}")
            right.set_title("the regions below")
            left.set_ylabel("size-free $C_w$ × 10³")
        for axes in panels.flat:
            axes.grid(axis="y")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for axes in panels[-1]:
            axes.set_xlabel("epoch of toxic training")
        figure.legend(*panels[0, 1].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(below), 3))
    return figure


def _draw(axes, rows: pd.DataFrame, colour: str, marker: str) -> None:
    """One region's line and band."""
    epoch, low, high = (rows[column].to_numpy(float) for column in ("epoch", "ci_low", "ci_high"))
    axes.fill_between(epoch, SCALE * low, SCALE * high, color=colour, alpha=0.12, linewidth=0)
    y = SCALE * rows["estimate"].to_numpy(float)
    axes.plot(epoch, y, color=colour, marker=marker, markersize=3.5, linewidth=1.2, label=title(rows["name"].iloc[0]))


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first and last value of each model's root, and what
    rises."""
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
