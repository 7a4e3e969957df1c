"""The room of the page on models that were changed: before and after, metric by metric."""

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import number, p_text, text
from herbarium.report.pictures import Picture, shown
from herbarium.statistics.changes import BIAS
from herbarium.study import changes as drawn

_BOUNDS = {"value": "estimate", "low": "ci_low", "high": "ci_high"}


def changes(picture: Picture) -> Room:
    """picture: the figure "changes"."""
    table = picture.table
    facts = {
        "picture": shown(picture, drawn.describe(table), "changes", drawn.panels(table)),
        "measures": [measure(name, rows) for name, rows in table.groupby("measure", sort=False)],
        "flagged": flagged(table),
        "level": f"{100 * drawn.LEVEL:g}",
    }
    return room("changes", "Before and after", facts)


def flagged(table: pd.DataFrame) -> list[dict]:
    """What is said about each comparison in which a model lost too much. table: of `study.changes.combined`."""
    return [
        {key: row[key] for key in ("first", "second", "measure")}
        | {"estimate": text(row["estimate"]), "worst": text(row["worst"])}
        for _, row in table[table["flagged"].astype(bool)].iterrows()
    ]


def measure(name: str, rows: pd.DataFrame) -> dict:
    """What is said about a measure. rows: its comparisons."""
    null = rows["null"].iloc[0]
    return {
        "name": name,
        "is_bias": rows["kind"].iloc[0] == BIAS,
        "null": None if pd.isna(null) else f"{null:g}",
        "rows": [_row(row) for _, row in rows.iterrows()],
    }


def _row(row: pd.Series) -> dict:
    sides = {
        side: number(pd.Series({column: row[f"{bound}_{side}"] for bound, column in _BOUNDS.items()}), scale=1)
        for side in ("before", "after")
    }
    return {key: row[key] for key in ("first", "second", "flagged")} | {
        **sides,
        "change": number(row, scale=1),
        "p": p_text(row["p_value"]),
        "p_adjusted": p_text(row["p_adjusted"]),
        "bound": text(row["equivalence_bound"]),
        "trainings": int(row["trainings"]),
        "note": None if pd.isna(row["note"]) else row["note"],
    }
