"""Figures that answer when they are pointed at: counterparts of static ones, as plain data of plotly.

Each is made from the table of the static figure, and is a list of panels: a "title", and "data" and "layout" of a
plotly figure. `plots.js` draws them; what all share stands there.
"""

import html
import textwrap
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

from herbarium.drawing import maps, style
from herbarium.metrics.downstream.figures import shared as downstream
from herbarium.metrics.herb.figures import continents
from herbarium.metrics.herb.figures.continents import SCALE
from herbarium.metrics.mixed_effects.figures import shared as mixed_effects
from herbarium.metrics.propagation.figures import scatter
from herbarium.statistics.fits import SLOPES
from herbarium.study import calibration

_COLOURS = [[at, to_hex(colormaps[style.DIVERGING](at))] for at in np.linspace(0, 1, 11).round(1).tolist()]
_LABEL = 20  # characters a line beside an axis
_C_W = "C<sub>w</sub> × 10³"  # SCALE
_DEVIATION = "f(S) beyond both averages<br>(nats per token)"
_EFFECT = "effect (change of probability)"
_SCORES = {
    ("paper", "cb"): "CB",
    ("paper", "cb_equal_length"): "CB, targets of equal length",
    ("released", "cb"): "CB, released",
}


def interactive(figure: str, table: pd.DataFrame) -> list[dict]:
    """The panels of a figure; none of one that has no counterpart or nothing to show.

    figure: name of its files, such as "herb_map". table: that it was drawn from.
    """
    return _FIGURES[figure](table) if figure in _FIGURES and not table.empty else []


# --- figures ---


def _herb_map(table: pd.DataFrame) -> list[dict]:
    limit = _limit(table["f_deviation"])
    return [_map(label, rows, "f_deviation", limit, "nats per token") for label, rows in _by_model(table)]


def _downstream_map(table: pd.DataFrame) -> list[dict]:
    return [
        _map(f"{task}, {label}", rows, "effect", _limit(of_task["effect"]), "change of probability")
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in _by_model(of_task)
    ]


def _herb_continents(table: pd.DataFrame) -> list[dict]:
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    table = table.assign(**scaled, line=table["name"].map(continents.title), series=_labels(table))
    return [_forest("", table, f"size-free {_C_W}")]


def _categorical_bias_scores(table: pd.DataFrame) -> list[dict]:
    scores = pd.Series(zip(table["definition"], table["variant"], strict=True), table.index)
    table = table.assign(series=scores.map(_SCORES), line=table["language"] + ", " + _labels(table))
    return [_forest("", table.dropna(subset="series"), "Categorical Bias")]


def _mixed_effects_scores(table: pd.DataFrame) -> list[dict]:
    maximal = pd.Series(", maximal model", table.index).where(table["structure"] == SLOPES, "")
    table = table.assign(series=_labels(table) + maximal)
    bound = table["equivalence_bound"].iloc[0]
    return [
        _shaded(_forest(title, rows, "bias score (natural logarithm)"), "x", -bound, bound)
        for title, rows in _by_question(table)
    ]


def _mixed_effects_effect_sizes(table: pd.DataFrame) -> list[dict]:
    table = table.assign(estimate=table["r2"], ci_low=table["r2_low"], ci_high=table["r2_high"], series=_labels(table))
    return [_forest(title, rows, "R² (0 to 1)") for title, rows in _by_question(table)]


def _herb_ranking(table: pd.DataFrame) -> list[dict]:
    names = table.drop_duplicates("region").set_index("region")["name"]
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "f_deviation": "estimate"})
    table = table.assign(continent_name=table["continent"].map(names).fillna(table["continent"]))
    return [
        _scatter(f"{label}, {group}", rows, "rank", _DEVIATION, table)
        for label, of_model in _by_model(table)
        for group, rows in of_model.groupby("group", sort=False)
    ]


def _downstream_ranking(table: pd.DataFrame) -> list[dict]:
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "effect": "estimate"})
    return [
        _shaded(
            _scatter(f"{task}, {label}", rows, "rank (shaded: made-up names)", _EFFECT, of_task),
            *("y", *rows[["band_low", "band_high"]].iloc[0]),
        )
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in _by_model(of_task)
    ]


def _downstream_propagation(table: pd.DataFrame) -> list[dict]:
    table = table.rename(columns={"effect": "estimate", "effect_low": "ci_low", "effect_high": "ci_high"})
    table = table.assign(x=SCALE * table["intrinsic"])
    of_models = table["unit"] == scatter.MODEL
    return [
        _scatter(f"{task}, {label}", rows, f"{_C_W} of the country", _EFFECT, rows)
        for task, of_task in table[~of_models].groupby("task", sort=False)
        for label, rows in _by_model(of_task)
    ] + [
        _scatter(f"{task}, over models", rows, f"{_C_W} of the model", "mean size of effects", rows)
        for task, rows in table[of_models].groupby("task", sort=False)
    ]


