"""inBias of each language in its own space, and in the space of each pivot."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.languages.numbers import ARROW, EXCESS, INBIAS, LEAN, PAPER

COLUMNS = ["unit", "variant", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No language has enough pairs with vectors.")
AXES = {LEAN: "mean gap (above 0: feminine nearer)", INBIAS: "inBias (Eq. 3.2)"}


def table(numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS: the mean gap and inBias, by space, language and pivot; `p_adjusted` of the mean gap is its own,
    of inBias that of `inbias_excess`.

    numbers: tidy rows. strengths: of planted sources, by name.
    """
    is_shown = (numbers["variant"] == LEAN) | ((numbers["variant"] == INBIAS) & (numbers["definition"] == PAPER))
    changes = numbers[numbers["variant"] == EXCESS].assign(variant=INBIAS)
    keys = ["unit", "variant", "group", "model"]
    rows = numbers[is_shown].merge(changes[[*keys, "p_adjusted"]], "left", on=keys, suffixes=("", "_change"))
    is_lean = rows["variant"] == LEAN
    rows["p_adjusted"] = rows["p_adjusted"].where(is_lean, rows["p_adjusted_change"])
    rows = rows.assign(
        planted=rows["model"].map(strengths).astype(float),
        language=rows["group"].str.split(ARROW, regex=False).str[0],
        order=rows["variant"].map(list(AXES).index),
    )
    first = {name: place for place, name in enumerate(rows["language"].unique())}
    rows["place"] = rows["language"].map(first)
    return rows.sort_values(["unit", "order", "place"], kind="stable")[COLUMNS].reset_index(drop=True)


def _languages(table: pd.DataFrame) -> pd.Series:
    return table["group"].str.split(ARROW, regex=False).str[0]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = [
        f"{row['unit']}, {row['group']}, {'mean gap' if row['variant'] == LEAN else 'inBias'}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3f')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return " ".join(["Dot plot by language and pivot.", *sentences])


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per space and number; one line per language, and one per pivot, marked with an arrow.

    table: rows of `table`.
    """
    rows = table.assign(line=table["group"], series=_languages(table)).dropna(subset="estimate")
    looks = style.looks(_languages(table).unique())
    return [
        interactive.forest(name, group, AXES[variant], looks)
        for (name, variant), group in rows.groupby(["unit", "variant"], sort=False)
    ]
