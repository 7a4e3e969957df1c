"""What figures share: panels as plain plotly data, made from a figure's table.

In addition to `table` and `describe`, a figure's module has `panels(table)`: a list of what `map_`, `forest`,
`ranking`, `lines` or `scatter` return. A panel is a dictionary: "title", and "data" and "layout" of a plotly figure; if
marks are filled or open, "filled" says what filled ones are; a map may also have "choices". Panels may have a "heading"
that those after one another share, and "abreast": how many small ones are side by side on paper. `plots.js` draws
panels on the page, and `printed` on paper.

When pointed at, a mark shows from its row: `name` or else `line`; `series` or else `model` with `planted`; `estimate`
with `ci_low` and `ci_high`; `n`; `p_adjusted`, or else `p_value`; `converged`, if it is false; and `said`. Only the
first three are required, and any value may be null.

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
from herbarium.drawing.limits import cut, ends, plain, room, ticks_of
from herbarium.drawing.names import named_at_ends

# `plots.js` puts the page's background in the middle, and on a dark page draws the ends bright.
_COLOURS = [[at, to_hex(colormaps[style.DIVERGING](at))] for at in np.linspace(0, 1, 11).round(1).tolist()]
# `style.MARKERS`, as plotly calls them.
SYMBOLS = dict(
    zip(style.MARKERS, ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x"), strict=True)
)
REFERENCE = "interval of the unbiased reference"
SIGNIFICANT = f"adjusted p < {style.ALPHA:g}"
UNADJUSTED = f"p < {style.ALPHA:g}, not adjusted"
NULL = "nothing to find"
_GREY = {"line": {"width": 0}, "fillcolor": "rgba(128,128,128,0.25)"}  # what a shape is filled with
_RING = "did not converge"
_LABEL = 20  # characters per line of a label at an axis
_ALONG = 40  # characters of all labels along an x axis, with what is between them
_LONGEST = 26  # characters of a name in a ranking; longer ones are cut between words
_BETWEEN = 0.2  # lines per mark without a name in a ranking, at most
_TEXT_LINE = 13  # pixels of a line of text


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
    n_abreast = len(series) if rows["line"].duplicated().any() else 1
    places = rows["line"].map(lines.index).astype(float)
    if n_abreast > 1:
        places += among_series(rows["series"].map(series.index), n_abreast)
    values = _known(rows)
    is_log = nulls is None and min(values) > 0 and max(values) / min(values) >= style.LOG_FROM
    text = ["<br>".join(textwrap.wrap(html.escape(_counted(rows, label), quote=False), _LABEL)) for label in lines]
    ticks = {"type": "log", "tickvals": ticks_of(values)} if is_log else {}
    tallest = max((label.count("<br>") + 1 for label in text), default=1)
    layout = {
        "height": 75 + len(lines) * max(6 + 9 * n_abreast, _TEXT_LINE * tallest + 3),
        "xaxis": {"title": {"text": axis}} | ticks | ({} if nulls is None else {"zeroline": False}),
        "yaxis": {
            **{"tickvals": list(range(len(lines))), "ticktext": text, "range": [len(lines) - 0.5, -0.5]},
            "zeroline": False,
        },
        "shapes": [line("x", null) for null in nulls or ()]
        + [_band(at, row, is_log) for at, row in _references(rows, lines)],
    }
    looks = looks or style.looks(series)
    traces = _rings(rows, places, looks) + [
        dots(group, "x", group["y"], name, *looks[name])
        for name, group in rows.assign(y=places).groupby("series", sort=False)
    ]
    panel = _filled({"title": title, "data": traces, "layout": layout, "is_forest": True}, rows)
    return cut(panel, "x", bounds or ends(rows, nulls or ([] if is_log else [0]), is_log))


def among_series(place: pd.Series | np.ndarray, n: int) -> pd.Series | np.ndarray:
    """Where a series of a forest is beside its line, of n series: in lines, above 0 for below."""
    return 0.8 * ((place + 0.5) / n - 0.5)


def ranking(title: str, rows: pd.DataFrame, axis: str, shared: pd.DataFrame, named: int) -> dict:
    """Dots with intervals from above in the order of the rows: those at either end with a line for their rank and name,
    the others close together.

    rows: `rank`, `name`, and what `dots` takes; colours as for `scatter`; if they have a `group`, each has its own
    ranks. axis: title of the axis of the estimates. shared: the rows of all panels, for which the axis must have room.
    named: how many at either end.
    """
    places, ticks, start = pd.Series(0.0, rows.index), {}, 0.0
    for _, of_group in rows.groupby("group", sort=False) if "group" in rows else [("", rows)]:
        n, is_end = len(of_group), np.ones(len(of_group), bool)
        is_end[named : max(n - named, named)] = False
        n_between = max(n - 2 * named, 1)
        steps = np.where(is_end, 1.0, max(min(_BETWEEN, 2 * named / n_between), 2 / n_between))
        at = start + np.cumsum(steps) - steps / 2
        places[of_group.index] = at
        for place, row in zip(at[is_end], of_group[is_end].to_dict("records"), strict=True):
            ticks[place] = f"{row['rank']:.0f}  {textwrap.shorten(row['name'], _LONGEST, placeholder='…')}"
        if not is_end.all():
            ticks[float(at[~is_end].mean())] = f"⋮  {(~is_end).sum()} more"
        start += steps.sum() + 1
    end = max(start - 1, 1.0)
    layout = {
        "height": 75 + 14 * end,
        "xaxis": {"title": {"text": axis}},
        "yaxis": _ticked(ticks) | {"range": [end, 0], "zeroline": False, "showgrid": False},
    }
    traces = _by_continent(rows, shared, "x", places)
    return cut(
        _filled({"title": title, "data": traces, "layout": layout}, rows), "x", ends(shared, [0]) or room(shared)
    )


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
        "xaxis": {"title": {"text": axes[0]}, "zeroline": False} | _along(ticks),
        "yaxis": {"title": {"text": axes[1]}, "zeroline": False},
        "shapes": [] if null is None or pd.isna(null) else [line("y", null, "dash") | {"name": NULL}],
    }
    panel = _filled({"title": title, "data": traces, "layout": layout}, rows)
    return cut(panel, "y", bounds or ends(rows, [shape["y0"] for shape in layout["shapes"]]))


def scatter(
    title: str,
    rows: pd.DataFrame,
    x: str,
    y: str,
    shared: pd.DataFrame,
    looks: Mapping[str, style.Look] | None = None,
    named: int = 0,
    named_by: str = "xy",
    ticks: Mapping[float, str] | None = None,
    is_log: bool = False,
) -> dict:
    """Dots with the intervals that are known, by series or by continent.

    rows: `x`, and what `dots` takes; one colour per `continent`, if they have one, labelled with `continent_name`. x,
    y: titles of the axes. shared: the rows of all panels, for which the y axis must have room. looks: of each `series`,
    in place of continents. named: how many marks at either end of the axes `named_by` have their name beside them.
    ticks: text by place on the x axis. is_log: whether the y axis is logarithmic, if any value is above 0; values that
    are not are arrows at its end.
    """
    positive = [value for value in _known(shared) if value > 0]
    is_log = is_log and bool(positive)
    layout = {"height": 340, "xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}
    if ticks:
        layout["xaxis"] |= _along(ticks) | {"zeroline": False}
    if is_log:
        layout["yaxis"] |= {"type": "log", "tickvals": ticks_of(positive)}
        limits = min(positive) / 1.3, 1.3 * max(positive)
    else:
        limits = ends(shared, [0]) or room(shared)
    if looks:
        traces = [
            dots(group, "y", group["x"], name, *looks[name]) for name, group in rows.groupby("series", sort=False)
        ]
    else:
        traces = _by_continent(rows, shared, "y", rows["x"])
    panel = cut(_filled({"title": title, "data": traces, "layout": layout}, rows), "y", limits)
    return named_at_ends(panel, rows, named, named_by) if named else panel


def _by_continent(rows: pd.DataFrame, shared: pd.DataFrame, axis: str, at: pd.Series) -> list[dict]:
    """The traces of `dots`, one per continent, or one if rows have none. shared: as for `scatter`."""
    if "continent_name" not in rows or rows["continent"].isna().all():
        return [dots(rows, axis, at, "", style.COLOURS[0])]
    colours = style.colours(shared["continent"].dropna())
    of_continents = rows.sort_values("continent").groupby(["continent", "continent_name"], sort=False, dropna=False)
    return [
        dots(
            *(group, axis, at[group.index], "no continent" if pd.isna(name) else name),
            colours.get(continent, style.NO_DATA),
        )
        for (continent, name), group in of_continents
    ]


def _along(ticks: Mapping[float, str] | None) -> dict:
    """What an x axis has of ticks: text by place, slanted if it is long."""
    if not ticks:
        return {}
    is_long = sum(len(text) + 2 for text in ticks.values()) > _ALONG
    return _ticked(ticks) | ({"tickangle": -35} if is_long else {})


def _ticked(ticks: Mapping[float, str]) -> dict:
    return {"tickvals": list(ticks), "ticktext": [html.escape(label, quote=False) for label in ticks.values()]}


def dots(rows: pd.DataFrame, axis: str, at: pd.Series, name: str, colour: str, marker: str = "o") -> dict:
    """A trace: one dot per row, with its interval if it has one, open if its p is not below style.ALPHA.

    rows: `estimate`, and what its mark shows. axis: "x" or "y", the axis of the estimates. at: the places of the rows
    on the other axis. name: of the trace in the legend. marker: one of `style.MARKERS`.
    """
    trace = {axis: plain(rows["estimate"]), "xy".strip(axis): plain(at)}
    trace |= {"name": html.escape(name), "text": _said(rows)} | _chosen_by(rows)
    if "ci_low" in rows:
        # one of them is below 0 if an interval does not contain its estimate
        below, above = rows["estimate"] - rows["ci_low"], rows["ci_high"] - rows["estimate"]
        trace[f"error_{axis}"] = {"symmetric": False, "array": plain(above), "arrayminus": plain(below)}
    is_open = rows[p] >= style.ALPHA if (p := _p(rows)) else pd.Series(False, rows.index)
    symbols = [SYMBOLS[marker] + ("-open" if is_hollow else "") for is_hollow in is_open]
    return trace | {"mode": "markers", "marker": {"color": colour, "symbol": symbols}}


def _filled(panel: dict, rows: pd.DataFrame) -> dict:
    """The panel with what its filled marks are, if a row has a p."""
    if (p := _p(rows)) is None or rows[p].isna().all():
        return panel
    return panel | {"filled": SIGNIFICANT if p == "p_adjusted" else UNADJUSTED}


def _p(rows: pd.DataFrame) -> str | None:
    """The column of the p-values of rows; None without any."""
    return next((column for column in ("p_adjusted", "p_value") if column in rows), None)


def shaded(panel: dict, axis: str, low: float, high: float, name: str) -> dict:
    """The panel with a grey band from low to high on an axis ("x" or "y"), which the legend names; unchanged if one of
    them is null."""
    if pd.notna(low) and pd.notna(high):
        panel["layout"].setdefault("shapes", []).append(across(axis, low, high, (0, 1)) | _GREY | {"name": name})
    return panel


# --- rings ---


def _rings(rows: pd.DataFrame, places: pd.Series, looks: Mapping[str, style.Look]) -> list[dict]:
    """The traces of rings around marks of a forest whose fit did not converge, one per series; empty without any."""
    if "converged" not in rows:
        return []
    rings = []
    is_lost = rows["converged"].eq(False) & rows["estimate"].notna()
    for name, lost in rows[is_lost].groupby("series", sort=False):
        marker = {"color": looks[name].colour, "symbol": ["circle-open"] * len(lost), "size": 13}
        trace = {"mode": "markers", "name": _RING, "marker": marker, "hoverinfo": "skip"} | _chosen_by(lost)
        rings.append(trace | {"x": plain(lost["estimate"]), "y": plain(places[lost.index])})
    return rings


# --- shapes ---


def box(x: tuple[float, float], y: tuple[float, float]) -> dict:
    """A shape: a grey box behind the marks, from and to places on both axes."""
    return {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "layer": "below"} | _GREY


def stroke(x: pd.Series, y: pd.Series, name: str, dash: str, colour: str = style.PALE) -> dict:
    """A trace: a line through places, without marks. dash: as plotly calls it."""
    look = {"mode": "lines", "name": html.escape(name), "line": {"color": colour, "width": 1, "dash": dash}}
    return look | {"x": plain(x), "y": plain(y), "hoverinfo": "skip"}


def area(x: pd.Series, low: pd.Series, high: pd.Series, name: str, colour: str = style.PALE) -> dict:
    """A trace: what lies between two lines, filled. Places without both ends are left out."""
    known = low.notna() & high.notna()
    x, low, high = x[known], low[known], high[known]
    tint = ",".join(str(round(255 * part)) for part in to_rgb(colour))
    look = {"mode": "none", "fill": "toself", "fillcolor": f"rgba({tint},0.2)", "name": html.escape(name)}
    return look | {"x": plain(pd.concat([x, x[::-1]])), "y": plain(pd.concat([low, high[::-1]])), "hoverinfo": "skip"}


def line(axis: str, at: float, dash: str = "solid") -> dict:
    """A shape: a grey line across a panel, at a value of an axis ("x" or "y"). dash: as plotly calls it."""
    return across(axis, at, at, (0, 1)) | {"line": {"dash": dash, "width": 1, "color": style.PALE}}


def bars(low: pd.Series, high: pd.Series, share: pd.Series, name: str) -> list[dict]:
    """Shapes: grey bars behind the marks, from low to high, whose heights are shares of that of the panel."""
    of_bars = zip(plain(low), plain(high), plain(share), strict=True)
    return [across("x", *group[:2], (0, group[2])) | _GREY | {"name": name} for group in of_bars if group[2]]


def across(axis: str, low: float, high: float, part: tuple[float, float]) -> dict:
    """The keys of a shape behind the marks, from low to high on an axis and along a part of the other one."""
    other = "xy".strip(axis)
    ends = {f"{axis}0": low, f"{axis}1": high, f"{other}0": part[0], f"{other}1": part[1]}
    return ends | {f"{other}ref": "paper", "layer": "below"}


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
    p = next((column for column in ("p_adjusted", "p_value") if column in row), None)
    yield f"{'adjusted p' if p == 'p_adjusted' else 'p'} {style.compared(row[p])}" if p and pd.notna(row[p]) else ""
    yield "did not converge" if row.get("converged") is False else ""
    yield row.get("said", "")
