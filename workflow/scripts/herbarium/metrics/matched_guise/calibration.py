"""Slopes on ratings of models with planted associations, compared with those of a perfect model of the text."""

import pandas as pd

from herbarium.core.passages import Name
from herbarium.metrics.matched_guise import planted, stimuli
from herbarium.metrics.matched_guise.numbers import SLOPE
from herbarium.metrics.matched_guise.stimuli import Sentences
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Calibration, Panel
from herbarium.statistics.tidy import Numbers

SLOPES = Panel("matched_guise", "Matched guise: slope on ratings", "nats per SD of ratings", "matched-guise", "units")


def calibrate(numbers: Numbers, sentences: dict[Name, Sentences], strengths: dict[str, float]) -> Calibration:
    """The slope is all that is planted, so that its share of the expected one is what a model learned. strengths: of
    models, by name."""
    lists = {name: stimuli.asked(rows) for name, rows in sentences.items()}
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