def _downstream_planted(table: pd.DataFrame) -> list[dict]:
    table = table.rename(columns={"lean": "x", "effect": "estimate"})
    panels = []
    for (task, strength), of_task in table.groupby(["task", "strength"], sort=False):
        for label, rows in _by_model(of_task):
            title = f"{task} (planted strength {strength:g}), {label}"
            panel = _scatter(title, rows, "lean (standard deviations)", "measured (log-odds)", table)
            ends = rows["x"].agg(["min", "max"])
            line = {"mode": "lines", "name": "as planted", "line": {"color": style.COLOURS[1], "dash": "dash"}}
            panel["data"].append(line | {"x": _plain(ends), "y": _plain(strength * ends), "hoverinfo": "skip"})
            panels.append(panel)
    return panels


def _calibration(table: pd.DataFrame) -> list[dict]:
    table = table.assign(line=table["series"], series=_labels(table))
    strongest, panels = table["planted"].max(), []
    for name, rows in table.groupby("panel", sort=False):
        of = calibration.PANELS[name]
        series = list(rows.groupby("line", sort=False))
        lines = [
            _dots(own, "y", calibration.dodged(own["planted"], place, len(series), strongest), line, colour)
            | {"mode": "lines+markers", "line": {"color": colour, "width": 1}}
            for place, ((line, own), colour) in enumerate(zip(series, cycle(style.COLOURS), strict=False))
        ]
        null = {"xref": "paper", "x0": 0, "x1": 1, "y0": of.null, "y1": of.null, "layer": "below"}
        layout = {
            "height": 340,
            "xaxis": {"title": {"text": "planted strength"}, "zeroline": False},
            "yaxis": {"title": {"text": of.unit}, "rangemode": "tozero", "zeroline": False},
            "shapes": [null | {"line": {"dash": "dash", "width": 1, "color": "#888"}}],
        }
        panels.append({"title": of.title, "data": lines, "layout": layout})
    return panels


_FIGURES: dict[str, Callable[[pd.DataFrame], list[dict]]] = {
    "herb_map": _herb_map,
    "herb_continents": _herb_continents,
    "herb_ranking": _herb_ranking,
    "categorical_bias_scores": _categorical_bias_scores,
    "mixed_effects_scores": _mixed_effects_scores,
    "mixed_effects_effect_sizes": _mixed_effects_effect_sizes,
    "downstream_map": _downstream_map,
    "downstream_ranking": _downstream_ranking,
    "downstream_propagation": _downstream_propagation,
    "downstream_planted": _downstream_planted,
    "calibration": _calibration,
}


# --- panels ---


def _map(title: str, rows: pd.DataFrame, value: str, limit: float, unit: str) -> dict:
    """A world map. limit: where the colours end; `plots.js` gives the outlines, and grey to those without a value."""
    rows = rows[rows["has_polygon"]].rename(columns={value: "estimate"}).dropna(subset="estimate")
    bar = {"orientation": "h", "thickness": 8, "y": -0.02, "yanchor": "top", "outlinewidth": 0}
    trace = {
        **{"type": "choropleth", "locations": list(rows["iso2"]), "featureidkey": "properties.iso2"},
        **{"z": _plain(rows["estimate"]), "zmin": -limit, "zmax": limit, "colorscale": _COLOURS},
        **{"text": _said(rows), "colorbar": bar | {"title": {"text": unit, "side": "bottom"}}},
    }
    return {"title": title, "data": [trace], "layout": {"height": 300}}


def _forest(title: str, rows: pd.DataFrame, axis: str) -> dict:
    """Dots with intervals beside lines of text. rows: with `line`, `series` and what `_dots` takes."""
    lines, series = list(rows["line"].unique()), list(rows["series"].unique())
    places = rows["line"].map(lines.index) + 0.8 * ((rows["series"].map(series.index) + 0.5) / len(series) - 0.5)
    values = _known(rows)
    spans_magnitudes = min(values) > 0 and max(values) / min(values) >= continents.LOG_FROM
    text = ["<br>".join(textwrap.wrap(html.escape(line, quote=False), _LABEL)) for line in lines]
    ticks = {"type": "log", "tickvals": _ticks(values)} if spans_magnitudes else {}
    layout = {
        "height": 120 + 16 * len(series) + len(lines) * (16 + 10 * len(series)),
        "xaxis": {"title": {"text": axis}} | ticks,
        "yaxis": {
            **{"tickvals": list(range(len(lines))), "ticktext": text, "range": [len(lines) - 0.5, -0.5]},
            "zeroline": False,
        },
    }
    of_series = rows.assign(y=places).groupby("series", sort=False)
    dots = [
        _dots(own, "x", own["y"], name, colour)
        for (name, own), colour in zip(of_series, cycle(style.COLOURS), strict=False)
    ]
    return {"title": title, "data": dots, "layout": layout}


