"""The page on two results folders: what differs, how certainly, and what may be the cause."""

import pandas as pd

from herbarium.drawing.style import ALPHA
from herbarium.page.build import HERE, Room
from herbarium.report.numbers import number, p_text, text
from herbarium.report.part import render
from herbarium.report.pictures import Picture, shown
from herbarium.study import differences
from herbarium.study.changes import LEVEL
from herbarium.study.comparison import CHANGES, SAME
from herbarium.study.pairing import INDEPENDENT, KEY, PAIRINGS

# The page lists at most this many numbers; changes.csv has all.
MOST = 1_000
_BOUNDS = ("estimate", "ci_low", "ci_high")


def comparison(changes: pd.DataFrame, causes: pd.DataFrame, picture: Picture, base: str, new: str) -> Room:
    """changes: of `comparison.changes`, with `model_base`. causes: of `comparison.causes`. picture: the figure
    "differences". base, new: the folders."""
    listed = changes[changes["change"] != SAME]
    drawn = picture.table
    facts = {
        "base": base,
        "new": new,
        "n": len(changes),
        "n_listed": len(listed),
        "metrics": [_metric(name, rows) for name, rows in changes.groupby("metric")],
        "kinds": CHANGES,
        "pairings": (*PAIRINGS, INDEPENDENT),
        "picture": shown(picture, differences.describe(drawn), "differences", differences.panels(drawn)),
        "rows": [_row(row) for _, row in listed.head(MOST).iterrows()],
        "causes": causes.astype(object).where(causes.notna(), None).to_dict("records"),
        "level": f"{100 * LEVEL:g}",
        "alpha": f"{ALPHA:g}",
    }
    sections = [("overview", "What differs"), ("numbers", "Numbers"), ("causes", "Possible causes")]
    return Room("", sections, render(HERE, "comparison.html.j2", facts))


def _metric(name: str, rows: pd.DataFrame) -> dict:
    """How many numbers of a metric changed in each way, and how they were compared."""
    of_change, of_pairing = (rows[column].value_counts() for column in ("change", "pairing"))
    return {
        "name": name,
        "changes": [int(of_change.get(change, 0)) for change in CHANGES],
        "pairings": [int(of_pairing.get(pairing, 0)) for pairing in (*PAIRINGS, INDEPENDENT)],
        "small": int((rows["p_adjusted"] < ALPHA).sum()),
    }


def _row(row: pd.Series) -> dict:
    sides = {
        side: number(pd.Series({bound: row[f"{bound}_{side}"] for bound in _BOUNDS}), scale=1)
        for side in ("base", "new")
    }
    fields = {key: None if pd.isna(row[key]) else row[key] for key in (*KEY, "model_base", "change", "pairing", "note")}
    return {
        **fields,
        **sides,
        "difference": number(row.rename({"difference": "estimate"}), scale=1),
        "error": text(row["std_error"]),
        "p": p_text(row["p_value"]),
        "p_adjusted": p_text(row["p_adjusted"]),
    }
