"""The room of the page on two models: what differs between them, and which of them is further from no bias."""

import re
from collections.abc import Iterator, Mapping

import pandas as pd

from herbarium.drawing.style import ALPHA
from herbarium.page.build import Room, room
from herbarium.report.numbers import number, p_text, text
from herbarium.report.pictures import Picture, shown
from herbarium.study import changes as drawn
from herbarium.study.changes import UNDECIDED

_BOUNDS = {"value": "estimate", "low": "ci_low", "high": "ci_high"}


def changes(picture: Picture) -> Room:
    """picture: the figure "changes"."""
    table = picture.table
    facts = {
        "picture": shown(picture, drawn.describe(table), "changes", drawn.panels(table)),
        "pairs": pairs(table),
        "flagged": flagged(table),
        "level": f"{100 * drawn.LEVEL:g}",
    }
    return room("changes", "Two models compared", facts)


def flagged(table: pd.DataFrame) -> list[dict]:
    """What is said about each comparison in which a model lost too much. table: of `study.changes.combined`."""
    return [
        {key: row[key] for key in ("first", "second", "measure")}
        | {"estimate": text(row["estimate"]), "worst": text(row["worst"])}
        for _, row in table[table["flagged"].astype(bool)].iterrows()
    ]


def pairs(table: pd.DataFrame) -> list[dict]:
    """Each comparison with its rows. table: of `study.changes.combined`."""
    return [
        {
            "first": first,
            "second": second,
            "id": "-".join(["compare", *(re.sub(r"[^\w.-]+", "-", name) for name in (first, second))]),
            "verdicts": list(verdicts(first, second, rows)),
            "rows": [_row(row) for row in rows.to_dict("records")],
            "has_trainings": bool((rows["trainings"] > 1).any()),
        }
        for (first, second), rows in table.groupby(["first", "second"], sort=False)
    ]


def verdicts(first: str, second: str, rows: pd.DataFrame) -> Iterator[dict]:
    """Each verdict on two models that some number has, with these numbers and their p-values."""
    is_different = rows["p_adjusted"] < ALPHA
    kinds = {
        f"{first} is further from no bias": rows["further"] == first,
        f"{second} is further from no bias": rows["further"] == second,
        "Different, but cannot tell which is further from no bias": (rows["further"] == UNDECIDED) & is_different,
        "Cannot tell which is further from no bias": (rows["further"] == UNDECIDED) & ~is_different,
        "Different in what is no bias": rows["further"].isna() & is_different,
        "No difference found in what is no bias": rows["further"].isna() & rows["p_adjusted"].ge(ALPHA),
        "Not tested": rows["p_adjusted"].isna(),
    }
    for said, is_kind in kinds.items():
        if is_kind.any():
            yield {"said": said, "numbers": [_with_p(row) for row in rows[is_kind].to_dict("records")]}


def _with_p(row: Mapping) -> dict:
    """A number's name, and the p-value of what is said of it."""
    return {"name": row["measure"], "p": p_text(row["p_adjusted"] if pd.isna(row["further"]) else row["p_further"])}


def _row(row: Mapping) -> dict:
    sides = {
        side: number(pd.Series({column: row[f"{bound}_{side}"] for bound, column in _BOUNDS.items()}), scale=1)
        for side in ("before", "after")
    }
    return {key: row[key] for key in ("measure", "flagged")} | {
        **sides,
        "further": None if pd.isna(row["further"]) else row["further"],
        "null": None if pd.isna(row["null"]) else f"{row['null']:g}",
        "change": number(row, scale=1),
        "p_adjusted": p_text(row["p_adjusted"]),
        "p_further": p_text(row["p_further"]),
        "bound": text(row["equivalence_bound"]),
        "trainings": int(row["trainings"]),
        "note": None if pd.isna(row["note"]) else row["note"],
    }
