"""The room of the page on calibration: does each metric find what was planted?"""

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import number, text
from herbarium.report.pictures import Picture, shown
from herbarium.report.planted import order
from herbarium.study import calibration as drawn


def calibration(picture: Picture) -> Room:
    """picture: the figure "calibration"."""
    table = picture.table
    facts = {
        "panels": [panel(rows) for _, rows in table.groupby("panel", sort=False)],
        "picture": shown(picture, drawn.describe(table), "calibration", drawn.panels(table)),
    }
    return room("calibration", "Calibration", facts)


def panel(rows: pd.DataFrame) -> dict:
    """What the room says about a metric.

    `series`: each with its numbers by strength. `compared`: those with at least two strengths, and no number or
    interval missing; of these, `rising` rank the strengths, and `disjoint` also have disjoint intervals of neighbours.
    `n_unbiased`: how many numbers of strength 0 have an interval; `n_zero`: in how many of these it contains the null
    value. `incomplete`: series in which a number or an interval is missing.

    rows: of the panel, with the schema "calibration".
    """
    first = rows.iloc[0]
    series = dict(list(rows.groupby("series", sort=False)))
    orders = {title: order(group) for title, group in series.items() if group["planted"].nunique() > 1}
    compared = [title for title, series_order in orders.items() if series_order["complete"]]
    rising = [title for title in compared if not orders[title]["falling"]]
    unbiased = rows[rows["planted"] == 0].dropna(subset=["estimate", "ci_low", "ci_high"])
    holds = (unbiased["ci_low"] <= unbiased["null"]) & (unbiased["null"] <= unbiased["ci_high"])
    return {
        "section": first["section"],
        "counted": first["counted"],
        "never_negative": first["never_negative"] if isinstance(first["never_negative"], str) else None,
        "title": first["title"],
        "unit": first["unit"],
        "null": f"{first['null']:g}",
        "series": [
            {
                "name": title,
                "numbers": [
                    {"model": row["model"], "planted": f"{row['planted']:g}", "n": text(row["n"], ",.0f")}
                    | {name: text(row[name], ".3g") for name in ("expected", "learned")}
                    | {"number": number(row, scale=1)}
                    for _, row in group.iterrows()
                ],
            }
            for title, group in series.items()
        ],
        "compared": compared,
        "rising": rising,
        "disjoint": [title for title in rising if not orders[title]["overlapping"]],
        "incomplete": [title for title, series_order in orders.items() if not series_order["complete"]],
        "n_unbiased": len(unbiased),
        "n_zero": int(holds.sum()),
    }
