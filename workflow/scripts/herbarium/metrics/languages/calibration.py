"""The mean gap of planted vectors, compared with what they imply."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.languages import known
from herbarium.metrics.languages.numbers import ARROW, LEAN
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

GAPS = Panel(
    "languages",
    "Languages: mean gap between feminine and masculine forms",
    "difference of cosines",
    "languages",
    "pairs of occupations",
)


def rows(numbers: pd.DataFrame, pairs: pd.DataFrame, strengths: Mapping[str, float]) -> pd.DataFrame:
    """A table of the schema "calibration": the mean gap of each language in its own space, and in the space of each
    pivot with planted vectors.

    Planted spaces are rotated copies of one another, except for the noise of single words. Mapping one into another
    should change no distance, whatever is planted in either, and the mean gap should not change.

    numbers: tidy rows. pairs: of the schema "languages_pairs". strengths: of planted sources, by name.
    """
    leans = numbers[numbers["variant"] == LEAN]
    source_of = leans.set_index(["unit", "group"])["model"]
    pivots = pd.MultiIndex.from_arrays([leans["unit"], leans["group"].str.split(ARROW, regex=False).str[-1]])
    leans = leans[leans["model"].isin(strengths) & source_of.reindex(pivots).isin(strengths).to_numpy()]
    leans = leans.assign(series=leans["group"], planted=leans["model"].map(strengths))
    is_strong = {key: group["is_strong"].to_numpy() for key, group in pairs.groupby(["space", "group"], sort=False)}
    expected = [
        known.expected(strength, is_strong[key])
        for strength, *key in leans[["planted", "unit", "group"]].itertuples(index=False)
        for key in [tuple(key)]
    ]
    return calibration.rows(GAPS, leans.assign(expected=expected, learned=None))
