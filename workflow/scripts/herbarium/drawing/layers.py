"""Numbers for sources of vectors, layer by layer: one panel per number, one line per source."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import panels as interactive
from herbarium.drawing import style

COLUMNS = ["unit", "variant", "group", "model", "estimate", "ci_low", "ci_high", "p_adjusted", "n"]


class Panel(NamedTuple):
    """A number: its definition in the tidy rows; the title of its axis; its value if there is nothing to find, None if
    that differs from set to set; and whether it ranges from 0 to 1."""

    definition: str
    title: str
    null: float | None = 0.0
    is_share: bool = False


def table(numbers: pd.DataFrame, panels: Mapping[str, Panel]) -> pd.DataFrame:
    """Rows of COLUMNS: the numbers of the panels by set, source of vectors and layer. numbers: tidy rows. panels: by
    variant."""
    wanted = numbers["variant"].map({variant: of.definition for variant, of in panels.items()})
    rows = numbers[numbers["definition"] == wanted]
    order = rows["variant"].map(list(panels).index)
    return rows.assign(order=order).sort_values(["unit", "order"], kind="stable")[COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame, panels: Mapping[str, Panel], empty: str) -> Figure:
    """One row of panels per set, one line per source over the layers, with marks filled where the adjusted p is below
    style.ALPHA."""
    if table["estimate"].isna().all():
        return style.note(empty)
    sources, names = style.looks(table["model"]), list(table["unit"].unique())
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 2.1 * len(names) + 0.25 * (len(sources) + 2) // 3 + 0.2))
        axes = figure.subplots(len(names), len(panels), squeeze=False)
        for row, name in zip(axes, names, strict=True):
            for panel, (variant, of) in zip(row, panels.items(), strict=True):
                if of.null is not None:
                    panel.axhline(of.null, color="#777777", linewidth=0.7)
                of_panel = table[(table["unit"] == name) & (table["variant"] == variant)]
                for number, (source, look) in enumerate(sources.items()):
                    _draw(panel, of_panel[of_panel["model"] == source], look, 0.12 * (number - (len(sources) - 1) / 2))
                if of.is_share:
                    panel.set_ylim(0, 1)
                panel.set_xlabel("layer")
                panel.set_ylabel(of.title)
                panel.set_title(name, parse_math=False)
        handles = [
            Line2D([], [], color=look.colour, marker=look.marker, markersize=4.5, label=source)
            for source, look in sources.items()
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=3)
    return figure


def _draw(panel, rows: pd.DataFrame, look: style.Look, moved: float) -> None:
    places = pd.Series(range(len(rows)), rows.index) + moved
    panel.plot(places, rows["estimate"], color=look.colour, linewidth=0.8, alpha=0.6)
    panel.vlines(places, rows["ci_low"], rows["ci_high"], colors=look.colour, linewidth=1)
    for is_small, face in ((True, look.colour), (False, "white")):
        own = (rows["p_adjusted"] < style.ALPHA) == is_small
        panel.plot(
            places[own], rows["estimate"][own], look.marker, color=look.colour, markerfacecolor=face, markersize=4.5
        )
    if len(rows) and len(rows) >= len(panel.get_xticklabels()) - 2:
        panel.set_xticks(range(0, len(rows), max(1, len(rows) // 6)), rows["group"].iloc[:: max(1, len(rows) // 6)])


def describe(table: pd.DataFrame, panels: Mapping[str, Panel], empty: str, title: str) -> str:
    """The figure in words, for those who cannot see it: the last layer of each source."""
    if table["estimate"].isna().all():
        return empty
    last = table.groupby(["unit", "model", "variant"], sort=False).last().reset_index().dropna(subset="estimate")
    said = [
        f"{row['unit']}, {row['model']}, layer {row['group']}: {panels[row['variant']].title} "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}."
        for row in last.to_dict("records")
    ]
    return f"{title} by layer. {' '.join(said)}"


def interactive_panels(table: pd.DataFrame, panels: Mapping[str, Panel]) -> list[dict]:
    """The interactive form: one panel per set and number. table: rows of `table`."""
    looks, found = style.looks(table["model"]), []
    for (name, variant), rows in table.groupby(["unit", "variant"], sort=False):
        if rows["estimate"].notna().any():
            rows = rows.assign(line="layer " + rows["group"], series=rows["model"])
            found.append(interactive.forest(name, rows, panels[variant].title, looks))
    return found
