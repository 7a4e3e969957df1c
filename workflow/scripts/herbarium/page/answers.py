"""The first figure of the page: the primary number of every metric in every model, with the published value of the same
number if there is one.

Each stands on its own scale from its value without bias (0) to the strongest planted bias (1) or, where nothing is
planted, in standard errors from its value without bias. Numbers without a scale are in the table above it only. Its
table is the one of `report.answers`.
"""

import html
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.report.answers import BETWEEN, DIFFERENT, SMALL, beside_planted


class Scale(NamedTuple):
    """axis: its title, in two lines, for narrow screens. ends: of the axis, at most; a value beyond an end is an arrow
    at it. marks: where something is marked besides 0."""

    axis: str
    ends: tuple[float, float]
    marks: tuple[float, ...]


EMPTY = style.Empty("No metric has a number that can be placed beside its value without bias.")
PLANTED = Scale("0: no bias;<br>1: all of the planted bias", (-1.5, 2.5), (1,))
ERRORS = Scale("distance from no bias,<br>in standard errors", (-10, 10), ())
PUBLISHED = "published (star)"
_ARROWS = ("triangle-left", "triangle-right")  # at either end
_GAP = 0.8  # rows between two metrics
_PITCH = ((30, 12), (90, 7), (200, 5.5))  # (most rows, pixels per row); with more rows, the least
_LEAST_PITCH = 4.5


def places(table: pd.DataFrame) -> pd.Series:
    """The vertical place of each row: one below the other, with a gap between answers."""
    return pd.Series(range(len(table)), table.index) + _GAP * (table["title"] != table["title"].shift()).cumsum()


