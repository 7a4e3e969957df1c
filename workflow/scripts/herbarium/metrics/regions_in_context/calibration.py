"""What the vectors of models of the testbed say, beside the strength of what is planted in their text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.regions_in_context.names import AGREEMENT, METRIC
from herbarium.statistics import calibration

PANEL = calibration.Panel(
    METRIC,
    "Regions in context",
    "correlation of how words lean with the stereotypes that are planted, last layer",
    METRIC,
    "descriptions",
)


def rows(numbers: pd.DataFrame, strengths: Mapping[str, float]) -> pd.DataFrame:
    """Rows of the schema "calibration": of each planted source its last layer.

    What is planted is in sentences, and which vectors a model has after learning them, no equation says: so there is
    no expected value. A correlation says whether words lean as it is planted, not how far: it need not rise from one
    strength to a larger one.

    numbers: tidy, of sets beside what is planted. strengths: by source.
    """
    of = numbers[(numbers["variant"] == AGREEMENT) & numbers["model"].isin(list(strengths))]
    of = of.groupby(["unit", "model"], sort=False).tail(1)
    return calibration.rows(PANEL, of.assign(series=of["unit"], planted=of["model"].map(strengths).astype(float)))
