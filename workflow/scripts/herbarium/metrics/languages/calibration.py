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
    found = numbers[numbers["variant"] == LEAN]
    source_of = found.set_index(["unit", "group"])["model"]
    pivots = pd.MultiIndex.from_arrays([found["unit"], found["group"].str.split(ARROW, regex=False).str[-1]])
    found = found[found["model"].isin(strengths) & source_of.reindex(pivots).isin(strengths).to_numpy()]
    found = found.assign(series=found["group"], planted=found["model"].map(strengths))
    is_strong = {key: of["is_strong"].to_numpy() for key, of in pairs.groupby(["space", "group"], sort=False)}
    expected = [
        known.expected(strength, is_strong[key])
        for strength, *key in found[["planted", "unit", "group"]].itertuples(index=False)
        for key in [tuple(key)]
    ]
    return calibration.rows(GAPS, found.assign(expected=expected, learned=None))
