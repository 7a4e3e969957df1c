"""Bias scores with their t intervals over words, templates and targets, and those of the paper's model."""

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.fits import CROSSED, EQUIVALENCE, INTERCEPTS

_NUMBERS = ["n", "estimate", "std_error", "df", "ci_low", "ci_high", "p_value", "p_adjusted", *EQUIVALENCE]
_OF_FIT = ["converged", "singular", "note"]
_PAPER = ", as in the paper"
COLUMNS = [*shared.PLACE, "structure", *_NUMBERS, "interval_level", "within", *_OF_FIT]

EMPTY = shared.EMPTY


def table(
    fits: pd.DataFrame, stimuli: list[str], models: list[dict], interval_level: float, equivalence_ratio: float
) -> pd.DataFrame:
    """Bias scores of the main questions: over crossed words, templates and targets, and of the paper's model.

    fits: of the schema "adjusted_fits". stimuli, models: as for `shared.ordered`. interval_level,
    equivalence_ratio: of the study.

    Returns one row per set of stimuli, contrast, dimension, model and structure (crossed, intercepts), with COLUMNS:
    natural logarithms. `within`: the bound of the equivalence test.
    """
    rows = shared.main(fits, stimuli, models, [CROSSED, INTERCEPTS])
    return rows.assign(interval_level=interval_level, within=np.log(equivalence_ratio))[COLUMNS]


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot per set of stimuli and contrast, one line per dimension; the paper's model thinner.

    table: rows of `table` (see there).
    """
    suffix = pd.Series(_PAPER, table.index).where(table["structure"] == INTERCEPTS, "")
    labels = interactive.labels(table)
    # both scores of a model have its colour, in all panels
    looks = interactive.looks_of(table)
    looks |= {name + _PAPER: look for name, look in looks.items()}
    bound = table["within"].max()
    plots = []
    for title, rows in shared.by_question(table.assign(series=labels + suffix)):
        axis = f"bias score (natural logarithm), {rows['interval_level'].iloc[0]:.0%} intervals"
        panel = interactive.forest(title, rows, axis, looks)
        for trace in panel["data"]:
            if trace.get("name", "").endswith(_PAPER):  # arrows to what is beyond the axis have none
                trace["marker"]["size"], trace["error_x"]["thickness"] = 4, 0.6
        plots.append(interactive.shaded(panel, "x", -bound, bound, "within the bound of the equivalence test"))
    return plots


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: range and significance of the scores of each model."""
    if table["estimate"].isna().all():
        return shared.EMPTY
    sentences = []
    for (name, contrast), of_contrast in table.groupby(["data", "contrast"], sort=False):
        for model, rows in of_contrast.groupby("model", sort=False):
            main = rows[rows["structure"] == CROSSED]
            label = style.label(model, rows["planted"].iloc[0])
            sentences.append(f"{name}, {shared.versus(contrast)}, {label}: {_range(main)}; {_significant(main)}.")
    return f"Forest plot of bias scores by dimension and model. {' '.join(sentences)}"


def _range(rows: pd.DataFrame) -> str:
    known = rows.dropna(subset="estimate")
    if known.empty:
        return "no value"
    low, high = known.loc[known["estimate"].idxmin()], known.loc[known["estimate"].idxmax()]
    ends = [f"{style.text(row['estimate'], '.3g')} ({row['dimension']})" for row in (low, high)]
    return ends[0] if len(known) == 1 else f"from {ends[0]} to {ends[1]}"


def _significant(rows: pd.DataFrame) -> str:
    return f"{(rows['p_adjusted'] < shared.ALPHA).sum()} of {len(rows)} are significant"
