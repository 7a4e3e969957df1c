"""What figures share: panels as plain plotly data, made from a figure's table.

In addition to `table` and `describe`, a figure's module has `panels(table)`: a list of what `map_`, `forest`, `lines`
or `scatter` return. A panel is a dictionary: "title", and "data" and "layout" of a plotly figure; if marks are
filled or open, "filled" says what filled ones are; a map may also have "choices". `plots.js` draws panels on the
page, and `printed` on paper.

When pointed at, a mark shows from its row: `name` or else `line`; `series` or else `model` with `planted`; `estimate`
with `ci_low` and `ci_high`; `n`; `p_adjusted`; `converged`, if it is false; and `said`. Only the first three are
required, and any value may be null.

The page lets its reader choose models and topics: a trace lists those of its marks (`models`, `topics`), if rows have a
`model` and a `topic`, which may be null.
"""

import html
import textwrap
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex, to_rgb

from herbarium.drawing import maps, style

# `plots.js` puts the page's background in the middle, and on a dark page draws the ends bright.
_COLOURS = [[at, to_hex(colormaps[style.DIVERGING](at))] for at in np.linspace(0, 1, 11).round(1).tolist()]
# `style.MARKERS`, as plotly calls them.
SYMBOLS = dict(
    zip(style.MARKERS, ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"), strict=True)
)
REFERENCE = "interval of the unbiased reference"
SIGNIFICANT = f"adjusted p < {style.ALPHA:g}"
NULL = "nothing to find"
_GREY = {"line": {"width": 0}, "fillcolor": "rgba(128,128,128,0.25)"}  # what a shape is filled with
_PALE = "#888888"  # of lines to compare with
_RING = "did not converge"
_LABEL = 20  # characters per line of a label at an axis
_MANY_POWERS = 4  # powers of ten that an axis spans
_TEXT_LINE = 13  # pixels of a line of text
# Pixels of a letter of a mark's name, of its height, and of the room of marks in a panel.
_LETTER, _NAME, _ROOM = 5.5, 13, (300, 270)
# A mark is far off if it is this many times the width of the middle half of all marks away from it; a bar may extend
# beyond the other marks by this many times the width of them all.
_FAR, _LONG = 20, 1.5
_ARROWS = {"x": ("triangle-left", "triangle-right"), "y": ("arrow-down", "arrow-up")}  # at either end of an axis


# --- panels ---


def map_(title: str, rows: pd.DataFrame, value: str, limit: float, unit: str) -> dict:
    """A world map; `plots.js` adds the outlines, and draws countries without a value in grey.

    rows: `iso2` (ISO 3166, two letters), `has_polygon` (whether the map has it), and the column that `value` names.
    limit: absolute value at either end of the colours (`colour_limit`). unit: of the values, in words.
    """
    rows = rows[rows["has_polygon"]].rename(columns={value: "estimate"}).dropna(subset="estimate")
    bar = {"orientation": "h", "thickness": 8, "y": -0.02, "yanchor": "top", "outlinewidth": 0}
    trace = {
        **{"type": "choropleth", "locations": list(rows["iso2"]), "featureidkey": "properties.iso2"},
        **{"z": plain(rows["estimate"]), "zmin": -limit, "zmax": limit, "colorscale": _COLOURS},
        **{"text": _said(rows), "colorbar": bar | {"title": {"text": unit, "side": "bottom"}}},
        **_chosen_by(rows),
    }
    return {"title": title, "data": [trace], "layout": {"height": 300}}


def choices(title: str, rows: pd.DataFrame, value: str, limits: Mapping[str, float]) -> dict:
    """What a map of `map_` can show instead of its first values: one entry per description.

    rows: of a model, as for `map_`, with `description`; every description has the same countries in the same order.
    limits: of each description. Values have three digits, like those that a mark shows.
    """
    by_description = [group for _, group in rows[rows["has_polygon"]].groupby("description", sort=False)]
    names = by_description[0]["name"] if by_description else []
    return {
        "descriptions": list(limits),
        "limits": plain(pd.Series(limits)),
        "locations": list(by_description[0]["iso2"]) if by_description else [],
        "text": ["<br>".join(html.escape(part, quote=False) for part in (name, title)) for name in names],
        "z": [
            [None if pd.isna(value) else float(f"{value:.3g}") for value in group[value]] for group in by_description
        ],
    }


def forest(
    title: str,
    rows: pd.DataFrame,
    axis: str,
    looks: Mapping[str, style.Look] | None = None,
    nulls: Sequence[float] | None = None,
    bounds: tuple[float, float] | None = None,
) -> dict:
    """Dots with intervals, next to lines of text.

    rows: `line` (the text next to a group of dots), `series` (one colour each), and what `dots` takes. axis: title of
    the axis of the estimates, which is logarithmic if they are positive and span a factor of style.LOG_FROM. looks: of
    each series, one mapping for all panels of a figure; by default made for this panel only. nulls: null values, each a
    line across the panel, in place of one at 0; the axis is then never logarithmic. bounds: of possible values, which
    the axis has from end to end. If rows have `planted`, the interval of the model without bias is a grey band behind
    the other models of its line. If they have `converged`, marks for which it is false have a ring.
    """
    lines, series = list(rows["line"].unique()), list(rows["series"].unique())
    among = (rows["series"].map(series.index).astype(float) + 0.5) / max(len(series), 1)
    places = rows["line"].map(lines.index).astype(float) + 0.8 * (among - 0.5)
    values = _known(rows)
    is_log = nulls is None and min(values) > 0 and max(values) / min(values) >= style.LOG_FROM
    text = ["<br>".join(textwrap.wrap(html.escape(_counted(rows, of), quote=False), _LABEL)) for of in lines]
    ticks = {"type": "log", "tickvals": _ticks(values)} if is_log else {}
    tallest = max((of.count("<br>") + 1 for of in text), default=1)
    layout = {
        "height": 75 + len(lines) * max(10 + 9 * len(series), _TEXT_LINE * tallest + 4),
        "xaxis": {"title": {"text": axis}} | ticks | ({} if nulls is None else {"zeroline": False}),
        "yaxis": {
            **{"tickvals": list(range(len(lines))), "ticktext": text, "range": [len(lines) - 0.5, -0.5]},
            "zeroline": False,
        },
        "shapes": [line("x", null) for null in nulls or ()]
        + [_band(at, row, is_log) for at, row in _references(rows, lines)],
    }
    looks = looks or style.looks(series)
    traces = _rings(rows, places) + [
        dots(group, "x", group["y"], name, *looks[name])
        for name, group in rows.assign(y=places).groupby("series", sort=False)
    ]
    panel = _filled({"title": title, "data": traces, "layout": layout}, rows)
    return _cut(panel, "x", bounds or ends(rows, nulls or ([] if is_log else [0]), is_log))


def lines(
    title: str,
    rows: pd.DataFrame,
    axes: tuple[str, str],
    looks: Mapping[str, style.Look],
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
    ticks: Mapping[float, str] | None = None,
    by: str = "series",
) -> dict:
    """Dots with intervals, joined by lines.

    rows: `x`, and what `dots` takes. by: the column with one value per line. axes: titles of x and y. looks: of each
    line, for all panels of a figure. null: the value if there is nothing to find, a dashed line. bounds: of possible
    values, which the y axis has from end to end. ticks: text by place on the x axis.
    """
    traces = [
        dots(group, "y", group["x"], name, *looks[name])
        | {"mode": "lines+markers", "line": {"color": looks[name].colour, "width": 1}}
        for name, group in rows.groupby(by, sort=False)
    ]
    layout = {
        "height": 260,
        "xaxis": {"title": {"text": axes[0]}, "zeroline": False},
        "yaxis": {"title": {"text": axes[1]}, "zeroline": False},
        "shapes": [] if null is None or pd.isna(null) else [line("y", null, "dash") | {"name": NULL}],
    }
    if ticks:
        layout["xaxis"] |= {
            "tickvals": list(ticks),
            "ticktext": [html.escape(label, quote=False) for label in ticks.values()],
        }
    panel = _filled({"title": title, "data": traces, "layout": layout}, rows)
    return _cut(panel, "y", bounds or ends(rows, [shape["y0"] for shape in layout["shapes"]]))


def scatter(
    title: str,
    rows: pd.DataFrame,
    x: str,
    y: str,
    shared: pd.DataFrame,
    looks: Mapping[str, style.Look] | None = None,
    named: int = 0,
) -> dict:
    """Dots with the intervals that are known, by series or by continent.

    rows: `x`, and what `dots` takes; one colour per `continent`, if they have one, labelled with `continent_name`. x,
    y: titles of the axes. shared: the rows of all panels, for which the y axis must have room. looks: of each `series`,
    in place of continents. named: how many marks at either end of either axis have their name beside them.
    """
    values = _known(shared)
    low, high = min(0, *values), max(0, *values)
    margin = 0.05 * (high - low) or 1
    layout = {
        "height": 340,
        "xaxis": {"title": {"text": x}},
        "yaxis": {"title": {"text": y}, "range": [low - margin, high + margin]},
    }
    if looks:
        traces = [
            dots(group, "y", group["x"], name, *looks[name]) for name, group in rows.groupby("series", sort=False)
        ]
    elif "continent_name" in rows and rows["continent"].notna().any():
        colours = style.colours(shared["continent"].dropna())
        of_continents = rows.sort_values("continent").groupby(["continent", "continent_name"], sort=False, dropna=False)
        traces = [
            dots(
                group, "y", group["x"], "no continent" if pd.isna(name) else name, colours.get(continent, style.NO_DATA)
            )
            for (continent, name), group in of_continents
        ]
    else:
        traces = [dots(rows, "y", rows["x"], "", style.COLOURS[0])]
    panel = _cut(_filled({"title": title, "data": traces, "layout": layout}, rows), "y", ends(shared, [0]))
    return _named(panel, rows.dropna(subset=["x", "estimate"]), named) if named else panel


def dots(rows: pd.DataFrame, axis: str, at: pd.Series, name: str, colour: str, marker: str = "o") -> dict:
    """A trace: one dot per row, with its interval if it has one, open if its adjusted p is not below style.ALPHA.

    rows: `estimate`, and what its mark shows. axis: "x" or "y", the axis of the estimates. at: the places of the rows
    on the other axis. name: of the trace in the legend. marker: one of `style.MARKERS`.
    """
    trace = {axis: plain(rows["estimate"]), "xy".strip(axis): plain(at)}
    trace |= {"name": html.escape(name), "text": _said(rows)} | _chosen_by(rows)
    if "ci_low" in rows:
        # one of them is below 0 if an interval does not contain its estimate
        below, above = rows["estimate"] - rows["ci_low"], rows["ci_high"] - rows["estimate"]
        trace[f"error_{axis}"] = {"symmetric": False, "array": plain(above), "arrayminus": plain(below)}
    is_open = rows.get("p_adjusted", pd.Series(0, rows.index)) >= style.ALPHA
    symbols = [SYMBOLS[marker] + ("-open" if is_hollow else "") for is_hollow in is_open]
    return trace | {"mode": "markers", "marker": {"color": colour, "symbol": symbols}}


def _filled(panel: dict, rows: pd.DataFrame) -> dict:
    """The panel with what its filled marks are, if a row has an adjusted p."""
    has_p = "p_adjusted" in rows and rows["p_adjusted"].notna().any()
    return panel | ({"filled": SIGNIFICANT} if has_p else {})


def shaded(panel: dict, axis: str, low: float, high: float, name: str) -> dict:
    """The panel with a grey band from low to high on an axis ("x" or "y"), which the legend names; unchanged if one of
    them is null."""
    if pd.notna(low) and pd.notna(high):
        panel["layout"].setdefault("shapes", []).append(_across(axis, low, high) | _GREY | {"name": name})
    return panel


# --- what is far from the rest, and names ---


def ends(rows: pd.DataFrame, nulls: Sequence[float], is_log: bool = False) -> tuple[float, float] | None:
    """Where an axis ends, so that a mark far off or a bar of absurd length does not flatten all others (_FAR, _LONG);
    None if it has room for everything. nulls: values that the axis has in any case.
    """
    known = rows.dropna(subset="estimate")
    estimates = known[known.columns.intersection(["estimate", "ci_low", "ci_high"])].to_numpy(float)
    estimates = np.log10(estimates) if is_log else estimates
    marks, everything = estimates[:, 0], np.append(estimates[np.isfinite(estimates)], nulls)
    if not len(marks):
        return None
    first, third = np.quantile(marks, [0.25, 0.75])
    reach = _FAR * (third - first) or np.inf
    near = np.append(marks[(marks >= first - reach) & (marks <= third + reach)], nulls)
    lengths = np.ptp(estimates[:, 1:], axis=1) if estimates.shape[1] == 3 else np.zeros(1)
    lengths = lengths[np.isfinite(lengths)]
    width = max(np.ptp(near), np.median(lengths) if len(lengths) else 0)
    low = max(everything.min(), near.min() - _LONG * width)
    high = min(everything.max(), near.max() + _LONG * width)
    if (low, high) == (everything.min(), everything.max()) or np.isclose(low, high, rtol=1e-6, atol=0):
        return None
    low, high = (low - 0.03 * (high - low), high + 0.03 * (high - low))
    return (float(10**low), float(10**high)) if is_log else (float(low), float(high))


def _cut(panel: dict, axis: str, limits: tuple[float, float] | None) -> dict:
    """The panel with an axis from end to end. A mark beyond an end is an arrow at it, and a bar beyond an
    end has one."""
    if limits is None:
        return panel
    low, high = limits
    of_axis = panel["layout"][f"{axis}axis"]
    of_axis["range"] = [float(np.log10(end)) for end in limits] if of_axis.get("type") == "log" else list(limits)
    arrows = []
    for trace in panel["data"]:
        at = np.array(trace[axis], dtype=float)
        symbols = [
            (
                _ARROWS[axis][int(of > high)] + ("-open" if symbol.endswith("-open") else "")
                if of < low or of > high
                else symbol
            )
            for of, symbol in zip(at, trace["marker"]["symbol"], strict=True)
        ]
        trace[axis] = plain(pd.Series(np.clip(at, low, high)))
        trace["marker"] = trace["marker"] | {"symbol": symbols}
        if error := trace.get(f"error_{axis}"):
            below, above = at - np.array(error["arrayminus"], float), at + np.array(error["array"], float)
            inside = np.clip(at, low, high)
            error |= {"arrayminus": plain(pd.Series(inside - np.clip(below, low, high)))}
            error |= {"array": plain(pd.Series(np.clip(above, low, high) - inside))}
            arrows += [_arrow(trace, axis, below < low, low, 0), _arrow(trace, axis, above > high, high, 1)]
    panel["data"] += [trace for trace in arrows if trace["x"]]
    return panel


def _arrow(trace: dict, axis: str, is_beyond: np.ndarray, end: float, side: int) -> dict:
    """A trace: arrows at an end of an axis, on the bars of a trace that are longer."""
    places, n = np.flatnonzero(is_beyond), int(is_beyond.sum())
    across = "xy".strip(axis)
    models = trace.get("models")
    chosen = {"models": [models[place] for place in places] if isinstance(models, list) else models} if models else {}
    return chosen | {
        **{axis: [end] * n, across: [trace[across][place] for place in places], "mode": "markers", "hoverinfo": "skip"},
        "marker": {"color": trace["marker"]["color"], "symbol": [_ARROWS[axis][side]] * n, "size": 6},
    }


def _rings(rows: pd.DataFrame, places: pd.Series) -> list[dict]:
    """The trace of rings around marks of a forest whose fit did not converge; empty without any."""
    if "converged" not in rows or (lost := rows[rows["converged"].eq(False) & rows["estimate"].notna()]).empty:
        return []
    marker = {"color": _PALE, "symbol": ["circle-open"] * len(lost), "size": 13}
    trace = {"mode": "markers", "name": _RING, "marker": marker, "hoverinfo": "skip"} | _chosen_by(lost)
    return [trace | {"x": plain(lost["estimate"]), "y": plain(places[lost.index])}]


def _named(panel: dict, rows: pd.DataFrame, n: int) -> dict:
    """The panel with the names of the outermost marks, n at either end of either axis, where there is room for them."""
    if rows.empty:
        return panel
    x, y = (np.array(plain(rows[column]), dtype=float) for column in ("x", "estimate"))  # as the marks are rounded
    around = 0.08 * (np.ptp(x) or 1)
    left, right = panel["layout"]["xaxis"]["range"] = [float(x.min() - around), float(x.max() + around)]
    bottom, top = panel["layout"]["yaxis"]["range"]
    across, up = _ROOM[0] * (x - left) / (right - left), _ROOM[1] * (y - bottom) / (top - bottom)
    annotations, taken = [], []
    for place in outermost(x, y, n):
        name = rows["name"].iloc[place]
        width = _LETTER * len(name)
        for is_left, is_above in ((False, True), (True, True), (False, False), (True, False)):
            room = across[place] - width * is_left, up[place] - _NAME * (not is_above), width, _NAME
            is_inside = all(room[i] >= 0 and room[i] + room[i + 2] <= _ROOM[i] for i in (0, 1))
            if is_inside and not any(_meet(room, other) for other in taken):
                taken.append(room)
                look = {"showarrow": False, "font": {"size": 10}, "text": html.escape(name, quote=False)}
                look |= {"xanchor": "right" if is_left else "left", "yanchor": "bottom" if is_above else "top"}
                look |= {"xshift": -4 if is_left else 4, "yshift": 1 if is_above else -1}
                annotations.append(look | {"x": float(x[place]), "y": float(y[place])})
                break
    panel["layout"]["annotations"] = annotations
    return panel


def outermost(x: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    """Indices of the points with the least and the greatest values, n per side."""
    ends = []
    for values in (y, x):
        order = np.argsort(values, kind="stable")
        ends += [*order[:n], *order[::-1][:n]]
    return [int(place) for place in dict.fromkeys(ends)]


def _meet(room: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two boxes (left, bottom, width, height) have a point in common."""
    return all(room[i] < other[i] + other[i + 2] and other[i] < room[i] + room[i + 2] for i in (0, 1))


# --- shapes ---


def box(x: tuple[float, float], y: tuple[float, float]) -> dict:
    """A shape: a grey box behind the marks, from and to places on both axes."""
    return {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "layer": "below"} | _GREY


def stroke(x: pd.Series, y: pd.Series, name: str, dash: str, colour: str = _PALE) -> dict:
    """A trace: a line through places, without marks. dash: as plotly calls it."""
    look = {"mode": "lines", "name": html.escape(name), "line": {"color": colour, "width": 1, "dash": dash}}
    return look | {"x": plain(x), "y": plain(y), "hoverinfo": "skip"}


def area(x: pd.Series, low: pd.Series, high: pd.Series, name: str, colour: str = _PALE) -> dict:
    """A trace: what lies between two lines, filled. Places without both ends are left out."""
    known = low.notna() & high.notna()
    x, low, high = x[known], low[known], high[known]
    tint = ",".join(str(round(255 * part)) for part in to_rgb(colour))
    look = {"mode": "none", "fill": "toself", "fillcolor": f"rgba({tint},0.2)", "name": html.escape(name)}
    return look | {"x": plain(pd.concat([x, x[::-1]])), "y": plain(pd.concat([low, high[::-1]])), "hoverinfo": "skip"}


def line(axis: str, at: float, dash: str = "solid") -> dict:
    """A shape: a grey line across a panel, at a value of an axis ("x" or "y"). dash: as plotly calls it."""
    return _across(axis, at, at) | {"line": {"dash": dash, "width": 1, "color": _PALE}}


def _across(axis: str, low: float, high: float) -> dict:
    """The keys of a shape behind the marks, from low to high on an axis and along the whole of the other one."""
    across = "xy".strip(axis)
    ends = {f"{axis}0": low, f"{axis}1": high, f"{across}0": 0, f"{across}1": 1}
    return ends | {f"{across}ref": "paper", "layer": "below"}


def _counted(rows: pd.DataFrame, line: str) -> str:
    """A line of a forest, and how many of its rows have no value, if any."""
    is_lost = rows.loc[rows["line"] == line, "estimate"].isna()
    lost = "no value" if is_lost.all() else f"{is_lost.sum()} without value"
    return f"{line} ({lost})" if is_lost.any() else line


def _references(rows: pd.DataFrame, lines: list[str]) -> Iterator[tuple[int, pd.Series]]:
    """Places of the lines with an unbiased reference and other models, and the first row of it that has an interval."""
    if "planted" not in rows or "ci_low" not in rows:
        return
    for name, group in rows.groupby("line", sort=False):
        references = group[(group["planted"] == 0) & group["ci_low"].notna() & group["ci_high"].notna()]
        if len(references) and (group["model"] != references["model"].iloc[0]).any():
            yield lines.index(name), references.iloc[0]


def _band(at: int, reference: pd.Series, is_log: bool) -> dict:
    """A shape: the interval of the unbiased reference, along its line. On a logarithmic axis, places are powers of
    ten."""
    low, high = (float(np.log10(reference[end]) if is_log else reference[end]) for end in ("ci_low", "ci_high"))
    return box((low, high), (at - 0.45, at + 0.45)) | {"name": REFERENCE}


# --- rows ---


def by_model(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Label and rows of each model. table: `model`, `planted`."""
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        yield style.label(model, planted), rows


def labels(table: pd.DataFrame) -> pd.Series:
    """The label of each row's model. table: `model`, `planted`."""
    return pd.Series([style.label(*row) for row in table[["model", "planted"]].itertuples(index=False)], table.index)


def looks_of(table: pd.DataFrame) -> dict[str, style.Look]:
    """The look of each model, by its label: the same as in figures that name models alone. table: as for `labels`."""
    looks = style.looks(table["model"])
    return {label: looks[model] for label, model in zip(labels(table), table["model"], strict=True)}


def colour_limit(values: pd.Series) -> float:
    """Where the colours of a map end; 1 without any value."""
    known = values.abs().dropna()
    return float(np.percentile(known, maps.COVERED)) if len(known) else 1.0


def _ticks(values: list[float]) -> list[float]:
    """1, 2 and 5 times each power of ten that the values span: plotly would label all but the powers with one digit. If
    there are many powers, only the powers, so that labels have room.
    """
    first, last = (int(np.floor(np.log10(end(values)))) for end in (min, max))
    digits = (1, 2, 5) if last - first < _MANY_POWERS else (1,)
    return [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]


def _known(rows: pd.DataFrame) -> list[float]:
    """All known estimates and ends of intervals; 0 without any."""
    values = rows[rows.columns.intersection(["estimate", "ci_low", "ci_high"])].to_numpy(float)
    return values[np.isfinite(values)].tolist() or [0.0]


def _chosen_by(rows: pd.DataFrame) -> dict:
    """Models and topics of a trace's marks; a single name if all marks have the same one."""
    chosen = {}
    for column in rows.columns.intersection(["model", "topic"]):
        names = [None if pd.isna(name) else name for name in rows[column]]
        chosen[f"{column}s"] = names[0] if len(set(names)) == 1 else names
    return chosen


def _said(rows: pd.DataFrame) -> list[str]:
    """The text of each row's mark: what it is about, its number with the interval, n, p, and any problem with it."""
    return [
        "<br>".join(html.escape(part, quote=False) for part in _parts(row) if part) for row in rows.to_dict("records")
    ]


def _parts(row: Mapping) -> Iterator[str]:
    yield row.get("name", row.get("line"))
    yield row.get("series") or style.label(row["model"], row["planted"])
    yield style.with_interval(row["estimate"], row.get("ci_low"), row.get("ci_high"), ".3g")
    yield f"n = {row['n']:,.0f}" if pd.notna(row.get("n")) else ""
    yield f"adjusted p {style.compared(row['p_adjusted'])}" if pd.notna(row.get("p_adjusted")) else ""
    yield "did not converge" if row.get("converged") is False else ""
    yield row.get("said", "")


def plain(values: pd.Series) -> list[float | None]:
    """Numbers for JSON, null if missing; six digits are more than a picture shows."""
    return [None if pd.isna(value) else float(f"{value:.6g}") for value in values]
