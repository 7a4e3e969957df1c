"""How much a person changes the log-odds of the good answer, by model."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.discrimination_scores.numbers import DIFFERENCE, OWN

COLUMNS = ["unit", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No difference between persons was measured.")
AXIS = "difference of log-odds (below 0: the good answer is less likely than for the reference)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by table, contrast and model. numbers: tidy rows. models: model records, by strength."""
    rows = numbers[(numbers["variant"] == DIFFERENCE) & (numbers["definition"] == OWN)]
    planted = {model["name"]: model["planted"] for model in models}
    rank = rows["model"].map({name: place for place, name in enumerate(planted)})
    place = rows.groupby(["unit", "group"], sort=False).ngroup()
    rows = rows.assign(planted=rows["model"].map(planted).astype(float), rank=rank, place=place)
    return rows.sort_values(["unit", "place", "rank"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = [
        f"{row['unit']}, {row['group']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3g')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return f"Differences of the log-odds of the good answer from the reference. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel for each table of prompts. table: rows of `table`."""
    table = table.assign(line=table["group"], series=interactive.labels(table))
    looks = interactive.looks_of(table)
    return [
        interactive.forest(name, rows, AXIS, looks, [0.0])
        for name, rows in table.groupby("unit", sort=False)
        if rows["estimate"].notna().any()
    ]
