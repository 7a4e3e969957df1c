"""The variance between the descriptors of each axis, by model."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.likelihood_bias.numbers import VARIANCE

COLUMNS = ["stimuli", "axis", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No variance between descriptors was measured.")
AXIS = "variance between descriptors (natural log²)"


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS, by stimuli, axis and model. numbers: tidy rows. models: model records, by strength."""
    rows = numbers[numbers["variant"] == VARIANCE]
    strengths = {model["name"]: model["planted"] for model in models}
    rows = rows.assign(
        stimuli=rows["group"].str.partition("/")[0],
        axis=rows["group"].str.partition("/")[2],
        planted=rows["model"].map(strengths).astype(float),
        at=rows["model"].map({name: place for place, name in enumerate(strengths)}),
    )
    return rows.sort_values(["stimuli", "axis", "at"], kind="stable")[COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = [
        f"{row['stimuli']}, {row['axis']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3g')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return f"Variance between the descriptors of an axis in log-perplexity. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set of stimuli. table: rows of `table`."""
    table = table.assign(line=table["axis"], series=interactive.labels(table))
    looks = interactive.looks_of(table)
    return [
        interactive.forest(name, rows, AXIS, looks, [0.0])
        for name, rows in table.groupby("stimuli", sort=False)
        if rows["estimate"].notna().any()
    ]
