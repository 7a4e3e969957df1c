"""The room of the page on error rates: how often simulated studies found what is not there, or missed what is."""

from collections.abc import Iterable, Mapping

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import text
from herbarium.report.part import Part, heading

NOMINAL = {"type I error": 0.05, "coverage": 0.95}
_COLUMNS = ["metric", "variant", "design", "what", "share", "low", "high", "studies", "holds"]


def error_rates(tables: list[pd.DataFrame], parts: Iterable[Part]) -> Room:
    """tables: the metrics' `validity.csv` (docs/reading_the_numbers.md). parts: those of the metrics that were
    measured."""
    table = pd.concat([pd.DataFrame(columns=_COLUMNS), *tables], ignore_index=True)
    of_parts = {part.name: part for part in parts if part.sections}
    # power, and what is no longer printed, need not keep a nominal rate
    nominal_groups = table[table["what"].isin(NOMINAL)].groupby(["metric", "variant", "what"], sort=False)
    rows = [worst(rows) | _named(metric, of_parts) for (metric, *_), rows in nominal_groups]
    facts = {
        "rows": rows,
        "n": len(rows),
        "n_failed": sum(row["failed"] > 0 for row in rows),
    }
    return room("error-rates", "Error rates", facts)


def _named(metric: str, parts: Mapping[str, Part]) -> dict:
    tested = parts.get(metric)
    return {
        "name": (tested and heading(tested)) or metric.replace("_", " ").capitalize(),
        "section": tested and tested.sections[0][0],
    }


def worst(rows: pd.DataFrame) -> dict:
    """Of all designs of one test or interval, the one whose share is farthest from the nominal one (for tests: farthest
    above it); how many designs there are, and in how many of them the share is not acceptable."""
    (what,) = rows["what"].unique()
    above = rows["share"] - NOMINAL[what]
    farthest = above.abs() if what == "coverage" else above
    return _share(rows.loc[farthest.idxmax()]) | {"designs": len(rows), "failed": int((rows["holds"] == "no").sum())}


def _share(row: Mapping) -> dict:
    interval = {"value": text(row["share"], ".3f"), "low": text(row["low"], ".3f"), "high": text(row["high"], ".3f")}
    key = {key: row[key] for key in ("variant", "what", "design")}
    return key | {"share": interval, "studies": f"{row['studies']:,}"}
