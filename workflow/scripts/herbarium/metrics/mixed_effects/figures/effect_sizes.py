"""R² of linear mixed models, the share of variance that the group explains, with its bootstrap interval."""

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.effect_sizes import BANDS, band, is_biased, symbol
from herbarium.statistics.fits import INTERCEPTS

_R2 = ["r2", "r2_low", "r2_high"]
_RAW = ["r2_raw", "r2_raw_low", "r2_raw_high"]
COLUMNS = [
    *shared.PLACE,
    *("n", *_R2, "band", "symbol", *_RAW, "p_value", "p_adjusted", "is_biased"),
    *("interval_level", "converged", "singular", "note"),
]
AXIS = "R² of the group; lines: bounds of Cohen's bands"

EMPTY = shared.EMPTY


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


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot per set of stimuli and contrast, one line per dimension, over the bounds of Cohen's bands.

    An axis ends with the band that the highest interval reaches. table: rows of `table` (see there).
    """
    numbers = table[_R2].set_axis(["estimate", "ci_low", "ci_high"], axis="columns")
    table = table.assign(**numbers, series=interactive.labels(table))
    looks, plots = interactive.looks_of(table), []
    for title, rows in shared.by_question(table):
        edges = [*BANDS.values(), 1.0]
        edges = edges[: max(3, np.searchsorted(edges, rows[_R2].max(axis=None)) + 1)]
        plots.append(interactive.forest(title, rows, AXIS, looks, edges[1:-1], (0, edges[-1])))
    return plots


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: range of R², and the number in each band."""
    if table["r2"].isna().all():
        return shared.EMPTY
    sentences = []
    for (name, contrast, model), rows in table.groupby(["data", "contrast", "model"], sort=False):
        label = style.label(model, rows["planted"].iloc[0])
        known = rows.dropna(subset="r2")
        summary = "no value"
        if len(known):
            counts = ", ".join(f"{n} {name}" for name in BANDS if (n := (known["band"] == name).sum()))
            summary = f"R² from {known['r2'].min():.2g} to {known['r2'].max():.2g} ({counts})"
        sentences.append(
            f"{name}, {shared.versus(contrast)}, {label}: {summary}; biased by the paper's decision in "
            f"{rows['is_biased'].astype(bool).sum()} of {len(rows)}."
        )
    return f"Dots of R² by dimension and model over Cohen's bands. {' '.join(sentences)}"