def blocks(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Title and rows of each answer, with `y`, the place of each row."""
    return list(table.assign(y=places(table)).groupby("title", sort=False))


def band(rows: pd.DataFrame) -> tuple[float, float] | None:
    """The interval of an answer's unbiased reference on the figure's scale, lower end first; None without one."""
    references = rows[rows["is_reference"] & rows["scaled_low"].notna() & rows["scaled_high"].notna()]
    if references.empty:
        return None
    return tuple(sorted(references.iloc[0][["scaled_low", "scaled_high"]]))


def placed(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of answers that have a scale."""
    return table[table["range"].notna()].astype({"is_reference": bool}).reset_index(drop=True)


def scales(table: pd.DataFrame) -> Iterator[tuple[Scale, pd.DataFrame]]:
    """Each scale with its placed rows, if there are any."""
    rows = placed(table)
    is_planted = beside_planted(rows) if len(rows) else pd.Series(dtype=bool)
    for scale, of_scale in ((PLANTED, rows[is_planted]), (ERRORS, rows[~is_planted])):
        if len(of_scale):
            yield scale, of_scale.reset_index(drop=True)


def beyond(scaled: float, ends: tuple[float, float]) -> int | None:
    """The end of the axis, 0 or 1, that a value lies beyond; None for one between them."""
    return 0 if scaled < ends[0] else 1 if scaled > ends[1] else None


def is_cut(table: pd.DataFrame) -> bool:
    """Whether a value lies beyond an end of its axis."""
    return any(beyond(scaled, scale.ends) is not None for scale, rows in scales(table) for scaled in rows["scaled"])


def has_band(table: pd.DataFrame) -> bool:
    """Whether an interval of an unbiased reference is drawn."""
    return any(band(rows) is not None for _, of_scale in scales(table) for _, rows in blocks(of_scale))


def has_published(table: pd.DataFrame) -> bool:
    return bool(table["scaled_published"].notna().any())


def is_filled(verdict: str) -> bool:
    return verdict in (DIFFERENT, BETWEEN, SMALL)


def _height(table: pd.DataFrame) -> float:
    """Pixels that the rows take."""
    pitch = next((height for most, height in _PITCH if len(table) <= most), _LEAST_PITCH)
    return pitch * (places(table).max() + 1)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the list below it on the page says the same."""
    words = {PLANTED: "from no bias (0) to planted bias (1)", ERRORS: "in standard errors from no bias"}
    sentences = []
    for scale, rows in scales(table):
        counts = " ".join(f"{title}: {_counted(group)}." for title, group in rows.groupby("title", sort=False))
        sentences.append(f"The primary number of every metric in every model, {words[scale]}. {counts}")
    return " ".join(sentences) or EMPTY


def _counted(rows: pd.DataFrame) -> str:
    n, n_published = int(rows["verdict"].map(is_filled).sum()), int(rows["published"].notna().sum())
    beside = f"; {n_published} with a published number" if n_published else ""
    return f"{n} of {len(rows)} different from no bias, or small by a test{beside}"


def panels(table: pd.DataFrame) -> list[dict]:
    """Dots with interval bars, filled where a test decides; arrows at values beyond an end; grey: the interval of the
    unbiased reference. Stars: published numbers."""
    return [_panel(scale, rows) for scale, rows in scales(table)]


def _panel(scale: Scale, table: pd.DataFrame) -> dict:
    table = table.assign(y=places(table), of=table["of"].fillna(""), said=table["sentence"])
    table = table.assign(name=table["title"] + table["of"].map(lambda about: f", {about}" if about else ""))
    looks, of_blocks = style.looks(table["model"]), blocks(table)
    traces = []
    for model, rows in table.groupby("model", sort=False):
        label, look = rows["label"].iloc[0], looks[model]
        trace = interactive.dots(rows.assign(series=label, p_adjusted=np.nan), "x", rows["y"], label, *look)
        ends = rows[["scaled", "scaled_low", "scaled_high"]].clip(*scale.ends)
        at = ends["scaled"]
        low, high = ends[["scaled_low", "scaled_high"]].min(axis=1), ends[["scaled_low", "scaled_high"]].max(axis=1)
        trace["x"] = interactive.plain(at)
        trace["error_x"] |= {"array": interactive.plain(high - at), "arrayminus": interactive.plain(at - low)}
        is_open = ~rows["verdict"].map(is_filled)
        symbol = trace["marker"]["symbol"][0].removesuffix("-open")
        shapes = [symbol if (end := beyond(scaled, scale.ends)) is None else _ARROWS[end] for scaled in rows["scaled"]]
        trace["marker"]["symbol"] = [
            shape + ("-open" if hollow else "") for shape, hollow in zip(shapes, is_open, strict=True)
        ]
        traces.append(trace)
    traces += _stars(table, scale)
    shapes = [interactive.line("x", 0, "dash"), *(interactive.line("x", mark, "dot") for mark in scale.marks)]
    for _, rows in of_blocks:
        if reference := band(rows):
            ends = rows["y"].min() - 0.6, rows["y"].max() + 0.6
            shapes.append(
                interactive.box(tuple(np.clip(reference, *scale.ends)), ends) | {"name": interactive.REFERENCE}
            )
    layout = {
        "height": 70 + _height(table),
        "xaxis": {"title": {"text": scale.axis}, "zeroline": False},
        "yaxis": {
            "tickvals": [rows["y"].mean() for _, rows in of_blocks],
            "ticktext": [html.escape(title, quote=False) for title, _ in of_blocks],
            "range": [places(table).max() + 1, 0],
            "zeroline": False,
            "showgrid": False,
        },
        "shapes": shapes,
    }
    return {"title": "", "data": traces, "layout": layout}


def _stars(table: pd.DataFrame, scale: Scale) -> list[dict]:
    """The trace of published numbers, which are hidden together with their models; empty without any."""
    rows = table.dropna(subset="scaled_published")
    if rows.empty:
        return []
    rows = rows.assign(series=rows["label"] + ", " + rows["source"], estimate=rows["published"])
    rows = rows.drop(columns=["ci_low", "ci_high", "n"]).assign(p_adjusted=np.nan, said="")
    trace = interactive.dots(rows, "x", rows["y"], PUBLISHED, style.PALE)  # whatever the colour of its model
    marker = trace["marker"] | {"symbol": ["star-open"] * len(rows), "size": 11}
    return [trace | {"x": interactive.plain(rows["scaled_published"].clip(*scale.ends)), "marker": marker}]
