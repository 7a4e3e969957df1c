"""The figure of two runs side by side: differences of numbers with their intervals, one panel per kind of number."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.study.changes import LEVEL
from herbarium.study.pairing import INDEPENDENT

COLUMNS = ["metric", "panel", "line", "pairing", "estimate", "ci_low", "ci_high", "p_adjusted"]
# The number of kinds of numbers that are drawn per metric, and of lines per kind.
PANELS, LINES = 3, 12
EMPTY = style.Empty("No number that has an interval differs between the runs.")
_STEP, _AROUND = 0.2, 0.62  # inches: per line in a panel, and around it


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
    by = ["metric", "is_independent", "p_adjusted", "certainty"]
    rows = rows.sort_values(by, ascending=[True, True, True, False], kind="stable")
    rows["place"] = rows.groupby("metric")["panel"].transform(lambda of: pd.factorize(of)[0])
    size = rows.groupby("panel")["panel"].transform("size")
    rows["panel"] = rows["panel"] + size.map(lambda n: f" (the first {LINES} of {n})" if n > LINES else "")
    shown = rows[(rows["place"] < PANELS) & (rows.groupby("panel").cumcount() < LINES)]
    shown = shown.sort_values(["metric", "place"], kind="stable")
    return shown.rename(columns={"difference": "estimate"}).reset_index(drop=True)[COLUMNS]


def _joined(rows: pd.DataFrame, columns: list[str]) -> list[str]:
    return [", ".join(filter(pd.notna, of)) for of in rows[columns].itertuples(index=False)]


def figure(table: pd.DataFrame) -> Figure:
    """Forest plots one below the other, each in its own unit; filled if the adjusted p is small."""
    if table.empty:
        return style.note(EMPTY)
    blocks = [rows.reset_index(drop=True) for _, rows in table.groupby("panel", sort=False)]
    heights = [_AROUND + _STEP * len(rows) for rows in blocks]
    looks = style.looks(sorted(table["pairing"].unique()))
    with style.context():
        figure = Figure(figsize=(style.WIDTH, sum(heights) + 0.6))
        beside = figure.subplots(len(blocks), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, rows in zip(beside, blocks, strict=True):
            axes.axvline(0, color="#555555", linestyle="--", linewidth=0.9)
            for y, row in rows.iterrows():
                look = looks[row["pairing"]]
                axes.hlines(y, row["ci_low"], row["ci_high"], colors=look.colour, linewidth=1.1)
                face = look.colour if row["p_adjusted"] < style.ALPHA else "white"
                axes.plot(row["estimate"], y, look.marker, color=look.colour, markerfacecolor=face, markersize=4.5)
            axes.set_yticks(range(len(rows)), rows["line"], parse_math=False)
            axes.set_ylim(len(rows) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x")
            axes.set_title(rows["panel"].iloc[0], parse_math=False)
        marks = [Line2D([], [], color=of.colour, marker=of.marker, linewidth=1.1) for of in looks.values()]
        figure.legend(marks, looks, loc="outside upper right", ncols=len(looks))
    return figure


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it."""
    if table.empty:
        return EMPTY
    said = [
        f"{row.panel}, {row.line}: {style.with_interval(row.estimate, row.ci_low, row.ci_high, '.3g')}."
        for row in table.itertuples()
    ]
    return f"Differences between the runs with {100 * LEVEL:g} % intervals, new less base. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form."""
    looks = style.looks(sorted(table["pairing"].unique()))
    found = []
    for name, rows in table.groupby("panel", sort=False):
        panel = interactive.forest(name, rows.assign(series=rows["pairing"]), "difference, new less base", looks)
        panel["layout"]["shapes"].append(interactive.line("x", 0, "dash"))
        found.append(panel)
    return found
