"""How much a person changes the log-odds of the good answer, by model."""

import pandas as pd

from herbarium.drawing import forests, style
from herbarium.metrics.discrimination_scores.numbers import DIFFERENCE, OWN

COLUMNS = ["unit", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No difference between persons was measured.")
AXIS = "difference of log-odds (below 0: the good answer is less likely than for the reference)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by table, contrast and model. numbers: tidy rows. models: model records, by strength."""
    rows = numbers[(numbers["variant"] == DIFFERENCE) & (numbers["definition"] == OWN)]
    place = rows.groupby(["unit", "group"], sort=False).ngroup()
    rows = forests.ranked(rows.assign(place=place), models)
    return rows.sort_values(["unit", "place", "rank"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    return forests.describe(
        table, ["unit", "group"], "Differences of the log-odds of the good answer from the reference", EMPTY
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel for each table of prompts. table: rows of `table`."""
    return forests.panels(table, "unit", "group", AXIS)
