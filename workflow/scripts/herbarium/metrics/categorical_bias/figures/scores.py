"""The covariance across forms by language and model, with CB."""

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC, PRIMARY
from herbarium.metrics.categorical_bias.stimuli import Languages

COLUMNS = [*shared.PLACE, "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]
VARIANTS = (PRIMARY, "cb", "cb_equal_length")
EMPTY = style.Empty("No language has a score to show.")
_ACROSS, _ALL = ("paper", PRIMARY), ("paper", "cb")
_EQUAL, _RELEASED = ("paper", "cb_equal_length"), ("released", "cb")
# Score -> its name; there is none for equal length as released.
_NAMES = {
    _ACROSS: "covariance across forms",
    _ALL: "CB",
    _EQUAL: "CB, targets of equal length",
    _RELEASED: "CB, released",
}


def table(numbers: pd.DataFrame, languages: Languages, models: list[dict]) -> pd.DataFrame:
    """The scores of the leading list, base words.

    numbers: tidy rows. languages, models: as for `shared.places`.

    Returns one row per language, model, definition (paper, released) and variant (VARIANTS), with COLUMNS: numbers in
    squared natural logarithms, null if there are none; `n` targets.
    """
    places = shared.places(languages, models)
    places["group"] = places["language"] + "/" + places["list"]
    scores = pd.MultiIndex.from_product([("paper", "released"), VARIANTS], names=["definition", "variant"])
    scored = numbers[(numbers["metric"] == METRIC) & (numbers["unit"] == "list")]
    return (
        places.merge(scores.to_frame(index=False), how="cross")
        .merge(
            scored.drop(columns=["metric", "unit"]),
            how="left",
            on=["model", "group", "definition", "variant"],
            validate="many_to_one",
        )[COLUMNS]
        .astype({"n": "Int64"})
    )


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the scores of each language and model."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for (language, _), rows in table.groupby(["language", "model"], sort=False):
        score = rows.set_index(["definition", "variant"])[["estimate", "ci_low", "ci_high"]]
        across, cb, equal = (style.with_interval(*score.loc[name], ".3g") for name in (_ACROSS, _ALL, _EQUAL))
        released = style.with_interval(score.loc[_RELEASED, "estimate"], np.nan, np.nan, ".3g")
        name = shared.label(rows.iloc[0])
        sentences.append(
            f"{language}, {name}: covariance across forms {across}; CB {cb}; over pairs of targets of equal length "
            f"{equal}; as released {released}."
        )
    return f"Dot plot of Categorical Bias by language and model. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot, one line per language and model. table: rows of `table` (see there)."""
    if table["estimate"].isna().all():
        return []
    scores = pd.Series(zip(table["definition"], table["variant"], strict=True), table.index)
    line = table["language"] + ", " + interactive.labels(table)
    shown = table.assign(series=scores.map(_NAMES), line=line).dropna(subset="series")
    looks = style.looks(_NAMES.values())
    return [interactive.forest("", shown, "variance or covariance of log P' over targets (no unit)", looks)]
