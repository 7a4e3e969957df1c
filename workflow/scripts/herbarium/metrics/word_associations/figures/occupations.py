"""Occupations along the gender direction, against the share of women in them."""

import math
from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.word_associations.numbers import COSINE, WOMEN

COLUMNS = ["model", "planted", "layer", "unit", "name", "x", "estimate", "rank_correlation"]
EMPTY = style.Empty("No occupation has both a vector and a share of women.")
X, Y = "share of women", "cosine with the gender direction\n(above 0: masculine)"
_COLUMNS, _SIDE = 3, 2.3  # panels in a row, inches of a panel
_NAMED = 2  # words with a name at either end


def table(projections: pd.DataFrame, numbers: pd.DataFrame, strengths: dict[str, float]) -> pd.DataFrame:
    """Rows of COLUMNS, one per occupation: `x` is the share of women, `estimate` the cosine. For each list and source
    the first direction, and the last layer.

    projections: of the schema "word_projections". numbers: tidy rows. strengths: of planted sources, by name.
    """
    rows = projections.dropna(subset="women")
    keys = ["source", "occupations"]
    first = rows.groupby(keys)["direction"].transform("first")
    last = rows.groupby(keys)["layer"].transform("last")
    rows = rows[(rows["direction"] == first) & (rows["layer"] == last)]
    rows = rows.assign(unit=rows["occupations"] + ", " + rows["direction"], planted=rows["source"].map(strengths))
    rows = rows.rename(columns={"source": "model", "word": "name", "women": "x", COSINE: "estimate"})
    of = numbers.loc[numbers["metric"] == WOMEN, ["model", "variant", "unit", "estimate"]]
    of = of.rename(columns={"variant": "layer", "estimate": "rank_correlation"})
    found = rows.merge(of, "left", on=["model", "layer", "unit"]).reindex(columns=COLUMNS)
    return found.assign(planted=found["planted"].astype(float))


def figure(table: pd.DataFrame) -> Figure:
    """One panel per source and list, all with one y axis; the words farthest to either side have their names.

    table: rows of `table` (see there).
    """
    if table.empty:
        return style.note(EMPTY)
    blocks = list(_blocks(table))
    n_columns = min(_COLUMNS, len(blocks))
    n_rows = math.ceil(len(blocks) / n_columns)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, _SIDE * n_rows + 0.4))
        axes = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True)
        for panel in axes.ravel()[len(blocks) :]:
            panel.set_visible(False)
        for panel, (title, rows) in zip(axes.ravel(), blocks, strict=False):
            panel.axhline(0, color="#777777", linewidth=0.7)
            panel.plot(rows["x"], rows["estimate"], "o", color=style.COLOURS[0], markersize=3)
            ordered = rows.sort_values("estimate", kind="stable")
            for row in pd.concat([ordered.head(_NAMED), ordered.tail(_NAMED)]).to_dict("records"):
                left = row["x"] > rows["x"].mean()
                offset, side = (-3, "right") if left else (3, "left")
                panel.annotate(
                    row["name"],
                    (row["x"], row["estimate"]),
                    (offset, 0),
                    textcoords="offset points",
                    fontsize=6,
                    ha=side,
                    va="center",
                    parse_math=False,
                )
            panel.set_title(f"{title}\n{_said(rows)}", parse_math=False, fontsize=7.5)
        figure.supxlabel(X, fontsize=9)
        figure.supylabel(Y, fontsize=9)
    return figure


def _blocks(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title and rows of each panel."""
    for (model, planted, unit, _), rows in table.groupby(
        ["model", "planted", "unit", "layer"], sort=False, dropna=False
    ):
        yield f"{style.label(model, planted)}\n{unit}", rows


def _said(rows: pd.DataFrame) -> str:
    r = rows["rank_correlation"].iloc[0]
    return "no correlation" if pd.isna(r) else f"rank correlation {style.text(r, '.2f')}"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    if table.empty:
        return EMPTY
    said = [f"{_line(title)}: {_said(rows)}, {len(rows)} occupations." for title, rows in _blocks(table)]
    return f"Occupations along the gender direction, against the share of women in them. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per source and list. table: rows of `table`."""
    return [interactive.scatter(_line(title), rows, X, _line(Y), table) for title, rows in _blocks(table)]


def _line(text: str) -> str:
    return text.replace("\n", ", ")
