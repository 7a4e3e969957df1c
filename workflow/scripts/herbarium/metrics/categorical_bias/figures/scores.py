"""The covariance across forms by language and model, with CB."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC, PRIMARY
from herbarium.metrics.categorical_bias.stimuli import PAPER, RELEASED, WHOLE, Languages

COLUMNS = [*shared.PLACE, "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]
VARIANTS = (PRIMARY, "cb", "cb_equal_length")
EMPTY = style.Empty("No language has a score to show.")
# Variant -> its name.
_VARIANTS = dict(zip(VARIANTS, ("covariance across forms", "CB", "CB, targets of equal length"), strict=True))
# Score -> its name; as released there is only CB. Those of causal models, on another scale, have names of their own.
_NAMES = {
    **{(PAPER, variant): name for variant, name in _VARIANTS.items()},
    (RELEASED, "cb"): "CB, released",
    **{(WHOLE, variant): f"{name}, causal" for variant, name in _VARIANTS.items()},
}


def table(numbers: pd.DataFrame, languages: Languages, models: list[dict]) -> pd.DataFrame:
    """The scores of the leading list, base words.

    numbers: tidy rows. languages, models: as for `shared.places`.

    Returns one row per language, model, definition of its kind and variant (VARIANTS), with COLUMNS: numbers in squared
    natural logarithms, null if there are none; `n` targets.
    """
    places = shared.places(languages, models)
    places["group"] = places["language"] + "/" + places["list"]
    scored = numbers[(numbers["metric"] == METRIC) & (numbers["unit"] == "list")]
    definitions = scored[["model", "definition"]].drop_duplicates()
    return (
        places.merge(definitions, on="model")
        .merge(pd.DataFrame({"variant": VARIANTS}), how="cross")
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
        named = [(name, score.loc[key]) for key, name in _NAMES.items() if key in score.index]
        values = "; ".join(f"{name} {style.with_interval(*bounds, '.3g')}" for name, bounds in named)
        sentences.append(f"{language}, {shared.label(rows.iloc[0])}: {values}.")
    return f"Dot plot of Categorical Bias by language and model. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot, one line per language and model. table: rows of `table` (see there)."""
    if table["estimate"].isna().all():
        return []
    scores = pd.Series(zip(table["definition"], table["variant"], strict=True), table.index)
    line = table["language"] + ", " + interactive.labels(table)
    shown = table.assign(series=scores.map(_NAMES), line=line).dropna(subset="series")
    looks = style.looks(name for name in _NAMES.values() if (shown["series"] == name).any())
    return [interactive.forest("", shown, "variance or covariance of log P' over targets (no unit)", looks)]
