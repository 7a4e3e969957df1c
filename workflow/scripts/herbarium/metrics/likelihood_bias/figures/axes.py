"""The variance between the descriptors of each axis, by model."""

import pandas as pd

from herbarium.drawing import forests, style
from herbarium.metrics.likelihood_bias.numbers import VARIANCE

COLUMNS = ["stimuli", "axis", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No variance between descriptors was measured.")
AXIS = "variance between descriptors (natural log²)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by stimuli, axis and model. numbers: tidy rows. models: model records, by strength."""
    rows = forests.ranked(numbers[numbers["variant"] == VARIANCE], models)
    places = rows["group"].str.partition("/")
    rows = rows.assign(stimuli=places[0], axis=places[2])
    return rows.sort_values(["stimuli", "axis", "rank"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    return forests.describe(
        table, ["stimuli", "axis"], "Variance between the descriptors of an axis in log-perplexity", EMPTY
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set of stimuli. table: rows of `table`."""
    return forests.panels(table, "stimuli", "axis", AXIS)
