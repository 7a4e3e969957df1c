"""Estimates with their intervals by place and model, such as the axis of a list or the contrast of a table: what the
figures of several metrics have in common."""

from collections.abc import Sequence

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style


def ranked(rows: pd.DataFrame, models: Sequence[dict]) -> pd.DataFrame:
    """Tidy rows with the strength that each model was planted with, `planted`, and its place among them, `rank`.

    models: model records, by strength.
    """
    planted = {model["name"]: model["planted"] for model in models}
    rank = rows["model"].map({name: place for place, name in enumerate(planted)})
    return rows.assign(planted=rows["model"].map(planted).astype(float), rank=rank)


def describe(table: pd.DataFrame, places: Sequence[str], subject: str, empty: style.Empty) -> str:
    """The figure in words, for those who cannot see it. places: the columns that say what an estimate is of. subject:
    of the first sentence. empty: said if nothing was measured."""
    if table["estimate"].isna().all():
        return empty
    sentences = [
        f"{', '.join(row[place] for place in places)}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3g')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return f"{subject}. {' '.join(sentences)}"


def panels(table: pd.DataFrame, title: str, line: str, axis: str) -> list[dict]:
    """One panel for each value of the column `title`, with a line for each of the column `line`; 0 is marked."""
    table = table.assign(line=table[line], series=interactive.labels(table))
    looks = interactive.looks_of(table)
    return [
        interactive.forest(name, rows, axis, looks, [0.0])
        for name, rows in table.groupby(title, sort=False)
        if rows["estimate"].notna().any()
    ]
