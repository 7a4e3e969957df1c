"""Slopes on ratings of models with planted associations, compared with those of a perfect model of the text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.matched_guise import planted
from herbarium.metrics.matched_guise.numbers import SLOPE
from herbarium.metrics.matched_guise.stimuli import Lists
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

SLOPES = Panel("matched_guise", "Matched guise: slope on ratings", "nats per SD of ratings", "matched-guise", "units")


def rows(numbers: pd.DataFrame, strengths: Mapping[str, float], lists: Mapping[str, Lists]) -> pd.DataFrame:
    """A table of the schema "calibration": the slope is all that is planted, so that its share of the expected one is
    what a model learned. numbers: tidy rows. strengths: of planted models, by name. lists: by the name of the guises.
    """
    slopes = numbers[(numbers["variant"] == SLOPE) & numbers["model"].isin(strengths)]
    strength = slopes["model"].map(strengths).astype(float)
    expected = pd.Series(
        [planted.expected(lists[name], of_model) for name, of_model in zip(slopes["unit"], strength, strict=True)],
        slopes.index,
        dtype=float,
    )
    learned = (slopes["estimate"] / expected).where(strength > 0)
    return calibration.rows(
        SLOPES, slopes.assign(series=slopes["unit"], planted=strength, expected=expected, learned=learned)
    )
