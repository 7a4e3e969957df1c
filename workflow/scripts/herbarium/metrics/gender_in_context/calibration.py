"""The vectors of models of the testbed, compared with the strength planted in their text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.gender_in_context.names import DIFFERENCE
from herbarium.statistics import calibration

PANEL = calibration.Panel(
    "gender_in_context",
    "Gender in context",
    "difference between words of two stereotypes, in units of the effect of a sentence's gender on a word, last layer",
    "gender_in_context",
    "words",
)


def rows(numbers: pd.DataFrame, strengths: Mapping[str, float], last: Mapping[str, str]) -> pd.DataFrame:
    """Rows of the schema "calibration": the last layer of each planted source.

    The bias is planted in sentences, and no equation gives a model's vectors after learning them, so there is no
    expected value.

    numbers: tidy. strengths: by source. last: the last layer of each source.
    """
    differences = numbers[numbers["variant"] == DIFFERENCE]
    differences = differences[differences["group"] == differences["model"].map(last)]
    return calibration.rows(
        PANEL, differences.assign(series=differences["unit"], planted=differences["model"].map(strengths).astype(float))
    )
