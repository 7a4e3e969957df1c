"""Gender in the vectors of words, layer by layer: the parts of stereotypes and of the sentence."""

import pandas as pd

from herbarium.drawing import layers, style
from herbarium.drawing.layers import Panel
from herbarium.metrics.gender_in_context.names import ACCURACY, COMMON, DIFFERENCE, GENDER, LINEAR, WORDS

EMPTY = style.Empty("In no layer could gender be measured.")
PANELS = {
    DIFFERENCE: Panel(GENDER, "stereotype difference"),
    COMMON: Panel(GENDER, "share in common of differences"),
    f"{ACCURACY}_{LINEAR}": Panel(WORDS, "accuracy, words held out", 0.5, True),
}


def table(numbers: pd.DataFrame) -> pd.DataFrame:
    """The numbers of PANELS by set, source of vectors and layer. numbers: tidy rows."""
    return layers.table(numbers, PANELS)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    return layers.describe(table, PANELS, EMPTY, "Gender in the vectors of words")


def panels(table: pd.DataFrame) -> list[dict]:
    """As `drawing.layers.panels`."""
    return layers.panels(table, PANELS)
