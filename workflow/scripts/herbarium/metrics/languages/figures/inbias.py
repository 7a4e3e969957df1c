"""inBias of each language in its own space, and in the space of each pivot."""

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.languages.numbers import ARROW, EXCESS, INBIAS, LEAN, PAPER

COLUMNS = ["unit", "variant", "group", "model", "planted", "estimate", "ci_low", "ci_high", "p_adjusted", "n", "note"]
EMPTY = style.Empty("No language has enough pairs with vectors.")
AXES = {LEAN: "mean gap (above 0: feminine nearer)", INBIAS: "inBias (Eq. 3.2)"}
_LINE, _AROUND = 0.22, 0.9  # inches of a line, and around a panel


def table(numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS: the mean gap and inBias, by space, language and pivot; `p_adjusted` of the mean gap is its own,
    of inBias that of `inbias_excess`.

    numbers: tidy rows. strengths: of planted sources, by name.
    """
    is_shown = (numbers["variant"] == LEAN) | ((numbers["variant"] == INBIAS) & (numbers["definition"] == PAPER))
    changes = numbers[numbers["variant"] == EXCESS].assign(variant=INBIAS)
    keys = ["unit", "variant", "group", "model"]
    rows = numbers[is_shown].merge(changes[[*keys, "p_adjusted"]], "left", on=keys, suffixes=("", "_change"))
    is_lean = rows["variant"] == LEAN
    rows["p_adjusted"] = rows["p_adjusted"].where(is_lean, rows["p_adjusted_change"])
    rows = rows.assign(
        planted=rows["model"].map(strengths).astype(float),
        language=rows["group"].str.split(ARROW, regex=False).str[0],
        order=rows["variant"].map(list(AXES).index),
    )
    first = {name: place for place, name in enumerate(rows["language"].unique())}
    rows["place"] = rows["language"].map(first)
    return rows.sort_values(["unit", "order", "place"], kind="stable")[COLUMNS].reset_index(drop=True)


def figure(table: pd.DataFrame) -> Figure:
    """One panel per space and number; one line per language, and one per pivot, marked with an arrow.

    table: rows of `table` (see there).
    """
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    names = list(table["unit"].unique())
    looks = style.looks(_languages(table).unique())
    lines = {name: list(table.loc[table["unit"] == name, "group"].unique()) for name in names}
    with style.context():
        figure = Figure(figsize=(style.WIDTH, sum(_AROUND + _LINE * len(of) for of in lines.values())))
        ratios = [_AROUND + _LINE * len(of) for of in lines.values()]
        axes = figure.subplots(len(names), len(AXES), squeeze=False, height_ratios=ratios)
        for row, name in zip(axes, names, strict=True):
            for panel, (variant, title) in zip(row, AXES.items(), strict=True):
                panel.axvline(0, color=style.NO_DATA)
                of = table[(table["unit"] == name) & (table["variant"] == variant)]
                for dot in of.dropna(subset="estimate").to_dict("records"):
                    y, look = lines[name].index(dot["group"]), looks[dot["group"].split(ARROW)[0]]
                    panel.hlines(y, dot["ci_low"], dot["ci_high"], colors=look.colour, linewidth=1.4)
                    face = look.colour if dot["p_adjusted"] < style.ALPHA else "white"
                    panel.plot(dot["estimate"], y, look.marker, color=look.colour, markerfacecolor=face, markersize=4.5)
                panel.set_yticks(range(len(lines[name])), lines[name], parse_math=False)
                panel.set_ylim(len(lines[name]) - 0.5, -0.5)
                panel.grid(axis="x")
                panel.tick_params(axis="y", length=0)
                panel.set_title(name, parse_math=False)
                panel.set_xlabel(title)
    return figure


def _languages(table: pd.DataFrame) -> pd.Series:
    return table["group"].str.split(ARROW, regex=False).str[0]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table["estimate"].isna().all():
        return EMPTY
    said = [
        f"{row['unit']}, {row['group']}, {'mean gap' if row['variant'] == LEAN else 'inBias'}: "
        f"{style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.3f')}."
        for row in table.dropna(subset="estimate").to_dict("records")
    ]
    return " ".join(["Dot plot by language and pivot.", *said])


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per space and number. table: rows of `table`."""
    rows = table.assign(line=table["group"], series=_languages(table)).dropna(subset="estimate")
    looks = style.looks(_languages(table).unique())
    return [
        interactive.forest(name, of, AXES[variant], looks)
        for (name, variant), of in rows.groupby(["unit", "variant"], sort=False)
    ]
