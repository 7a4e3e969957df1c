"""Numbers for planted biographies, compared with the planted strength."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.biographies.numbers import DEFINITIONS, IN_WORDS, SLOPE
from herbarium.metrics.biographies.stimuli import SCRUBBED
from herbarium.statistics import calibration

PANEL = calibration.Panel(
    "biographies",
    "Biographies",
    "slope of gaps in accuracy on the share of women, last layer or fine-tuned",
    "biographies",
    "biographies",
)


def rows(numbers: pd.DataFrame, strengths: Mapping[str, float]) -> pd.DataFrame:
    """Rows of the schema "calibration": the last layer of each source, and fine-tuned models; one series per source or
    model and definition.

    The expected value is the strength, which is the slope of a classifier that knows whose words a text has: only for
    scrubbed texts, as from others it also learns gender. numbers: tidy. strengths: of the texts of each task.
    """
    slopes = numbers[(numbers["variant"] == SLOPE) & numbers["unit"].isin(list(strengths))]
    slopes = slopes.groupby(["unit", "model", "definition"], sort=False).tail(1)
    planted = slopes["unit"].map(strengths).astype(float)
    is_scrubbed = slopes["definition"].isin([name for (form, _), name in DEFINITIONS.items() if form == SCRUBBED])
    expected = planted.where(is_scrubbed)
    series = slopes["model"] + ", " + slopes["definition"].map(IN_WORDS)
    return calibration.rows(PANEL, slopes.assign(series=series, planted=planted, expected=expected))
