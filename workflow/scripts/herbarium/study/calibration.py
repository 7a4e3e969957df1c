"""Each metric against the strength of the planted bias: does it order the strengths, and is it zero without bias?

Its table has the schema "calibration" (`statistics.calibration`); every metric writes rows of it.
"""

import html

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style

EMPTY = style.Empty("No metric was measured in models of known bias.")
_WIDTH, _PANEL = 3.6, 1.75  # inches: one column of a paper
_DODGE = 0.022  # of the axis, between two series


def figure(table: pd.DataFrame) -> Figure:
    """Dots with interval bars, one panel per metric, one line per series. table: with the schema "calibration"."""
    if table.empty:
        return style.note(EMPTY)
    by_panel = list(table.groupby("panel", sort=False))
    strongest, looks = table["planted"].max() or 1.0, style.looks(table["series"])
    with style.context():
        figure = Figure(figsize=(_WIDTH, 0.9 + _PANEL * len(by_panel)))
        beside = figure.subplots(len(by_panel), 1, squeeze=False, sharex=True)[:, 0]
        for axes, (_, rows) in zip(beside, by_panel, strict=True):
            panel = rows.iloc[0]
            axes.axhline(panel["null"], color="#555555", linestyle="--", linewidth=0.9)
            _draw(axes, rows, strongest, looks)
            axes.set_title(panel["title"], parse_math=False)
            axes.set_ylabel(panel["unit"], fontsize=8)
            axes.tick_params(labelbottom=True)
            axes.grid(axis="y")
        beside[-1].set_xlabel(
            "planted strength (for tasks: in their texts)\n"
            "bars: intervals; dashed: nothing to find\ndotted: expected of a perfect model",
            fontsize=8,
        )
    return figure


def dodged(planted: pd.Series, place: int, n: int, strongest: float) -> pd.Series:
    """The positions of a series' marks, by its place among n: side by side, so that bars can be distinguished."""
    return planted + (place - (n - 1) / 2) * _DODGE * strongest


def _draw(axes, rows: pd.DataFrame, strongest: float, looks: dict[str, style.Look]) -> None:
    series = list(rows.groupby("series", sort=False))
    for place, (name, own) in enumerate(series):
        colour, marker = looks[name]
        x = dodged(own["planted"], place, len(series), strongest)
        y, low, high = (own[column].to_numpy(float) for column in ("estimate", "ci_low", "ci_high"))
        if own["expected"].notna().any():
            axes.plot(own["planted"], own["expected"].to_numpy(float), ":", color=colour, linewidth=0.9)
        axes.vlines(x, low, high, colors=colour, linewidth=1)
        axes.plot(x, y, marker=marker, color=colour, markersize=3.5, linewidth=0.7, label=name.rpartition("/")[2])
    if len(series) > 1:
        style.legend(axes, loc="upper left", fontsize=7, handlelength=1.4, labelspacing=0.2)


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
    """Its interactive form (`drawing.panels`)."""
    looks = style.looks(table["series"])
    # the strength is on the axis, and a task's strength is not that of its model
    table = table.assign(line=table["series"], series=table["model"])
    strongest, found = table["planted"].max(), []
    for _, rows in table.groupby("panel", sort=False):
        panel, series = rows.iloc[0], list(rows.groupby("line", sort=False))
        lines = [
            interactive.dots(own, "y", dodged(own["planted"], place, len(series), strongest), line, *looks[line])
            | {"mode": "lines+markers", "line": {"color": looks[line].colour, "width": 1}}
            for place, (line, own) in enumerate(series)
        ]
        lines += [
            {
                **{"x": interactive.plain(own["planted"]), "y": interactive.plain(own["expected"])},
                **{"mode": "lines", "line": {"color": looks[line].colour, "width": 1, "dash": "dot"}},
                **{"name": html.escape(f"{line}, expected"), "hoverinfo": "name"},
            }
            for line, own in series
            if own["expected"].notna().any()
        ]
        layout = {
            "height": 340,
            "xaxis": {"title": {"text": "planted strength"}, "zeroline": False},
            "yaxis": {"title": {"text": panel["unit"]}, "rangemode": "tozero", "zeroline": False},
            "shapes": [interactive.line("y", panel["null"], "dash")],
        }
        found.append({"title": panel["title"], "data": lines, "layout": layout})
    return found
