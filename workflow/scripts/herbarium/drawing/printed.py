"""The printed form of a figure: its panels, drawn with matplotlib.

It reads the same plain data as `plots.js` (`drawing.panels`). Of a trace: `x`, `y`, `name`, `mode`, `marker`, `line`,
`error_x`, `error_y`, `fill`, `fillcolor`. Of a layout: `height`, the axes (`title`, `type`, `range`, `rangemode`,
`tickvals`, `ticktext`, `tickangle`, `zeroline`, `showgrid`), `shapes` and `annotations`. Of a panel: `title`; `filled`,
what filled marks mean; `heading`, shared with the panels after it; and `abreast`, how many of them are side by side.
"""

import html
import re
import textwrap
from collections.abc import Iterable
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from herbarium.drawing import style
from herbarium.drawing.facets import told_apart
from herbarium.drawing.panels import SYMBOLS

_PIXELS = 100  # of a panel on the page, per inch of paper
_POINTS = 0.64  # of a mark on paper, per pixel of it on the page
_ONE = 4.8  # inches, of a figure with one column of panels
_ABREAST = 2  # panels side by side
_TITLE, _AXIS, _LETTERS = 10.7, 13.4, 13.5  # letters per inch: of a title, of the title of an axis, of a legend
_LINE = 0.155  # inches, of a line of text
_TICKS = 5  # parts between the ticks of an x axis, at most: labels need room
_HEADING = 0.3  # inches, above a block of panels
_MARKERS = {symbol: marker for marker, symbol in SYMBOLS.items()} | {
    **{"triangle-left": "<", "triangle-right": ">", "arrow-down": "v", "arrow-up": "^", "star": "*"},
}
_DASHES = {"solid": "-", "dash": "--", "dot": ":"}
_GREY = "#777777"
_TINT = re.compile(r"rgba\((\d+),\s*(\d+),\s*(\d+),\s*([\d.]+)\)")


