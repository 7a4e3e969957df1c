"""Each metric against the strength of the planted bias: does it order the strengths, and is it zero without bias?

Its table has the schema "calibration" (`statistics.calibration`); every metric writes rows of it.
"""

from collections.abc import Mapping

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style

EMPTY = style.Empty("No metric was measured in models of known bias.")
AXIS, EXPECTED = "planted strength (for tasks: in their texts)", "expected"
_DODGE = 0.022  # of the axis, between two series


def by_kind(table: pd.DataFrame, kinds: Mapping[str, str]) -> pd.DataFrame:
    """The table, with a series for each kind of model where a panel has planted models of several. kinds: of models, by
    name."""
    kind = table["model"].map(kinds).astype(object)
    is_mixed = kind.groupby(table["panel"]).transform("nunique") > 1
    split = table["series"] + kind.map(", {} models".format)
    return table.assign(series=table["series"].where(~is_mixed | kind.isna(), split))


def dodged(planted: pd.Series, place: pd.Series, n: int, strongest: float) -> pd.Series:
    """The positions of marks, by the place of their series among n: side by side, so that bars can be distinguished."""
    return planted + (place - (n - 1) / 2) * _DODGE * strongest


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it."""
    if table.empty:
        return EMPTY
    sentences = []
    for (title, series), rows in table.groupby(["title", "series"], sort=False):
        values = ", ".join(
            f"{style.with_interval(row.estimate, row.ci_low, row.ci_high, '.3g')} at {row.planted:g}"
            + (f" (expected {row.expected:.3g})" if pd.notna(row.expected) else "")
            for row in rows.itertuples()
        )
        sentences.append(f"{title}, {series}: {values}.")
    return f"Each metric against the strength of the planted bias. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per metric, one line per series. table: with the schema "calibration"."""
    looks = style.looks(table["series"])
    # the strength is on the axis, and a task's strength is not that of its model
    table = table.assign(line=table["series"], series=table["model"], expected=table["expected"].astype(float))
    strongest = table["planted"].max()
    plots = []
    for _, rows in table.groupby("panel", sort=False):
        first, names = rows.iloc[0], list(rows["line"].unique())
        place = rows["line"].map(names.index)
        rows = rows.assign(x=dodged(rows["planted"], place, len(names), strongest))
        panel = interactive.lines(first["title"], rows, (AXIS, first["unit"]), looks, first["null"], by="line")
        for axis in ("xaxis", "yaxis"):
            panel["layout"][axis]["rangemode"] = "tozero"
        panel["data"] += [
            interactive.stroke(group["planted"], group["expected"], EXPECTED, "dot", looks[name].colour)
            for name, group in rows.groupby("line", sort=False)
            if group["expected"].notna().any()
        ]
        plots.append(panel)
    return plots
