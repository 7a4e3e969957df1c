"""How strongly a subject is preferred after each type of intervention, and how much of the preference is kept."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.interventions.numbers import DIFFERENCE, KEPT, OWN, UNCHANGED
from herbarium.metrics.interventions.stimuli import NONE, TYPES

COLUMNS = ["unit", "variant", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No preference between two subjects was measured.")
AXES = {"mu": "μ: strongest preference of a subject, normalised", KEPT: "preference kept (1: unchanged, 0: none left)"}
# Inches between two models of a line, between two lines, and around a panel.
_STEP, _GAP, _AROUND = 0.14, 0.2, 0.85


def table(numbers: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Rows of COLUMNS: μ, normalised, and the share kept, by questions, type and model; `p_adjusted` is that of the
    difference between the share kept and the control.

    numbers: tidy rows. models: model records, by strength.
    """
    rows = numbers[(numbers["definition"] == OWN) & numbers["variant"].isin(AXES)]
    of_control = numbers.assign(variant=numbers["variant"].replace(DIFFERENCE, KEPT))
    of_control = of_control[numbers["variant"] == DIFFERENCE]
    keys = ["unit", "variant", "group", "model"]
    rows = rows.drop(columns="p_adjusted").merge(of_control[[*keys, "p_adjusted"]], "left", on=keys)
    orders = {"variant": list(AXES), "group": [NONE, *TYPES], "model": [model["name"] for model in models]}
    rank = {column: rows[column].map({of: place for place, of in enumerate(order)}) for column, order in orders.items()}
    rows = rows.assign(planted=rows["model"].map({model["name"]: model["planted"] for model in models}).astype(float))
    ordered = rows.assign(**{f"{column}_rank": of for column, of in rank.items()})
    return ordered.sort_values(["unit", *(f"{column}_rank" for column in orders)], kind="stable")[COLUMNS]


def figure(table: pd.DataFrame) -> Figure:
    """One row of panels per set of questions: μ, and the share kept; one line per type, one dot per model.

    table: rows of `table` (see there).
    """
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    looks, names = style.looks(table["model"].unique()), list(table["unit"].unique())
    among = list(looks)
    height = _STEP * len(among) + _GAP
    tall = [_AROUND + height * len([NONE, *TYPES]) for _ in names]
    with style.context():
        figure = Figure(figsize=(style.WIDTH, sum(tall) + 0.2 * (len(among) + 1) // 2 + 0.3))
        axes = figure.subplots(len(names), len(AXES), squeeze=False)
        for row, name in zip(axes, names, strict=True):
            for panel, (variant, title) in zip(row, AXES.items(), strict=True):
                of = table[(table["unit"] == name) & (table["variant"] == variant)]
                lines = list(of["group"].unique())
                if variant == KEPT:
                    panel.axvline(UNCHANGED, color="#777777", linewidth=0.7)
                for dot in of.to_dict("records"):
                    y = lines.index(dot["group"]) + (among.index(dot["model"]) - (len(among) - 1) / 2) * _STEP / height
                    _draw(panel, dot, y, looks[dot["model"]])
                panel.set_yticks(range(len(lines)), lines, parse_math=False)
                panel.set_ylim(len(lines) - 0.5, -0.5)
                panel.grid(axis="x")
                panel.tick_params(axis="y", length=0)
                panel.set_title(name, parse_math=False)
                panel.set_xlabel(title)
        labels = table.drop_duplicates("model").set_index("model")["planted"]
        handles = [
            Line2D([], [], color=look.colour, marker=look.marker, markersize=4.5, label=style.label(of, labels[of]))
            for of, look in looks.items()
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=2)
    return figure


def _draw(panel, dot: dict, y: float, look: style.Look) -> None:
    """A dot with its interval, filled if the adjusted p is small."""
    if pd.isna(dot["estimate"]):
        panel.annotate("no value", (0.02, y), xycoords=panel.get_yaxis_transform(), fontsize=6.5, va="center")
        return
    panel.hlines(y, dot["ci_low"], dot["ci_high"], colors=look.colour, linewidth=1.4)
    face = look.colour if dot["p_adjusted"] < style.ALPHA else "white"
    panel.plot(dot["estimate"], y, look.marker, color=look.colour, markerfacecolor=face, markersize=4.5)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the share of each model's preference that is kept."""
    if table["estimate"].isna().all():
        return EMPTY
    kept = table[(table["variant"] == KEPT) & table["estimate"].notna()]
    said = [
        f"{row['unit']}, {row['group']}, {style.label(row['model'], row['planted'])}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}."
        for row in kept.to_dict("records")
    ]
    return f"Preferences by type of intervention, and the share of them that is kept. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per set of questions and kind of number. table: rows of `table`."""
    table = table.assign(line=table["group"], series=interactive.labels(table))
    looks, found = style.looks(table["series"]), []
    for (name, variant), rows in table.groupby(["unit", "variant"], sort=False):
        if rows["estimate"].notna().any():
            nulls = [UNCHANGED] if variant == KEPT else []
            found.append(interactive.forest(name, rows, AXES[variant], looks, nulls))
    return found
