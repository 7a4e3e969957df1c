"""Regions in the vectors of words, layer by layer: the parts of stereotypes and of the sentence."""

import pandas as pd

from herbarium.drawing import layers, style
from herbarium.drawing.layers import Panel
from herbarium.metrics.regions_in_context.names import ACCURACY, AGREEMENT, COMMON, REGION, WORDS

EMPTY = style.Empty("In no layer could regions be measured.")
PANELS = {
    AGREEMENT: Panel(REGION, "stereotype agreement"),
    COMMON: Panel(REGION, "share in common of effects"),
    ACCURACY: Panel(WORDS, "accuracy, words held out", None, True),
}


def table(numbers: pd.DataFrame) -> pd.DataFrame:
    """The numbers of PANELS by set, source of vectors and layer. numbers: tidy rows."""
    return layers.table(numbers, PANELS)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    return layers.describe(table, PANELS, EMPTY, "Regions in the vectors of words")


def panels(table: pd.DataFrame) -> list[dict]:
    """As `drawing.layers.panels`."""
    return layers.panels(table, PANELS)
