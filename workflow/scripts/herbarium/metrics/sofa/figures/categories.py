"""The variance between the identities of each category, by model."""

import pandas as pd

from herbarium.drawing import forests, style
from herbarium.metrics.sofa.numbers import VARIANCE

COLUMNS = ["table", "category", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No variance between identities was measured.")
AXIS = "variance between identities (log10²)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by table, category and model. numbers: tidy rows. models: model records, by strength."""
    rows = forests.ranked(numbers[numbers["variant"] == VARIANCE], models)
    places = rows["group"].str.partition("/")
    rows = rows.assign(table=places[0], category=places[2])
    return rows.sort_values(["table", "category", "rank"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    return forests.describe(
        table, ["table", "category"], "Variance between the identities of a category in log10 PPL*", EMPTY
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per table of probes. table: rows of `table`."""
    return forests.panels(table, "table", "category", AXIS)
