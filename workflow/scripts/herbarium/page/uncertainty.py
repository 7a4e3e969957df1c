"""The room of the page on how sure the whole study is."""

from collections.abc import Iterable, Mapping

import pandas as pd
from markupsafe import Markup

from herbarium.page.build import Room, room
from herbarium.report.part import CORRECTIONS, Part, Tested

_NOTES = 12  # shown at most


def uncertainty(summary: pd.DataFrame, refusals: pd.DataFrame, parts: Iterable[Part]) -> Room:
    """summary: tidy table. refusals: of `study.refusals`. parts: those of the metrics that were measured."""
    parts = list(parts)
    # if two parts describe the same metric, the first one counts
    tested = {test.metric: test for part in reversed(parts) for test in part.tested}
    facts = {
        "metrics": metrics(summary, tested),
        "total": _counts(summary),
        "said": [Markup(part.uncertainty) for part in parts if part.uncertainty],  # noqa: S704 (escaped there)
        "lost": lost(summary, tested),
        "refusals": refused(refusals),
        "notes": notes(summary, tested),
    }
    return room("uncertainty", "Uncertainty", facts)


def _name(metric: str, tested: Mapping[str, Tested]) -> str:
    return tested[metric].name if metric in tested else metric


def _counts(rows: pd.DataFrame) -> dict[str, int]:
    """Numbers (`n`), how many of them have an interval (`with_interval`), tests (`n_tests`), and how many of these are
    adjusted (`n_adjusted`)."""
    numbers = rows[rows["estimate"].notna()]
    return {
        "n": len(numbers),
        "with_interval": int(numbers["ci_low"].notna().sum()),
        "without": int(numbers["ci_low"].isna().sum()),
        "empty": len(rows) - len(numbers),
        "n_tests": int(rows["p_value"].notna().sum()),
        "n_adjusted": int((rows["p_value"].notna() & rows["p_adjusted"].notna()).sum()),
    }


def metrics(summary: pd.DataFrame, tested: Mapping[str, Tested]) -> list[dict]:
    """One row per metric: how many numbers, intervals and tests it has, and how p-values are adjusted."""
    entries = []
    for metric, rows in summary.groupby("metric", sort=False):
        test, counts = tested.get(metric), _counts(rows)
        adjusted = (
            f"{test.family}: {CORRECTIONS[test.correction]}" if test and counts["n_adjusted"] and test.family else None
        )
        section = test.section if test else None
        entries.append(counts | {"name": _name(metric, tested), "section": section, "adjusted": adjusted})
    return entries


def lost(summary: pd.DataFrame, tested: Mapping[str, Tested]) -> list[dict]:
    """How many numbers are marked as not converged, by metric."""
    rows = summary[summary["converged"].eq(False)]
    return [{"name": _name(metric, tested), "n": n} for metric, n in rows.groupby("metric", sort=False).size().items()]


def refused(refusals: pd.DataFrame) -> dict:
    """`left_out`: models that were not measured. `rows`: one row per model, set of stimuli and reason. `n`: sentences
    refused; `n_partly`: scored with a reservation; `of`: all sentences."""
    counted = refusals[refusals["n"] > 0]
    by_kind = counted.groupby(counted["refused"].astype(bool))["n"].sum()
    return {
        "left_out": refusals.loc[refusals["stimuli"].isna(), ["model", "reason"]].to_dict("records"),
        "rows": [
            {
                **{key: row[key] for key in ("model", "stimuli", "reason")},
                "refused": bool(row["refused"]),
                "n": f"{row['n']:,}",
                "of": f"{row['of']:,}",
                "share": f"{100 * row['n'] / row['of']:.2g}",
            }
            for row in counted.to_dict("records")
        ],
        "n": f"{by_kind.get(True, 0):,}",
        "n_partly": f"{by_kind.get(False, 0):,}",
        "of": f"{refusals.drop_duplicates(['model', 'stimuli'])['of'].sum():,}",
    }


def notes(summary: pd.DataFrame, tested: Mapping[str, Tested]) -> dict:
    """Notes on the numbers, the most frequent first: `rows` of metric and note, and how many kinds more there are."""
    counts = (
        summary.dropna(subset="note").groupby(["metric", "note"]).size().sort_values(ascending=False, kind="stable")
    )
    return {
        "rows": [
            {"name": _name(metric, tested), "note": note, "n": f"{n:,}"}
            for (metric, note), n in counts[:_NOTES].items()
        ],
        "more": max(len(counts) - _NOTES, 0),
    }