def _scatter(title: str, rows: pd.DataFrame, x: str, y: str, shared: pd.DataFrame) -> dict:
    """Dots by continent with what is known of their intervals, over `x`. shared: all rows that share the y axis."""
    values = _known(shared)
    low, high = min(0, *values), max(0, *values)
    margin = 0.05 * (high - low) or 1
    layout = {
        "height": 340,
        "xaxis": {"title": {"text": x}},
        "yaxis": {"title": {"text": y}, "range": [low - margin, high + margin]},
    }
    if "continent_name" in rows and rows["continent"].notna().any():
        colours = style.colours(shared["continent"].dropna())
        of_continents = rows.sort_values("continent").groupby(["continent", "continent_name"], sort=False, dropna=False)
        dots = [
            _dots(own, "y", own["x"], "no continent" if pd.isna(name) else name, colours.get(continent, style.NO_DATA))
            for (continent, name), own in of_continents
        ]
    else:
        dots = [_dots(rows, "y", rows["x"], "", style.COLOURS[0])]
    return {"title": title, "data": dots, "layout": layout}


def _dots(rows: pd.DataFrame, axis: str, at: pd.Series, name: str, colour: str) -> dict:
    """A dot a row, with its interval if it has one, open where it is not significant. axis: that of the estimates."""
    trace = {axis: _plain(rows["estimate"]), "xy".strip(axis): _plain(at)}
    trace |= {"name": html.escape(name), "text": _said(rows)}
    if "ci_low" in rows:
        # one of them is below 0 where an interval has no place for its estimate
        below, above = rows["estimate"] - rows["ci_low"], rows["ci_high"] - rows["estimate"]
        trace[f"error_{axis}"] = {"symmetric": False, "array": _plain(above), "arrayminus": _plain(below)}
    is_open = rows.get("p_adjusted", pd.Series(0, rows.index)) >= downstream.ALPHA
    symbols = ["circle-open" if of else "circle" for of in is_open]
    return trace | {"mode": "markers", "marker": {"color": colour, "symbol": symbols}}


def _shaded(panel: dict, axis: str, low: float, high: float) -> dict:
    """The panel with a band from low to high on an axis; as it is without both."""
    across = "xy".strip(axis)
    box = {f"{axis}0": low, f"{axis}1": high, f"{across}0": 0, f"{across}1": 1, f"{across}ref": "paper"}
    box |= {"layer": "below", "line": {"width": 0}, "fillcolor": "rgba(128,128,128,0.2)"}
    if pd.notna(low) and pd.notna(high):
        panel["layout"]["shapes"] = [box]
    return panel


# --- rows ---


def _by_model(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        yield style.label(model, planted), rows


def _by_question(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    rows = table.dropna(subset="estimate").rename(columns={"dimension": "line"})
    for (probe, contrast), own in rows.groupby(["probe", "contrast"], sort=False):
        yield f"{probe}, {mixed_effects.versus(contrast)}", own


def _labels(table: pd.DataFrame) -> pd.Series:
    return pd.Series([style.label(*of) for of in table[["model", "planted"]].itertuples(index=False)], table.index)


def _limit(values: pd.Series) -> float:
    """Where the colours of a map end."""
    known = values.abs().dropna()
    return float(np.percentile(known, maps.COVERED)) if len(known) else 1.0


def _ticks(values: list[float]) -> list[float]:
    """1, 2 and 5 of each power of ten that the values span: plotly would name all but the powers by one digit."""
    first, last = (int(np.floor(np.log10(of(values)))) for of in (min, max))
    return [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]


def _known(rows: pd.DataFrame) -> list[float]:
    """All estimates and ends of intervals that there are, and 0 without any."""
    values = rows[rows.columns.intersection(["estimate", "ci_low", "ci_high"])].to_numpy(float)
    return values[np.isfinite(values)].tolist() or [0.0]


def _said(rows: pd.DataFrame) -> list[str]:
    """What is said of each row: what it is of, its number with the interval, n, p, and what is wrong with it."""
    return [
        "<br>".join(html.escape(part, quote=False) for part in _parts(row) if part) for row in rows.to_dict("records")
    ]


def _parts(row: Mapping) -> Iterator[str]:
    yield row.get("name", row.get("line"))
    yield row.get("series") or style.label(row["model"], row["planted"])
    yield style.with_interval(row["estimate"], row.get("ci_low"), row.get("ci_high"), ".3g")
    yield f"n = {row['n']:,.0f}" if pd.notna(row.get("n")) else ""
    yield f"adjusted p = {row['p_adjusted']:.2g}" if pd.notna(row.get("p_adjusted")) else ""
    yield "did not converge" if row.get("converged") is False else ""


def _plain(values: pd.Series) -> list[float | None]:
    """Numbers as JSON has them; six digits are more than a picture shows."""
    return [None if pd.isna(value) else float(f"{value:.6g}") for value in values]
