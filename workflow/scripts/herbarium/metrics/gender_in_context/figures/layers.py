"""Gender in the vectors of words, layer by layer: what stereotypes and the sentence have to do with it."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.gender_in_context.names import ACCURACY, COMMON, DIFFERENCE, GENDER, LINEAR, WORDS

COLUMNS = ["unit", "variant", "group", "model", "estimate", "ci_low", "ci_high", "p_adjusted", "n"]
EMPTY = style.Empty("In no layer could gender be measured.")
_ACCURACY = f"{ACCURACY}_{LINEAR}"
# Which numbers, what the axis says, and their value where there is nothing to find.
PANELS = {
    DIFFERENCE: ("stereotype difference", 0.0),
    COMMON: ("share of differences in common", 0.0),
    _ACCURACY: ("accuracy, words held out", 0.5),
}
_WHAT = {DIFFERENCE: GENDER, COMMON: GENDER, _ACCURACY: WORDS}


def table(numbers: pd.DataFrame) -> pd.DataFrame:
    """Rows of COLUMNS: the numbers of PANELS by set, source of vectors and layer. numbers: tidy rows."""
    rows = numbers[numbers["definition"] == numbers["variant"].map(_WHAT)]
    order = rows["variant"].map(list(PANELS).index)
    return rows.assign(order=order).sort_values(["unit", "order"], kind="stable")[COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame) -> Figure:
    """One row of panels a set: each number over the layers, a line a source, filled where its adjusted p is small."""
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    sources, names = style.looks(table["model"]), list(table["unit"].unique())
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 2.1 * len(names) + 0.25 * (len(sources) + 2) // 3 + 0.2))
        axes = figure.subplots(len(names), len(PANELS), squeeze=False)
        for row, name in zip(axes, names, strict=True):
            for panel, (variant, (title, null)) in zip(row, PANELS.items(), strict=True):
                panel.axhline(null, color="#777777", linewidth=0.7)
                of_panel = table[(table["unit"] == name) & (table["variant"] == variant)]
                for number, (source, look) in enumerate(sources.items()):
                    _draw(panel, of_panel[of_panel["model"] == source], look, 0.12 * (number - (len(sources) - 1) / 2))
                if variant == _ACCURACY:
                    panel.set_ylim(0, 1)
                panel.set_xlabel("layer")
                panel.set_ylabel(title)
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


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it: the last layer of each source."""
    if table["estimate"].isna().all():
        return EMPTY
    last = table.groupby(["unit", "model", "variant"], sort=False).last().reset_index().dropna(subset="estimate")
    said = [
        f"{row['unit']}, {row['model']}, layer {row['group']}: {PANELS[row['variant']][0]} "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}."
        for row in last.to_dict("records")
    ]
    return f"Gender in the vectors of words by layer. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: a panel a set and number. table: rows of `table`."""
    looks, found = style.looks(table["model"]), []
    for (name, variant), rows in table.groupby(["unit", "variant"], sort=False):
        if rows["estimate"].notna().any():
            rows = rows.assign(line="layer " + rows["group"], series=rows["model"])
            found.append(interactive.forest(name, rows, PANELS[variant][0], looks))
    return found