def printed(panels: list[dict], empty: str) -> Figure:
    """All panels, side by side if there are several, in a block for each heading, below one legend; without any, the
    sentence `empty`. A panel of too many colours is several (`told_apart`)."""
    if not panels:
        return style.note(empty)
    panels = told_apart(panels)
    blocks = [(heading, list(members)) for heading, members in groupby(panels, lambda panel: panel.get("heading", ""))]
    columns = min(panels[0].get("abreast", _ABREAST), max(len(members) for _, members in blocks))
    width = _ONE if columns == 1 else style.WIDTH
    rows = [[members[start : start + columns] for start in range(0, len(members), columns)] for _, members in blocks]
    heights = [[_height(row, width / columns) for row in members] for members in rows]
    tall = [sum(members) + (_HEADING if heading else 0) for members, (heading, _) in zip(heights, blocks, strict=True)]
    handles = _handles(panels)
    abreast = _abreast(handles, width)
    with style.context():
        figure = Figure(figsize=(width, sum(tall) + 0.2 + 0.19 * -(-len(handles) // abreast)))
        parts = figure.subfigures(len(blocks), 1, squeeze=False, height_ratios=tall)[:, 0] if blocks[0][0] else [figure]
        for part, (heading, _), members, inches in zip(parts, blocks, rows, heights, strict=True):
            _block(part, members, inches, width / columns)
            if heading:
                look = {"fontsize": 10, "fontweight": "bold", "parse_math": False}
                part.suptitle(plain(heading), x=0.01, ha="left", **look)
        if handles:
            style.legend(figure, handles=handles, loc="outside upper left", ncols=abreast)
    return figure


def _height(row: list[dict], width: float) -> float:
    """Inches of a row of panels. width: of a panel."""
    lines = max(_wrapped(panel["title"], _TITLE * width).count("\n") for panel in row)
    return max(panel["layout"]["height"] for panel in row) / _PIXELS + _LINE * lines


def _block(part: Figure | SubFigure, rows: list[list[dict]], heights: list[float], width: float) -> None:
    """The panels below a heading. heights: of the rows; width: of a panel; in inches."""
    axes = part.subplots(len(rows), max(map(len, rows)), squeeze=False, height_ratios=heights)
    for line, row in zip(axes, rows, strict=True):
        for place, panel in zip(line, row, strict=False):
            _draw(place, panel, width)
            place.set_title(_wrapped(panel["title"], _TITLE * width), parse_math=False)
        for place in line[len(row) :]:
            place.remove()


def plain(text: str) -> str:
    """Text of the page as text of print: `<br>` is a new line, an index follows a "_"."""
    return html.unescape(text.replace("<br>", "\n").replace("<sub>", "_").replace("</sub>", ""))


def _wrapped(text: str, width: float) -> str:
    return "\n".join(textwrap.fill(line, int(width), break_on_hyphens=False) for line in plain(text).split("\n"))


# --- a panel ---


def _draw(axes: Axes, panel: dict, width: float) -> None:
    """width: of the panel, in inches."""
    layout = panel["layout"]
    for name in "xy":
        _scale(axes, name, layout.get(f"{name}axis", {}), width)
    for order, shape in enumerate(layout.get("shapes", ())):
        _shape(axes, shape, layout, 0.5 + order / 1000)
    for trace in panel["data"]:
        _marks(axes, trace)
    for name in "xy":
        _end(axes, name, layout.get(f"{name}axis", {}))
        is_empty = not any(np.isfinite(np.array(trace[name], dtype=float)).any() for trace in panel["data"])
        if is_empty and "ticktext" not in layout.get(f"{name}axis", {}):
            getattr(axes, f"{name}axis").set_ticks([])
    for mark in axes.lines:
        mark.set_clip_on(mark.get_clip_on() or not _is_inside(axes, mark))
    for annotation in layout.get("annotations", ()):
        _annotate(axes, annotation, layout)


def _is_inside(axes: Axes, marks: Line2D) -> bool:
    """Whether all marks are between the ends of both axes."""
    limits = {"x": sorted(axes.get_xlim()), "y": sorted(axes.get_ylim())}
    places = {name: np.asarray(getattr(marks, f"get_{name}data")(), dtype=float) for name in "xy"}
    near = {name: 1e-6 * (high - low) for name, (low, high) in limits.items()}  # six digits are kept of a place
    return not any(
        (places[name] < limits[name][0] - near[name]).any() or (places[name] > limits[name][1] + near[name]).any()
        for name in "xy"
    )


def _scale(axes: Axes, name: str, axis: dict, width: float) -> None:
    """What of an axis comes before its marks: its scale, title, ticks and grid. width: of the panel, in inches."""
    matplotlib_axis = getattr(axes, f"{name}axis")
    if axis.get("type") == "log":
        getattr(axes, f"set_{name}scale")("log")
        matplotlib_axis.set_major_formatter(lambda value, _: f"{value:g}")
        matplotlib_axis.set_minor_formatter("")
    if "ticktext" in axis:
        size = 8 if name == "y" else 7.5
        texts = [plain(text) for text in axis["ticktext"]]
        matplotlib_axis.set_ticks(axis["tickvals"], texts, parse_math=False, fontsize=size)
        if name == "y":
            matplotlib_axis.set_tick_params(length=0)
        for label in matplotlib_axis.get_ticklabels() if "tickangle" in axis else ():
            label.set(rotation=-axis["tickangle"], ha="right", rotation_mode="anchor")
    elif "tickvals" in axis:
        matplotlib_axis.set_ticks(axis["tickvals"])
    elif name == "x" and axis.get("type") != "log":
        axes.locator_params("x", nbins=_TICKS)
    if axis.get("showgrid", "ticktext" not in axis):
        axes.grid(axis=name)
    if title := axis.get("title", {}).get("text"):
        letters = _AXIS * width if name == "x" else min(_AXIS * width - 10, _AXIS * 2.6)
        matplotlib_axis.set_label_text(_wrapped(title, max(letters, 16)), fontsize=8.5, parse_math=False)


def _end(axes: Axes, name: str, axis: dict) -> None:
    """What of an axis comes after its marks: its ends, and the line at 0."""
    is_log = axis.get("type") == "log"
    if "range" in axis:
        ends = [10**end for end in axis["range"]] if is_log else axis["range"]
        getattr(axes, f"set_{name}lim")(*ends)
    elif axis.get("rangemode") == "tozero" or not np.ptp(getattr(axes.dataLim, f"interval{name}")):
        # a single value has no scale of its own
        low, high = getattr(axes, f"get_{name}lim")()
        getattr(axes, f"set_{name}lim")(min(low, 0), max(high, 0))
    low, high = sorted(getattr(axes, f"get_{name}lim")())
    if axis.get("zeroline", True) and not is_log and low < 0 < high:
        (axes.axvline if name == "x" else axes.axhline)(0, color="#999999", linewidth=0.7, zorder=0.9)


def _shape(axes: Axes, shape: dict, layout: dict, order: float) -> None:
    """A line or box, in the units of an axis, or across the panel ("paper")."""
    x0, x1, y0, y1 = (_place(shape, end, layout) for end in ("x0", "x1", "y0", "y1"))
    across = {"x": axes.get_yaxis_transform(), "y": axes.get_xaxis_transform()}
    where = next((across[name] for name in "xy" if shape.get(f"{name}ref") == "paper"), axes.transData)
    if "fillcolor" in shape:
        face, alpha = _colour(shape["fillcolor"])
        box = Rectangle((x0, y0), x1 - x0, y1 - y0, transform=where, facecolor=face, alpha=alpha, linewidth=0)
        axes.add_artist(box).set_zorder(order)
    elif where is axes.transData:
        axes.plot([x0, x1], [y0, y1], zorder=order, **_stroke(shape["line"]))
    else:
        draw, at = (axes.axvline, x0) if x0 == x1 else (axes.axhline, y0)
        draw(at, zorder=order, **_stroke(shape["line"]))


def _place(shape: dict, end: str, layout: dict) -> float:
    """Shapes and annotations on a logarithmic axis are in powers of ten."""
    is_log = layout.get(f"{end[0]}axis", {}).get("type") == "log" and shape.get(f"{end[0]}ref") != "paper"
    return 10 ** shape[end] if is_log else shape[end]


def _annotate(axes: Axes, annotation: dict, layout: dict) -> None:
    """An arrow from one place to another, or the name of a mark."""
    place = _place(annotation, "x", layout), _place(annotation, "y", layout)
    if annotation["showarrow"]:
        look = {"arrowstyle": "->", "color": annotation["arrowcolor"], "linewidth": annotation["arrowwidth"]}
        axes.annotate("", place, (annotation["ax"], annotation["ay"]), arrowprops=look | {"shrinkA": 3, "shrinkB": 3})
        return
    beside = _POINTS * annotation["xshift"], _POINTS * annotation["yshift"]
    look = {"textcoords": "offset points", "ha": annotation["xanchor"], "va": annotation["yanchor"]}
    axes.annotate(plain(annotation["text"]), place, beside, fontsize=6.5, parse_math=False, **look)


# --- a trace ---


def _marks(axes: Axes, trace: dict) -> None:
    x, y = (np.array(trace[name], dtype=float) for name in "xy")
    look = _look(trace)
    if "fill" in trace:
        face, alpha = _colour(trace["fillcolor"])
        axes.fill(x, y, facecolor=face, alpha=alpha, linewidth=0, zorder=0.8)
    for name, draw, along, other in (("x", axes.hlines, x, y), ("y", axes.vlines, y, x)):
        if error := trace.get(f"error_{name}"):
            below, above = (np.array(error[side], dtype=float) for side in ("arrayminus", "array"))
            draw(other, along - below, along + above, colors=look["color"], linewidth=error.get("thickness", 1.2))
    if "lines" in trace["mode"]:
        axes.plot(x, y, **_stroke({"color": look["color"]} | trace.get("line", {})))
    if "markers" in trace["mode"]:
        symbols = np.broadcast_to(trace["marker"].get("symbol", "circle"), x.shape)
        for symbol in dict.fromkeys(symbols):
            is_drawn = symbols == symbol
            # a mark at the end of an axis is whole
            symbol_look = look | _symbol(symbol, look["color"])
            axes.plot(
                x[is_drawn],
                y[is_drawn],
                linestyle="none",
                clip_on=False,
                label=plain(trace.get("name") or "_mark"),
                **symbol_look,
            )


def _look(trace: dict) -> dict:
    """Colour and size of a trace's marks."""
    marker = trace.get("marker", {})
    colour = marker.get("color") or trace.get("line", {}).get("color", _GREY)
    return {"color": colour, "markersize": _POINTS * marker.get("size", 7)}


def _symbol(symbol: str, colour: str) -> dict:
    """A mark of matplotlib. symbol: as plotly calls it."""
    marker = _MARKERS[symbol.removesuffix("-open")]
    face = "white" if symbol.endswith("-open") else colour
    return {"marker": marker, "markerfacecolor": face, "markeredgewidth": 1.0}


def _stroke(line: dict) -> dict:
    return {
        "color": line.get("color", _GREY),
        "linewidth": 0.9 * line.get("width", 1),
        "linestyle": _DASHES[line.get("dash", "solid")],
    }


def _colour(tint: str) -> tuple[str | tuple, float]:
    """Colour and opacity of a filling."""
    if not (parts := _TINT.fullmatch(tint)):
        return tint, 1.0
    *shade, alpha = parts.groups()
    return tuple(int(part) / 255 for part in shade), float(alpha)


# --- the legend ---


def _handles(panels: list[dict]) -> list[Line2D]:
    """One entry for each name that traces and shapes have, with its mark, grey if it has several colours; and what
    filled marks mean. None for a single name, if it is of marks."""
    handles = {}
    for panel in panels:
        shapes = panel["layout"].get("shapes", ())
        marks = [(mark_data.get("name"), _of_trace(mark_data)) for mark_data in panel["data"]]
        for name, mark in marks + [(mark_data.get("name"), _of_shape(mark_data)) for mark_data in shapes]:
            if name and mark.get_color() != handles.setdefault(plain(name), mark).get_color():
                handles[plain(name)].set_color(_GREY)
    if len(handles) < 2 and not any(
        mark_data.get("name") for panel in panels for mark_data in panel["layout"].get("shapes", ())
    ):
        handles = {}
    for meaning in dict.fromkeys(panel["filled"] for panel in panels if "filled" in panel):
        grey = {"linestyle": "none", "color": _GREY, "markersize": 4.5} | _symbol("circle", _GREY)
        handles[f"filled: {meaning}"] = Line2D([], [], **grey)
    for name, handle in handles.items():
        handle.set_label(name)
    return list(handles.values())


def _of_trace(trace: dict) -> Line2D:
    if "fill" in trace:
        return _area(trace["fillcolor"])
    look = _look(trace)
    handle = Line2D([], [], linestyle="none", **look)
    if "lines" in trace["mode"] or any(f"error_{name}" in trace for name in "xy"):
        handle.set(**_stroke({"color": look["color"]} | trace.get("line", {})))
    if "markers" in trace["mode"]:
        symbols = trace["marker"].get("symbol", "circle")
        first = symbols if isinstance(symbols, str) else next(iter(symbols), "circle")
        handle.set(**_symbol(first if first.startswith("star") else first.removesuffix("-open"), look["color"]))
    return handle


def _of_shape(shape: dict) -> Line2D:
    return _area(shape["fillcolor"]) if "fillcolor" in shape else Line2D([], [], **_stroke(shape["line"]))


def _area(tint: str) -> Line2D:
    colour, alpha = _colour(tint)
    return Line2D([], [], color=colour, alpha=alpha, linewidth=7)


def _abreast(handles: Iterable[Line2D], width: float) -> int:
    """Columns of the legend that fit."""
    longest = max((len(handle.get_label()) for handle in handles), default=0)
    return max(1, int(_LETTERS * width / (longest + 6)))
