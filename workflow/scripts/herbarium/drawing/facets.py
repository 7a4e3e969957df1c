"""A panel of more colours than can be told apart is several panels."""

import re
from collections.abc import Iterable

import numpy as np
from matplotlib.colors import to_hex

from herbarium.drawing.panels import among_series
from herbarium.drawing.style import PALE

MOST = 8  # colours in a panel
_TINT = re.compile(r"rgba\((\d+),\s*(\d+),\s*(\d+),\s*[\d.]+\)")


def told_apart(panels: Iterable[dict]) -> list[dict]:
    """The panels, with no more than MOST colours each: one of more is divided by colour into as few as possible, of
    about equal numbers. What is grey (shapes, lines to compare with) is in each."""
    return [part for panel in panels for part in _parts(panel)]


def _parts(panel: dict) -> list[dict]:
    marks_first = sorted(panel["data"], key=lambda trace: "text" not in trace)
    shades = list(dict.fromkeys(filter(None, map(_shade, marks_first))))
    if len(shades) <= MOST:
        return [panel]
    panel = panel | {"layout": panel["layout"] | {f"{axis}axis": _ended(panel, axis) for axis in "xy"}}
    groups = np.array_split(shades, -(-len(shades) // MOST))
    parts = []
    for place, group in enumerate(groups, 1):
        traces = [trace for trace in panel["data"] if _shade(trace) in (None, *group)]
        title = f"{panel['title']} ({place} of {len(groups)})".strip()
        parts.append(_close(panel | {"title": title, "data": traces}, len(group) / len(shades)))
    return parts


def _ended(panel: dict, name: str) -> dict:
    """An axis, which has ends: those of all marks, bars and shapes, so that it is the same in each part."""
    axis = panel["layout"].get(f"{name}axis", {})
    if "range" in axis or axis.get("type") == "log":
        return axis
    shapes = [shape for shape in panel["layout"].get("shapes", ()) if shape.get(f"{name}ref") != "paper"]
    values = [shape[f"{name}{end}"] for shape in shapes for end in (0, 1)]
    for trace in panel["data"]:
        at, error = np.array(trace[name], dtype=float), trace.get(f"error_{name}", {})
        values += at.tolist()
        values += (at - np.array(error.get("arrayminus", 0), dtype=float)).tolist()
        values += (at + np.array(error.get("array", 0), dtype=float)).tolist()
    margin = 0.05 * (np.nanmax(values) - np.nanmin(values))
    return axis | {"range": [float(np.nanmin(values) - margin), float(np.nanmax(values) + margin)]}


def _close(panel: dict, share: float) -> dict:
    """A part of a forest, without the room of the series of the others. share: of the colours in this part."""
    if not panel.get("is_forest"):
        return panel
    layout = panel["layout"]
    height = max(75 + 16 * len(layout["yaxis"]["tickvals"]), 75 + share * (layout["height"] - 75))
    places = [np.array(trace["y"], dtype=float) for trace in panel["data"]]
    lines = [np.round(heights) for heights in places]
    beside = [
        np.round(heights - line, 3) for heights, line in zip(places, lines, strict=True)
    ]  # a place has six digits
    seen = np.unique(np.concatenate(beside))
    among = [among_series(np.searchsorted(seen, heights), len(seen)) for heights in beside]
    traces = [
        trace | {"y": (line + heights).tolist()}
        for trace, line, heights in zip(panel["data"], lines, among, strict=True)
    ]
    return panel | {"data": traces, "layout": layout | {"height": height}}


def _shade(trace: dict) -> str | None:
    """The colour of a trace; None for greys and what has no colour of its own."""
    colour = trace.get("marker", {}).get("color") or trace.get("line", {}).get("color") or trace.get("fillcolor")
    if not isinstance(colour, str):
        return None
    if parts := _TINT.fullmatch(colour):
        colour = tuple(int(part) / 255 for part in parts.groups())
    return None if to_hex(colour) == PALE else to_hex(colour)
