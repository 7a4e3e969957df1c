"""The figure of two runs side by side: differences of numbers with their intervals, one panel per kind of number."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.study.changes import LEVEL
from herbarium.study.pairing import INDEPENDENT

COLUMNS = ["metric", "panel", "line", "pairing", "estimate", "ci_low", "ci_high", "p_adjusted"]
# The number of kinds of numbers that are drawn per metric, and of lines per kind.
PANELS, LINES = 3, 12
EMPTY = style.Empty("No number that has an interval differs between the runs.")


def table(changes: pd.DataFrame) -> pd.DataFrame:
    """The differences that are drawn, with COLUMNS. changes: from `comparison.changes`.

    There is one panel per metric, definition and variant; within a metric, paired ones are drawn first, then the most
    certain.
    """
    rows = changes.dropna(subset=["difference", "ci_low", "p_adjusted"])
    rows = rows.assign(
        panel=_joined(rows, ["metric", "definition", "variant"]),
        line=_joined(rows, ["model", "unit", "group"]),
        certainty=(rows["difference"] / rows["std_error"]).abs(),
        is_independent=rows["pairing"] == INDEPENDENT,
    )
    columns = ["metric", "is_independent", "p_adjusted", "certainty"]
    rows = rows.sort_values(columns, ascending=[True, True, True, False], kind="stable")
    rows["place"] = rows.groupby("metric")["panel"].transform(lambda column: pd.factorize(column)[0])
    size = rows.groupby("panel")["panel"].transform("size")
    rows["panel"] = rows["panel"] + size.map(lambda n: f" (the first {LINES} of {n})" if n > LINES else "")
    shown = rows[(rows["place"] < PANELS) & (rows.groupby("panel").cumcount() < LINES)]
    shown = shown.sort_values(["metric", "place"], kind="stable")
    return shown.rename(columns={"difference": "estimate"}).reset_index(drop=True)[COLUMNS]


def _joined(rows: pd.DataFrame, columns: list[str]) -> list[str]:
    return [", ".join(filter(pd.notna, row)) for row in rows[columns].itertuples(index=False)]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it."""
    if table.empty:
        return EMPTY
    sentences = [
        f"{row.panel}, {row.line}: {style.with_interval(row.estimate, row.ci_low, row.ci_high, '.3g')}."
        for row in table.itertuples()
    ]
    return f"Differences between the runs with {100 * LEVEL:g} % intervals, new less base. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One forest plot per kind of number, each in its own unit. table: rows of `table`."""
    looks = style.looks(sorted(table["pairing"].unique()))
    return [
        interactive.forest(name, rows.assign(series=rows["pairing"]), "difference, new less base", looks, [0])
        for name, rows in table.groupby("panel", sort=False)
    ]
