"""The covariance across forms by language and model, with CB."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC, PRIMARY
from herbarium.metrics.categorical_bias.stimuli import Languages

COLUMNS = [*shared.PLACE, "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]
VARIANTS = (PRIMARY, "cb", "cb_equal_length")
EMPTY = style.Empty("No language has a score to show.")
_ACROSS, _ALL = ("paper", PRIMARY), ("paper", "cb")
_EQUAL, _RELEASED = ("paper", "cb_equal_length"), ("released", "cb")
# Score -> its name, marker, colour, and its offset below the middle of its row, in rows.
_LOOKS = {
    _ACROSS: ("covariance across forms", "^", style.COLOURS[2], -0.27),
    _ALL: ("CB", *shared.LOOKS["paper"], -0.09),
    _EQUAL: ("CB over pairs of targets of equal length", "s", style.COLOURS[1], 0.27),
    _RELEASED: ("CB as released (no interval drawn)", *shared.LOOKS["released"], 0.09),
}


# Score -> its name when pointed at; there is none for equal length as released.
_POINTED_AT = {
    _ACROSS: "covariance across forms",
    _ALL: "CB",
    _EQUAL: "CB, targets of equal length",
    _RELEASED: "CB, released",
}


# The lowest start of the axis, as a share of the largest: without bias a covariance may be arbitrarily close to 0.
_DECADES = 1e-4


class _Line(NamedTuple):
    """A row of the figure: a language, or a model in it."""

    text: str
    language: str
    model: str | None


def table(numbers: pd.DataFrame, languages: Languages, models: list[dict]) -> pd.DataFrame:
    """The scores of the leading list, base words.

    numbers: tidy rows. languages, models: as for `shared.places`.

    Returns one row per language, model, definition (paper, released) and variant (VARIANTS), with COLUMNS: numbers in
    squared natural logarithms, null if there are none; `n` targets.
    """
    places = shared.places(languages, models)
    places["group"] = places["language"] + "/" + places["list"]
    scores = pd.MultiIndex.from_product([("paper", "released"), VARIANTS], names=["definition", "variant"])
    scored = numbers[(numbers["metric"] == METRIC) & (numbers["unit"] == "list")]
    return (
        places.merge(scores.to_frame(index=False), how="cross")
        .merge(
            scored.drop(columns=["metric", "unit"]),
            how="left",
            on=["model", "group", "definition", "variant"],
            validate="many_to_one",
        )[COLUMNS]
        .astype({"n": "Int64"})
    )


def figure(table: pd.DataFrame) -> Figure:
    """Dots with their intervals on a logarithmic axis, one row per language and model.

    table: rows of `table` (see there). Values at or below 0, or too small, are arrows at the left edge, and intervals
    that extend beyond it are cut.
    """
    if table["estimate"].isna().all():
        return style.note(EMPTY)
    lines = _lines(table)
    places = np.array([y for y, line in enumerate(lines) if line.model])
    measured = [line for line in lines if line.model]
    rows = table.set_index(["language", "model", "definition", "variant"])
    edge = max(shared.log_edge(table[["estimate"]]), _DECADES * table["estimate"].max())
    with style.context():
        figure = Figure(figsize=(6.4, 1.5 + 0.22 * len(lines)))
        axes = figure.add_subplot()
        axes.set_xscale("log")
        axes.set_xlim(edge, 1.2 * max(2 * edge, np.nanmax(table[["estimate", "ci_high"]])))
        for score, (name, marker, colour, shift) in _LOOKS.items():
            own = rows.loc[[(line.language, line.model, *score) for line in measured]]
            x, y = own["estimate"].to_numpy(float), places + shift
            zorder = 1.5 if score == _RELEASED else 2
            if score != _RELEASED:
                axes.hlines(y, *(own[bound].clip(lower=edge) for bound in ("ci_low", "ci_high")), colors=colour)
            axes.plot(
                np.where(x >= edge, x, np.nan), y, marker, color=colour, markersize=4.5, zorder=zorder, label=name
            )
            if (x < edge).any():
                low = f"{name}: at or below 0, or too small for the axis"
                axes.plot(np.where(x < edge, edge, np.nan), y, "<", color=colour, clip_on=False, label=low)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_yticks(range(len(lines)), [line.text for line in lines], parse_math=False)
        for y, (tick, line) in enumerate(zip(axes.get_yticklabels(), lines, strict=True)):
            if line.model is None:
                tick.set_fontweight("bold")
                axes.axhline(y - 0.5, color="#bbbbbb", linewidth=0.6)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("Variance or covariance of log P' over n targets (no unit)")
        figure.legend(loc="outside upper left", ncols=1)
    return figure


def _lines(table: pd.DataFrame) -> list[_Line]:
    """The rows of the figure from above. table: rows of `table`."""
    lines = []
    for language, rows in table[table["variant"] == "cb"].groupby("language", sort=False):
        lines.append(_Line(language, language, None))
        for row in rows[rows["definition"] == "paper"].itertuples(index=False):
            n = "–" if pd.isna(row.n) else row.n
            lines.append(_Line(f"{shared.label(row)}, n = {n}", language, row.model))
    return lines


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the scores of each language and model."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for (language, _), rows in table.groupby(["language", "model"], sort=False):
        score = rows.set_index(["definition", "variant"])[["estimate", "ci_low", "ci_high"]]
        across, cb, equal = (style.with_interval(*score.loc[name], ".3g") for name in (_ACROSS, _ALL, _EQUAL))
        released = style.with_interval(score.loc[_RELEASED, "estimate"], np.nan, np.nan, ".3g")
        name = shared.label(rows.iloc[0])
        sentences.append(
            f"{language}, {name}: covariance across forms {across}; CB {cb}; over pairs of targets of equal length "
            f"{equal}; as released {released}."
        )
    return f"Dot plot of Categorical Bias by language and model. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form of the figure (`drawing.panels`)."""
    scores = pd.Series(zip(table["definition"], table["variant"], strict=True), table.index)
    line = table["language"] + ", " + interactive.labels(table)
    shown = table.assign(series=scores.map(_POINTED_AT), line=line).dropna(subset="series")
    return [interactive.forest("", shown, "Categorical Bias")]
