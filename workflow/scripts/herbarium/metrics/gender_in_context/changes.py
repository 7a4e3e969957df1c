"""Changes from one source of vectors to another: the distance between words of two stereotypes."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.metrics.gender_in_context import crossed
from herbarium.metrics.gender_in_context.names import DIFFERENCE, METRIC
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.inference import Mean

NO_UNIT = "the sides are not apart by more than the words' own noise in one of the two"


def changes(
    name: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    products: Mapping[str, pd.DataFrame],
    side: str,
) -> pd.DataFrame:
    """Rows of the schema "changes": the stereotype difference of the last layer, in units of the effect of a sentence's
    gender on a word in each source.

    name: of the set. compared: of `vectors.comparisons`. numbers: tidy rows of the set. products: by source, of the
    schema "gender_in_context_products". side: the first one.
    """
    last = numbers[numbers["variant"] == DIFFERENCE].groupby("model").tail(1).set_index("model")
    rows = []
    for comparison in compared:
        mean, n, note = difference(*(products[source] for source in comparison[2:]), side)
        values = (last.loc[source] for source in comparison[2:])
        measure = f"Gender in context, {name}: stereotype difference"
        rows.append(change(comparison, METRIC, measure, *values, mean, n=n, note=note))
    return as_changes(rows)


def difference(before: pd.DataFrame, after: pd.DataFrame, side: str) -> tuple[Mean | None, int, str | None]:
    """The change of the difference, in units of each source, over the words in both; None, and why, if it cannot be
    told. The number of words with a stereotype. before, after: of the schema "gender_in_context_products"."""
    stereotype = before.drop_duplicates("word").set_index("word")["stereotype"]
    words = np.intersect1d(before["word"], after["word"])
    stereotype = stereotype.reindex(words)
    kinds = crossed.Kinds((stereotype == side).to_numpy(), (stereotype.notna() & (stereotype != side)).to_numpy())
    n = int(kinds.first.sum() + kinds.second.sum())
    if kinds.fewest < crossed.FEWEST_OF_A_KIND:
        return None, n, f"fewer than {crossed.FEWEST_OF_A_KIND} words per side by stereotype in both"
    in_units = [crossed.in_units(_products(side_rows, words)) for side_rows in (before, after)]
    mean = crossed.change(*in_units, kinds)
    return (mean, n, None) if np.isfinite(mean.estimate) else (None, n, NO_UNIT)


def _products(rows: pd.DataFrame, words: np.ndarray) -> crossed.Products:
    """Those of some words. rows: of the schema "gender_in_context_products"."""
    wide = rows.pivot(index="word", columns="other", values=["along", "alike"])
    return crossed.Products(*(wide[name].loc[words, words].to_numpy() for name in crossed.Products._fields))
