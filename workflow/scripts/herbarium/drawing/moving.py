"""Interactive figures whose functions have yet to move to the modules of their figures, as `panels`. Not to stay."""

from collections.abc import Callable, Iterator
from itertools import cycle

import pandas as pd

from herbarium.drawing import style
from herbarium.drawing.panels import by_model, colour_limit, dots, forest, labels, map_, plain, scatter, shaded
from herbarium.metrics.herb.figures import continents
from herbarium.metrics.herb.figures.continents import SCALE
from herbarium.metrics.mixed_effects.figures import shared as mixed_effects
from herbarium.metrics.propagation.figures import scatter as propagation
from herbarium.statistics.fits import SLOPES
from herbarium.study import calibration

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
    limit = colour_limit(table["f_deviation"])
    return [map_(label, rows, "f_deviation", limit, "nats per token") for label, rows in by_model(table)]


def _downstream_map(table: pd.DataFrame) -> list[dict]:
    return [
        map_(f"{task}, {label}", rows, "effect", colour_limit(of_task["effect"]), "change of probability")
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ]


def _herb_continents(table: pd.DataFrame) -> list[dict]:
    scaled = SCALE * table[["estimate", "ci_low", "ci_high"]]
    table = table.assign(**scaled, line=table["name"].map(continents.title), series=labels(table))
    return [forest("", table, f"size-free {_C_W}")]


def _categorical_bias_scores(table: pd.DataFrame) -> list[dict]:
    scores = pd.Series(zip(table["definition"], table["variant"], strict=True), table.index)
    table = table.assign(series=scores.map(_SCORES), line=table["language"] + ", " + labels(table))
    return [forest("", table.dropna(subset="series"), "Categorical Bias")]


def _mixed_effects_scores(table: pd.DataFrame) -> list[dict]:
    maximal = pd.Series(", maximal model", table.index).where(table["structure"] == SLOPES, "")
    table = table.assign(series=labels(table) + maximal)
    bound = table["equivalence_bound"].iloc[0]
    return [
        shaded(forest(title, rows, "bias score (natural logarithm)"), "x", -bound, bound)
        for title, rows in _by_question(table)
    ]


def _mixed_effects_effect_sizes(table: pd.DataFrame) -> list[dict]:
    table = table.assign(estimate=table["r2"], ci_low=table["r2_low"], ci_high=table["r2_high"], series=labels(table))
    return [forest(title, rows, "R² (0 to 1)") for title, rows in _by_question(table)]


def _herb_ranking(table: pd.DataFrame) -> list[dict]:
    names = table.drop_duplicates("region").set_index("region")["name"]
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "f_deviation": "estimate"})
    table = table.assign(continent_name=table["continent"].map(names).fillna(table["continent"]))
    return [
        scatter(f"{label}, {group}", rows, "rank", _DEVIATION, table)
        for label, of_model in by_model(table)
        for group, rows in of_model.groupby("group", sort=False)
    ]


def _downstream_ranking(table: pd.DataFrame) -> list[dict]:
    table = table.dropna(subset="rank").rename(columns={"rank": "x", "effect": "estimate"})
    return [
        shaded(
            scatter(f"{task}, {label}", rows, "rank (shaded: made-up names)", _EFFECT, of_task),
            *("y", *rows[["band_low", "band_high"]].iloc[0]),
        )
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ]


def _downstream_propagation(table: pd.DataFrame) -> list[dict]:
    table = table.rename(columns={"effect": "estimate", "effect_low": "ci_low", "effect_high": "ci_high"})
    table = table.assign(x=SCALE * table["intrinsic"])
    of_models = table["unit"] == propagation.MODEL
    return [
        scatter(f"{task}, {label}", rows, f"{_C_W} of the country", _EFFECT, rows)
        for task, of_task in table[~of_models].groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ] + [
        scatter(f"{task}, over models", rows, f"{_C_W} of the model", "mean size of effects", rows)
        for task, rows in table[of_models].groupby("task", sort=False)
    ]


def _downstream_planted(table: pd.DataFrame) -> list[dict]:
    table = table.rename(columns={"lean": "x", "effect": "estimate"})
    panels = []
    for (task, strength), of_task in table.groupby(["task", "strength"], sort=False):
        for label, rows in by_model(of_task):
            title = f"{task} (planted strength {strength:g}), {label}"
            panel = scatter(title, rows, "lean (standard deviations)", "measured (log-odds)", table)
            ends = rows["x"].agg(["min", "max"])
            line = {"mode": "lines", "name": "as planted", "line": {"color": style.COLOURS[1], "dash": "dash"}}
            panel["data"].append(line | {"x": plain(ends), "y": plain(strength * ends), "hoverinfo": "skip"})
            panels.append(panel)
    return panels


def _calibration(table: pd.DataFrame) -> list[dict]:
    table = table.assign(line=table["series"], series=labels(table))
    strongest, panels = table["planted"].max(), []
    for name, rows in table.groupby("panel", sort=False):
        of = calibration.PANELS[name]
        series = list(rows.groupby("line", sort=False))
        lines = [
            dots(own, "y", calibration.dodged(own["planted"], place, len(series), strongest), line, colour)
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


def _by_question(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    rows = table.dropna(subset="estimate").rename(columns={"dimension": "line"})
    for (probe, contrast), own in rows.groupby(["probe", "contrast"], sort=False):
        yield f"{probe}, {mixed_effects.versus(contrast)}", own
