"""What the figures of mixed effects share: the fits that they show, their order and positions."""

import textwrap
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import style
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE

DEFINITION, SUBSET = "paper", "all"
CONTRAST = f"{MALE}-{FEMALE}"
ALPHA = 0.05  # the paper's level (Section 2.3)
PLACE = ["data", "contrast", "dimension", "model", "planted"]
EMPTY = style.Empty("No stimuli have a bias score to show.")
RING = "Ringed: the fit did not converge."
# Inches between two models of a dimension, between two dimensions, and around the panels of a set.
_STEP, _GAP, AROUND = 0.125, 0.2, 0.95
_CAPTION = 105  # characters per line


def main(fits: pd.DataFrame, stimuli: Iterable[str], models: Iterable[dict], structures: Iterable[str]) -> pd.DataFrame:
    """The fits of the paper's main questions: definition `paper`, positive targets in all templates.

    fits: of the schema "adjusted_fits". structures: of random effects. The other arguments, and the order, are
    those of `ordered`.
    """
    is_main = (fits["definition"] == DEFINITION) & (fits["subset"] == SUBSET) & fits["structure"].isin(structures)
    return ordered(fits[is_main], stimuli, models)


def ordered(
    rows: pd.DataFrame, stimuli: Iterable[str], models: Iterable[dict], by: Iterable[str] = (*PLACE[:3], "model")
) -> pd.DataFrame:
    """Rows of some stimuli with `planted`, in the order of the figures: stimuli as given, planted models by strength,
    all else unchanged.

    rows: with the columns `by`, the first one sorted first. models: model records, in any order.
    """
    models = style.by_strength(models)
    rows = rows[rows["data"].isin(list(stimuli))]
    rows = rows.assign(planted=rows["model"].map({model["name"]: model["planted"] for model in models}).astype(float))
    orders = {key: list(rows[key].unique()) for key in by}
    orders |= {"data": list(stimuli), "model": [model["name"] for model in models]}
    ranks = {key: {value: place for place, value in enumerate(values)} for key, values in orders.items()}
    return rows.sort_values(
        list(by), key=lambda column: column.map(ranks[column.name]), kind="stable", ignore_index=True
    )


def magnitudes(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with |estimate| for the estimate, and its interval: from 0 if the original contains zero."""
    low, high = rows["ci_low"], rows["ci_high"]
    ends = pd.concat([low.abs(), high.abs()], axis="columns")
    nearest = ends.min(axis="columns", skipna=False).mask((low <= 0) & (high >= 0), 0.0)
    return rows.assign(estimate=rows["estimate"].abs(), ci_low=nearest, ci_high=ends.max(axis="columns", skipna=False))


def looks(table: pd.DataFrame) -> dict[str, tuple[str, str, str]]:
    """Model -> its label, marker and colour. table: with `model` and `planted`, in order."""
    models = table[["model", "planted"]].drop_duplicates()
    looks = style.looks(models["model"])
    return {
        model: (style.label(model, planted), looks[model].marker, looks[model].colour)
        for model, planted in models.itertuples(index=False)
    }


def blocks(table: pd.DataFrame, around: float = AROUND) -> tuple[Figure, dict[tuple[str, str], Axes]]:
    """A figure with one block per set of stimuli, each with one panel per contrast whose rows are dimensions; and its
    panels, by set and contrast.

    table: with PLACE and `n`, in order. around: inches around the panels of a set.
    """
    sets = list(table.groupby("data", sort=False))
    heights = [around + of["dimension"].nunique() * _height(of) for _, of in sets]
    legend = 0.19 * (-(-table["model"].nunique() // 2) + 1)
    figure = Figure(figsize=(style.WIDTH, 0.9 + legend + sum(heights)))
    parts = figure.subfigures(len(sets), 1, squeeze=False, height_ratios=heights)[:, 0]
    found = {}
    for part, (name, of) in zip(parts, sets, strict=True):
        contrasts = list(of["contrast"].unique())
        dimensions = of.groupby("dimension", sort=False)
        beside = part.subplots(1, len(contrasts), squeeze=False, sharey=True)[0]
        for panel, contrast in zip(beside, contrasts, strict=True):
            panel.set_title(versus(contrast), parse_math=False)
            panel.grid(axis="x")
            panel.tick_params(axis="y", length=0)
            for border in range(len(dimensions) - 1):
                panel.axhline(border + 0.5, color="#e4e4e4", linewidth=0.6)
            found[name, contrast] = panel
        ticks = [f"{dimension}\nn = {span(rows['n'])}" for dimension, rows in dimensions]
        beside[0].set_yticks(range(len(dimensions)), ticks, fontsize=8.5, parse_math=False)
        beside[0].set_ylim(len(dimensions) - 0.5, -0.5)
        part.suptitle(name, x=0.01, ha="left", fontsize=10, fontweight="bold", parse_math=False)
    return figure, found


def _height(of: pd.DataFrame) -> float:
    """Inches per dimension of a set of stimuli."""
    return _STEP * of["model"].nunique() + _GAP


def rows_of(of: pd.DataFrame) -> pd.Series:
    """The position of each row of a set of stimuli, in dimensions from the top."""
    dimension, model = (of[key].map({name: i for i, name in enumerate(of[key].unique())}) for key in PLACE[2:4])
    return dimension + (model - (of["model"].nunique() - 1) / 2) * _STEP / _height(of)


def half_step(of: pd.DataFrame) -> float:
    """The largest offset of a model's marks from its row, in dimensions."""
    return 0.42 * _STEP / _height(of)


def points(panel: Axes, x, y, is_filled, marker: str, colour: str, size: float) -> None:
    """Markers, filled or not."""
    for fill in (False, True):
        shown = np.asarray(is_filled, bool) == fill
        if shown.any():
            places = (np.asarray(values, float)[shown] for values in (x, y))
            face = colour if fill else "white"
            # an R² of 0 is on the edge
            panel.plot(*places, marker, color=colour, markerfacecolor=face, markersize=size, clip_on=False)


def failures(panel: Axes, of: pd.DataFrame, column: str) -> None:
    """Mark fits without a number, and ring those that did not converge. of: rows with `y`. column: the number."""
    for y in of.loc[of[column].isna(), "y"]:
        panel.annotate("no value", (0.02, y), xycoords=panel.get_yaxis_transform(), fontsize=6.5, va="center")
    lost = of[~of["converged"].astype(bool)]
    panel.plot(lost[column], lost["y"], "o", color="#000000", markerfacecolor="none", markersize=9, markeredgewidth=0.7)


def caption(figure: Figure, axis: str, text: str) -> None:
    """The label of the x axis, and how to read the figure."""
    figure.supxlabel(f"{axis}\n{textwrap.fill(text, _CAPTION)}", fontsize=8.5, parse_math=False)


def legend(figure: Figure, table: pd.DataFrame) -> None:
    """The models. table: as for `looks`."""
    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=4.5, label=label)
        for label, marker, colour in looks(table).values()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2)


def by_question(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title and rows of each panel of an interactive figure: stimuli and contrast; a `line` is a dimension, its
    `topic` too. Rows without `estimate` are left out."""
    rows = table.dropna(subset="estimate").rename(columns={"dimension": "line"})
    rows = rows.assign(topic=rows["line"])
    for (name, contrast), own in rows.groupby(["data", "contrast"], sort=False):
        yield f"{name}, {versus(contrast)}", own


def versus(contrast: str) -> str:
    """A contrast in words."""
    first, _, second = contrast.rpartition("-")
    return f"{first} against {second}"


def span(counts: pd.Series) -> str:
    """From the least to the most."""
    low, high = counts.min(), counts.max()
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
