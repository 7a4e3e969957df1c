"""Names beside the outermost marks of a panel, where there is room for them."""

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd

from herbarium.drawing.limits import plain

# Pixels of a letter of a mark's name, of its height, and from it to the mark.
_LETTER, _NAME, _BESIDE = 5.5, 13, 4
_WIDTH, _AROUND = 240, 70  # pixels of the width of the room of marks, and of what is above and below it
_MARK = 3  # pixels from the centre of a mark to its edge
_SPOTS = ((False, True), (True, True), (False, False), (True, False))  # whether left and above, the best first


def named_at_ends(panel: dict, rows: pd.DataFrame, n: int, by: str) -> dict:
    """The panel with the names of the outermost marks, n at either end of the axes `by`, off other names and marks, and
    if possible off their bars.

    panel: with the range of its y axis. rows: `x`, `estimate`, `name`, and `ci_low` and `ci_high` if they are drawn.
    """
    rows = rows.dropna(subset=["x", "estimate"])
    is_log = panel["layout"]["yaxis"].get("type") == "log"
    if is_log:
        rows = rows.loc[rows["estimate"] > 0, ["x", "estimate", "name"]]
    if rows.empty:
        return panel
    x, y = (np.array(plain(rows[column]), dtype=float) for column in ("x", "estimate"))  # as the marks are rounded
    y = np.log10(y) if is_log else y
    around = 0.08 * (np.ptp(x) or 1)
    left, right = panel["layout"]["xaxis"]["range"] = [float(x.min() - around), float(x.max() + around)]
    bottom, top = panel["layout"]["yaxis"]["range"]
    size = _WIDTH, panel["layout"]["height"] - _AROUND
    across = size[0] * (x - left) / (right - left)
    up, low, high = (
        size[1] * (np.where(np.isfinite(values), values, y) - bottom) / (top - bottom)
        for values in (y, rows.get("ci_low", y), rows.get("ci_high", y))
    )
    marks, bars = (
        [
            (at - _MARK, least - _MARK, 2 * _MARK, most - least + 2 * _MARK)
            for at, least, most in zip(*values, strict=True)
        ]
        for values in ((across, up, up), (across, low, high))
    )
    annotations, taken = [], []
    for place in outermost([values for axis, values in (("y", y), ("x", x)) if axis in by], n):
        name = rows["name"].iloc[place]
        boxes = {spot: _box(across[place], up[place], len(name), *spot) for spot in _SPOTS}
        free = [
            spot
            for obstacles in (bars, marks)
            for spot, box in boxes.items()
            if _is_inside(box, size)
            and not any(_meet(box, other) for other in taken + obstacles[:place] + obstacles[place + 1 :])
        ]
        if free:
            taken.append(boxes[free[0]])
            annotations.append({"x": float(x[place]), "y": float(y[place])} | _text(name, *free[0]))
    panel["layout"]["annotations"] = annotations
    return panel


def outermost(axes: Sequence[np.ndarray], n: int) -> list[int]:
    """Indices of the points with the least and the greatest values on each axis, n per side."""
    ends = []
    for values in axes:
        order = np.argsort(values, kind="stable")
        ends += [*order[:n], *order[::-1][:n]]
    return [int(place) for place in dict.fromkeys(ends)]


def _box(across: float, up: float, letters: int, is_left: bool, is_above: bool) -> tuple[float, ...]:
    """Left, bottom, width and height of a name beside a mark, in pixels."""
    width = _LETTER * letters
    beside = across - width - _BESIDE if is_left else across + _BESIDE
    return beside, up + _BESIDE if is_above else up - _NAME - _BESIDE, width, _NAME


def _text(name: str, is_left: bool, is_above: bool) -> dict:
    """What an annotation has besides its place."""
    look = {"showarrow": False, "font": {"size": 10}, "text": html.escape(name, quote=False)}
    look |= {"xanchor": "right" if is_left else "left", "yanchor": "bottom" if is_above else "top"}
    return look | {"xshift": -_BESIDE if is_left else _BESIDE, "yshift": _BESIDE if is_above else -_BESIDE}


def _is_inside(box: tuple[float, ...], size: tuple[float, float]) -> bool:
    return all(box[i] >= 0 and box[i] + box[i + 2] <= size[i] for i in (0, 1))


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two boxes (left, bottom, width, height) have a point in common."""
    return all(one[i] < other[i] + other[i + 2] and other[i] < one[i] + one[i + 2] for i in (0, 1))
