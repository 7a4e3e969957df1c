"""Which pairs of an instance are most like the gender direction, compared with random directions."""

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.word_associations.numbers import CHANCE, PAPER, SEMBIAS
from herbarium.metrics.word_associations.sembias import DEFINITION, NONE, OUTCOMES, STEREOTYPE, TIED

COLUMNS = [
    *("unit", "model", "planted", "layer", "group", "estimate", "ci_low", "ci_high", "at_random", "low", "high"),
    *("p_adjusted", "n", "note"),
]
EMPTY = style.Empty("No SemBias list was measured.")
AXIS = "share of instances"
COLOURS = {DEFINITION: style.COLOURS[0], STEREOTYPE: style.COLOURS[1], NONE: style.NO_DATA, TIED: "black"}
_KEYS = ["unit", "model", "layer"]
_STEP, _AROUND = 0.24, 0.85  # inches of a bar, and around a panel


def table(numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS: the share of each outcome, of all instances; with `definition`, its mean along random
    directions, and the range (`low`, `high`) of most of these.

    numbers: tidy rows. strengths: of planted sources, by name.
    """
    rows = numbers[(numbers["metric"] == SEMBIAS) & numbers["group"].isin(OUTCOMES)]
    rows = rows.rename(columns={"variant": "layer"})
    chance = rows[rows["definition"] == CHANCE].rename(
        columns={"estimate": "at_random", "ci_low": "low", "ci_high": "high"}
    )
    own = rows[rows["definition"] == PAPER].merge(
        chance[[*_KEYS, "group", "at_random", "low", "high"]], "left", on=[*_KEYS, "group"]
    )
    planted = own["model"].map(strengths).astype(float)
    order = {name: place for place, name in enumerate(dict.fromkeys(own["unit"]))}
    own = own.assign(planted=planted, place=own["unit"].map(order)).sort_values("place", kind="stable")
    return own.reindex(columns=COLUMNS).reset_index(drop=True)


def figure(table: pd.DataFrame) -> Figure:
    """One panel per list and direction, one bar per source and layer. table: rows of `table` (see there)."""
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    units = list(table["unit"].unique())
    bars = {unit: list(dict.fromkeys(_lines(table[table["unit"] == unit]))) for unit in units}
    heights = [_AROUND + _STEP * len(bars[unit]) for unit in units]
    with style.context():
        figure = Figure(figsize=(style.WIDTH, sum(heights) + 0.3))
        axes = figure.subplots(len(units), 1, squeeze=False, height_ratios=heights)[:, 0]
        for panel, unit in zip(axes, units, strict=True):
            rows = table[table["unit"] == unit].assign(line=lambda of: _lines(of))
            for place, line in enumerate(bars[unit]):
                _draw(panel, rows[rows["line"] == line].set_index("group"), place)
            panel.set_yticks(range(len(bars[unit])), bars[unit], parse_math=False)
            panel.set_ylim(len(bars[unit]) - 0.4, -0.6)
            panel.set_xlim(0, 1)
            panel.tick_params(axis="y", length=0)
            panel.set_title(unit, parse_math=False)
            panel.set_xlabel(AXIS)
        handles = [axes[0].barh(0, 0, color=colour, label=name) for name, colour in COLOURS.items()]
        figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
    return figure


def _draw(panel, of: pd.DataFrame, y: int) -> None:
    """A bar of outcomes, with the interval of the first; and its value for random directions."""
    if of["estimate"].isna().all():
        panel.annotate("no value", (0.02, y), va="center", fontsize=6.5)
        return
    left = 0.0
    for outcome in OUTCOMES:
        share = of.loc[outcome, "estimate"]
        panel.barh(y, share, 0.6, left, color=COLOURS[outcome])
        left += share
    definition = of.loc[DEFINITION]
    panel.hlines(y, definition["ci_low"], definition["ci_high"], colors="black", linewidth=1.4)
    panel.vlines(definition["at_random"], y - 0.4, y + 0.4, colors="white", linewidth=2.2)
    panel.vlines(definition["at_random"], y - 0.4, y + 0.4, colors="black", linewidth=1.0, linestyles="dotted")


def _lines(rows: pd.DataFrame) -> pd.Series:
    """The label of a bar: the source, and its layer if it has several."""
    several = rows.groupby("model")["layer"].transform("nunique") > 1
    label = interactive.labels(rows)
    return label.where(~several, label + ", layer " + rows["layer"].astype(str))


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    rows = table[(table["group"] == DEFINITION) & table["estimate"].notna()]
    said = [
        f"{row['unit']}, {line}: {style.with_interval(row['estimate'], row['ci_low'], row['ci_high'])}, "
        f"{style.text(row['at_random'], '.2f')} at random."
        for row, line in zip(rows.to_dict("records"), _lines(rows), strict=True)
    ]
    return f"Share of instances in which the definition pair is most like the gender direction. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per list and direction. table: rows of `table`."""
    table = table.assign(line=_lines(table), series=table["group"]) if len(table) else table
    looks = {name: style.Look(colour, marker) for (name, colour), marker in zip(COLOURS.items(), "osD^", strict=True)}
    found = []
    for unit, rows in table.groupby("unit", sort=False):
        if rows["estimate"].notna().any():
            panel = interactive.forest(unit, rows, AXIS, looks)
            band = rows.loc[rows["group"] == DEFINITION, ["low", "high"]]
            found.append(
                interactive.shaded(panel, "x", band["low"].min(), band["high"].max(), "along random directions")
            )
    return found
