"""The vectors of models of the testbed, compared with the strength planted in their text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.regions_in_context.names import AGREEMENT, METRIC
from herbarium.statistics import calibration

PANEL = calibration.Panel(
    METRIC,
    "Regions in context",
    "correlation of words' leans with the planted stereotypes, last layer",
    METRIC,
    "descriptions",
)


def rows(numbers: pd.DataFrame, strengths: Mapping[str, float]) -> pd.DataFrame:
    """Rows of the schema "calibration": the last layer of each planted source.

    The bias is planted in sentences, and no equation gives a model's vectors after learning them, so there is no
    expected value. A correlation says whether words lean as planted, not how much: it need not rise from one strength
    to a larger one.

    numbers: tidy, for sets with planted stereotypes. strengths: by source.
    """
    agreements = numbers[(numbers["variant"] == AGREEMENT) & numbers["model"].isin(list(strengths))]
    agreements = agreements.groupby(["unit", "model"], sort=False).tail(1)
    return calibration.rows(
        PANEL, agreements.assign(series=agreements["unit"], planted=agreements["model"].map(strengths).astype(float))
    )
