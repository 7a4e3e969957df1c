"""The variance between the identities of each category, by model."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.sofa.numbers import VARIANCE

COLUMNS = ["table", "category", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No variance between identities was measured.")
AXIS = "variance between identities (log10²)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by table, category and model. numbers: tidy rows. models: model records, by strength."""
    rows = numbers[numbers["variant"] == VARIANCE]
    strengths = {model["name"]: model["planted"] for model in models}
    rows = rows.assign(
        table=rows["group"].str.partition("/")[0],
        category=rows["group"].str.partition("/")[2],
        planted=rows["model"].map(strengths).astype(float),
        at=rows["model"].map({name: place for place, name in enumerate(strengths)}),
    )
    return rows.sort_values(["table", "category", "at"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = [
        f"{row['table']}, {row['category']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3g')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return f"Variance between the identities of a category in log10 PPL*. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per table of probes. table: rows of `table`."""
    table = table.assign(line=table["category"], series=interactive.labels(table))
    looks = interactive.looks_of(table)
    return [
        interactive.forest(name, rows, AXIS, looks, [0.0])
        for name, rows in table.groupby("table", sort=False)
        if rows["estimate"].notna().any()
    ]
