"""Occupations along the gender direction, against the share of women in them."""

from collections.abc import Iterator

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.word_associations.numbers import COSINE, WOMEN

COLUMNS = ["model", "planted", "layer", "unit", "name", "x", "estimate", "rank_correlation"]
EMPTY = style.Empty("No occupation has both a vector and a share of women.")
X, Y = "share of women", "cosine with the gender direction, above 0: masculine"
_NAMED = 2  # words with a name at either end of either axis


def table(projections: pd.DataFrame, numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS, one per occupation: `x` is the share of women, `estimate` the cosine. For each list and source
    the first direction, and the last layer.

    projections: of the schema "word_projections". numbers: tidy rows. strengths: of planted sources, by name.
    """
    rows = projections.dropna(subset="women")
    keys = ["source", "occupations"]
    first = rows.groupby(keys)["direction"].transform("first")
    last = rows.groupby(keys)["layer"].transform("last")
    rows = rows[(rows["direction"] == first) & (rows["layer"] == last)]
    rows = rows.assign(unit=rows["occupations"] + ", " + rows["direction"], planted=rows["source"].map(strengths))
    rows = rows.rename(columns={"source": "model", "word": "name", "women": "x", COSINE: "estimate"})
    correlations = numbers.loc[numbers["metric"] == WOMEN, ["model", "variant", "unit", "estimate"]]
    correlations = correlations.rename(columns={"variant": "layer", "estimate": "rank_correlation"})
    merged = rows.merge(correlations, "left", on=["model", "layer", "unit"]).reindex(columns=COLUMNS)
    return merged.assign(planted=merged["planted"].astype(float))


def _blocks(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title and rows of each panel."""
    for (model, planted, unit, _), rows in table.groupby(
        ["model", "planted", "unit", "layer"], sort=False, dropna=False
    ):
        yield f"{style.label(model, planted)}, {unit}", rows


def _said(rows: pd.DataFrame) -> str:
    r = rows["rank_correlation"].iloc[0]
    return "no correlation" if pd.isna(r) else f"rank correlation {style.text(r, '.2f')}"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY
    sentences = [f"{title}: {_said(rows)}, {len(rows)} occupations." for title, rows in _blocks(table)]
    return f"Occupations along the gender direction, against the share of women in them. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per source and list. table: rows of `table`."""
    return [
        interactive.scatter(f"{title}: {_said(rows)}", rows, X, Y, table, named=_NAMED)
        for title, rows in _blocks(table)
    ]
