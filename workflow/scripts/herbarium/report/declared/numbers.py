"""All numbers of a metric that declares itself: a dot with its interval for each model."""

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.panels import by_model, forest, labels, looks_of

COLUMNS = ["model", "planted", "name", "n", "estimate", "ci_low", "ci_high", "p_adjusted", "note"]
EMPTY = style.Empty("No number could be measured.")
_TELL_APART = ["definition", "variant", "unit", "group"]


def names(numbers: pd.DataFrame, title: str) -> pd.Series:
    """What tells each number from the others of its model, in words; the title of the metric if it has one number a
    model. numbers: tidy rows."""
    apart = [column for column in _TELL_APART if numbers[column].nunique(dropna=False) > 1]
    if not apart:
        return pd.Series(title, numbers.index, dtype=object)
    return numbers[apart].apply(lambda row: ", ".join(row.dropna()), axis=1)


def table(numbers: pd.DataFrame, models: list[dict], title: str) -> pd.DataFrame:
    """One row a number, with COLUMNS; planted models first, by strength. numbers: tidy rows. models: model records."""
    strength = {model["name"]: model["planted"] for model in style.by_strength(models)}
    rows = numbers.assign(name=names(numbers, title), planted=numbers["model"].map(strength).astype(float))
    return rows.sort_values(
        "model", key=lambda models_of_rows: models_of_rows.map(list(strength).index), kind="stable"
    )[COLUMNS]


def describe(table: pd.DataFrame, title: str) -> str:
    known = table.dropna(subset="estimate")
    if known.empty:
        return EMPTY
    values = known["name"] + known["estimate"].map(" {:.3g}".format)
    told = [f"{label}: {', '.join(values[rows.index])}." for label, rows in by_model(known)]
    return " ".join([f"Dot plot: {title}.", *told])


def panels(table: pd.DataFrame, title: str, unit: str, null: float | None) -> list[dict]:
    """One panel. unit: of the numbers. null: their value without bias."""
    known = table.dropna(subset="estimate")
    if known.empty:
        return []
    rows = known.assign(line=known["name"], series=labels(known))
    return [forest(title, rows, unit, looks_of(known), nulls=None if null is None else [null])]
