"""R² of linear mixed models, the share of variance that the group explains, with its bootstrap interval."""

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.effect_sizes import BANDS, SYMBOLS, band, is_biased, symbol
from herbarium.statistics.fits import INTERCEPTS

_R2 = ["r2", "r2_low", "r2_high"]
_RAW = ["r2_raw", "r2_raw_low", "r2_raw_high"]
COLUMNS = [
    *shared.PLACE,
    *("n", *_R2, "band", "symbol", *_RAW, "p_value", "p_adjusted", "is_biased"),
    *("interval_level", "converged", "singular", "note"),
]
_SHADES = ("#ffffff", "#efefef")


def table(fits: pd.DataFrame, stimuli: list[str], models: list[dict], interval_level: float) -> pd.DataFrame:
    """R² of the main questions.

    fits: of the schema "adjusted_fits". stimuli, models: as for `shared.ordered`. interval_level: of the
    study.

    Returns one row per set of stimuli, contrast, dimension and model, with COLUMNS. `r2` is for weights of mean 1, with
    Cohen's `band` and the paper's `symbol`; `r2_raw` for weights as they are. `is_biased`: by the paper's decision.
    """
    rows = shared.main(fits, stimuli, models, [INTERCEPTS])
    known = rows["r2"].notna()
    return rows.assign(
        band=rows.loc[known, "r2"].map(band).reindex(rows.index),
        symbol=rows.loc[known, "r2"].map(symbol).reindex(rows.index),
        is_biased=[is_biased(p, r2) for p, r2 in zip(rows["p_value"], rows["r2"], strict=True)],
        interval_level=interval_level,
    )[COLUMNS]


def figure(table: pd.DataFrame) -> Figure:
    """Dots with intervals on a square-root axis over Cohen's bands: one panel per contrast, one row per dimension.

    An axis ends with the band that the highest interval reaches. table: rows of `table` (see there).
    """
    if table["r2"].isna().all():
        return style.note(shared.EMPTY)
    looks, level = shared.looks(table), table["interval_level"].iloc[0]
    with style.context():
        figure, axes = shared.blocks(table, shared.AROUND + 0.85)
        for name, of_stimuli in table.groupby("data", sort=False):
            of_stimuli = of_stimuli.assign(y=shared.rows_of(of_stimuli))
            for contrast, of_contrast in of_stimuli.groupby("contrast", sort=False):
                panel = axes[name, contrast]
                _bands(panel, of_contrast[_R2].max(axis=None))
                for model, rows in of_contrast.groupby("model", sort=False):
                    _, marker, colour = looks[model]
                    panel.hlines(rows["y"], rows["r2_low"], rows["r2_high"], colors=colour, linewidth=1.2)
                    is_filled = rows["p_adjusted"] < shared.ALPHA
                    shared.points(panel, rows["r2"], rows["y"], is_filled, marker, colour, 4.5)
                shared.failures(panel, of_contrast, "r2")
        shared.caption(
            figure,
            "R² of the group (share of variance, 0 to 1; square-root axis)",
            f"Lines: {level:.0%} intervals of a parametric bootstrap. Filled: bias score with p < {shared.ALPHA:g}, "
            "adjusted. Bands after Cohen, with the paper's symbols: the paper calls very small ones no bias, small "
            f"ones are ▽, △ or ▲. n: sentences, over models and contrasts. {shared.RING}",
        )
        shared.legend(figure, table)
    return figure


def _bands(panel, highest: float) -> None:
    """Cohen's bands as stripes with their names above, and the paper's symbols. highest: value that is drawn."""
    edges = [*BANDS.values(), 1.0]
    edges = edges[: max(3, np.searchsorted(edges, highest) + 1)]
    panel.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    panel.set_xlim(0, edges[-1])
    panel.set_xticks(edges, [f"{edge:g}" for edge in edges], fontsize=7.5)
    panel.grid(False)
    for place, (low, high) in enumerate(pairwise(edges)):
        panel.axvspan(low, high, color=_SHADES[place % 2], linewidth=0, zorder=0)
    for name, (low, high) in zip(SYMBOLS, pairwise([*SYMBOLS.values(), 1.0]), strict=True):
        if low not in edges:
            panel.axvline(low, color="#bbbbbb", linewidth=0.5, linestyle=":", zorder=0.5)
        if low < edges[-1]:
            x = _middle(low, min(high, edges[-1])) ** 2
            panel.text(x, 1.005, name, transform=panel.get_xaxis_transform(), ha="center")
    names = panel.twiny()  # its axis is of square roots
    names.set_xlim(0, np.sqrt(edges[-1]))
    middles = [_middle(low, high) for low, high in pairwise(edges)]
    names.set_xticks(middles, list(BANDS)[: len(middles)], rotation=90, fontsize=7.5)
    names.tick_params(length=0, pad=12)
    names.grid(False)


def _middle(low: float, high: float) -> float:
    """The square root that is halfway."""
    return (np.sqrt(low) + np.sqrt(high)) / 2


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot per set of stimuli and contrast."""
    numbers = table[_R2].set_axis(["estimate", "ci_low", "ci_high"], axis="columns")
    table = table.assign(**numbers, series=interactive.labels(table))
    looks = style.looks(table["series"])
    return [interactive.forest(title, rows, "R² (0 to 1)", looks) for title, rows in shared.by_question(table)]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: range of R², and the number in each band."""
    if table["r2"].isna().all():
        return shared.EMPTY
    sentences = []
    for (name, contrast, model), rows in table.groupby(["data", "contrast", "model"], sort=False):
        label = style.label(model, rows["planted"].iloc[0])
        known = rows.dropna(subset="r2")
        said = "no value"
        if len(known):
            counts = ", ".join(f"{n} {name}" for name in BANDS if (n := (known["band"] == name).sum()))
            said = f"R² from {known['r2'].min():.2g} to {known['r2'].max():.2g} ({counts})"
        sentences.append(
            f"{name}, {shared.versus(contrast)}, {label}: {said}; biased by the paper's decision in "
            f"{rows['is_biased'].astype(bool).sum()} of {len(rows)}."
        )
    return f"Dots of R² by dimension and model over Cohen's bands. {' '.join(sentences)}"
