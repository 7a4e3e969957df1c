"""Bias scores with their t intervals over words, templates and targets, and those of the paper's model."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.fits import CROSSED, EQUIVALENCE, INTERCEPTS

_NUMBERS = ["n", "estimate", "std_error", "df", "ci_low", "ci_high", "p_value", "p_adjusted", *EQUIVALENCE]
_OF_FIT = ["converged", "singular", "note"]
_PAPER = ", as in the paper"
COLUMNS = [*shared.PLACE, "structure", *_NUMBERS, "interval_level", "within", *_OF_FIT]


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


def figure(table: pd.DataFrame) -> Figure:
    """A forest plot: one block per set of stimuli, one panel per contrast, one row per dimension, with one line per
    model.

    table: rows of `table` (see there).
    """
    if table["estimate"].isna().all():
        return style.note(shared.EMPTY)
    looks = shared.looks(table)
    bound, level = table["within"].iloc[0], table["interval_level"].iloc[0]
    with style.context():
        figure, axes = shared.blocks(table)
        for name, of_stimuli in table.groupby("data", sort=False):
            of_stimuli = of_stimuli.assign(y=shared.rows_of(of_stimuli))
            for contrast, of_contrast in of_stimuli.groupby("contrast", sort=False):
                panel = axes[name, contrast]
                panel.axvspan(-bound, bound, color="#ececec", linewidth=0, zorder=0)
                panel.axvline(0, color="#777777", linewidth=0.7)
                for model, of_model in of_contrast.groupby("model", sort=False):
                    _draw(panel, of_model, shared.half_step(of_stimuli), *looks[model][1:])
                shared.failures(panel, of_contrast[of_contrast["structure"] == CROSSED], "estimate")
        shared.caption(
            figure,
            "bias score (difference of log-probability ratios, natural logarithm)",
            f"To the right of 0, words of the first group are more associated with the targets. Lines: {level:.0%} t "
            f"intervals over words, templates and targets; thin and below, of the paper's model, whose standard "
            f"error is too small. Filled: p < {shared.ALPHA:g}, adjusted. Grey: ±{bound:.3g}, the bound of the "
            f"equivalence test. n: sentences, over models and contrasts. {shared.RING}",
        )
        shared.legend(figure, table)
    return figure


def _draw(panel, of_model: pd.DataFrame, below: float, marker: str, colour: str) -> None:
    """The scores of a model. below: offset of the paper's model from the other, in rows."""
    for structure, width, size, shift in ((CROSSED, 1.6, 4.5, 0.0), (INTERCEPTS, 0.6, 2.2, below)):
        rows = of_model[of_model["structure"] == structure]
        y = rows["y"] + shift
        panel.hlines(y, rows["ci_low"], rows["ci_high"], colors=colour, linewidth=width)
        shared.points(panel, rows["estimate"], y, rows["p_adjusted"] < shared.ALPHA, marker, colour, size)


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot per set of stimuli and contrast."""
    suffix = pd.Series(_PAPER, table.index).where(table["structure"] == INTERCEPTS, "")
    labels = interactive.labels(table)
    # both scores of a model have its colour, in all panels
    looks = style.looks(labels)
    looks |= {name + _PAPER: look for name, look in looks.items()}
    bound = table["within"].max()
    found = []
    for title, rows in shared.by_question(table.assign(series=labels + suffix)):
        panel = interactive.forest(title, rows, "bias score (natural logarithm)", looks)
        for trace in panel["data"]:
            if trace["name"].endswith(_PAPER):
                trace["marker"]["size"], trace["error_x"]["thickness"] = 4, 0.6
        found.append(interactive.shaded(panel, "x", -bound, bound, "within the bound of the equivalence test"))
    return found


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
