"""Interactive figures have the numbers of the tables of the static ones, and no others."""

import html
import json

import numpy as np
import pandas as pd
import pytest
from tests.metrics.categorical_bias import test_figures as of_bias
from tests.metrics.downstream import test_figures as of_tasks
from tests.metrics.herb import test_figures as of_herb
from tests.metrics.mixed_effects import test_figures as of_mixed
from tests.study import test_calibration as of_planted

from herbarium.drawing import style
from herbarium.drawing.panels import interactive
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking
from herbarium.metrics.herb.figures import continents as herb_continents
from herbarium.metrics.herb.figures import map as herb_map
from herbarium.metrics.herb.figures import ranking as herb_ranking
from herbarium.metrics.propagation.figures import scatter

REGIONS, MODELS = of_herb.REGIONS, of_herb.MODELS


def continents():
    """Size-free C_w of every region: its place in the table, in thousandths."""
    rows = herb_continents.places(REGIONS, MODELS).rename(columns={"region": "group"})
    tidy = rows.assign(metric="herb", definition="paper", variant="C_w_size_free", n=3, std_error=None, note=None)
    estimate = 1e-3 * np.arange(1, len(rows) + 1)
    tidy = tidy.assign(estimate=estimate, ci_low=0.5 * estimate, ci_high=2 * estimate)
    return herb_continents.table(tidy, REGIONS, MODELS)


@pytest.fixture(scope="module")
def tables():
    numbers = of_tasks.downstream_numbers()
    countries, _, everything = of_tasks.propagated(numbers)
    of = of_tasks.PREFIXES, of_tasks.WHERE
    return {
        "herb_map": herb_map.table(of_herb.F, REGIONS, MODELS, "weak", of_herb.COUNTRIES),
        "herb_continents": continents(),
        "herb_ranking": herb_ranking.table(of_herb.F, REGIONS, MODELS, "weak"),
        "categorical_bias_scores": of_bias.scores(),
        "mixed_effects_scores": of_mixed.scores(),
        "mixed_effects_effect_sizes": of_mixed.effect_sizes(),
        "downstream_map": downstream_map.table(numbers, *of, of_tasks.GEOJSON),
        "downstream_ranking": ranking.table(numbers, *of),
        "downstream_propagation": scatter.table(countries, everything, of_tasks.REGIONS, of_tasks.WHERE),
        "downstream_planted": downstream_planted.table(numbers, *of, of_tasks.LEAN, of_tasks.STRENGTHS),
        "calibration": of_planted.drawn(),
    }


# Figure -> the column of its numbers, those of their intervals, the axis they are on ("z" of a map), their scale.
NUMBERS = {
    "herb_map": ("f_deviation", None, "z", 1),
    "herb_continents": ("estimate", ("ci_low", "ci_high"), "x", 1e3),
    "herb_ranking": ("f_deviation", None, "y", 1),
    "categorical_bias_scores": ("estimate", ("ci_low", "ci_high"), "x", 1),
    "mixed_effects_scores": ("estimate", ("ci_low", "ci_high"), "x", 1),
    "mixed_effects_effect_sizes": ("r2", ("r2_low", "r2_high"), "x", 1),
    "downstream_map": ("effect", None, "z", 1),
    "downstream_ranking": ("effect", ("ci_low", "ci_high"), "y", 1),
    "downstream_propagation": ("effect", ("effect_low", "effect_high"), "y", 1),
    "downstream_planted": ("effect", ("ci_low", "ci_high"), "y", 1),
    "calibration": ("estimate", ("ci_low", "ci_high"), "y", 1),
}


def shown(name, table):
    """The rows of a table that its figure shows."""
    if name == "downstream_ranking":
        table = table[table["unit"] == "country"]
    if name == "categorical_bias_scores":  # no equal lengths as released
        table = table[(table["definition"] == "paper") | (table["variant"] == "cb")]
    return table[table["has_polygon"]] if name.endswith("_map") else table


@pytest.mark.parametrize("name", NUMBERS)
def test_each_row_is_a_mark_with_its_number_and_interval(tables, name):
    column, bounds, axis, scale = NUMBERS[name]
    rows = shown(name, tables[name]).dropna(subset=column)
    traces = [trace for panel in interactive(name, tables[name]) for trace in panel["data"] if "text" in trace]
    marks = [value for trace in traces for value in trace[axis]]
    assert sorted(marks) == pytest.approx(sorted(scale * rows[column]), rel=1e-5)
    assert all(len(trace["text"]) == len(trace[axis]) for trace in traces)
    if bounds:
        ends = [
            (value - below, value + above)
            for trace in traces
            for value, below, above in zip(
                trace[axis], trace[f"error_{axis}"]["arrayminus"], trace[f"error_{axis}"]["array"], strict=True
            )
        ]
        wanted = scale * rows[list(bounds)].to_numpy()
        np.testing.assert_allclose(sorted(ends), sorted(map(tuple, wanted)), rtol=1e-3, atol=1e-5)


def test_what_is_pointed_at_says_model_estimate_interval_and_n(tables):
    table = tables["downstream_ranking"]
    row = table[(table["model"] == "strong") & (table["rank"] == 3)].iloc[0]
    panel = interactive("downstream_ranking", table)[1]
    assert panel["title"] == "reviews, strong (planted 2)"
    said = panel["data"][0]["text"][panel["data"][0]["x"].index(3)]
    number = style.with_interval(*row[["effect", "ci_low", "ci_high"]], ".3g")
    assert said == f"{row['name']}<br>strong (planted 2)<br>{number}<br>n = 40<br>adjusted p = {row['p_adjusted']:.2g}"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_table_without_numbers_or_rows_makes_no_trouble(tables, name):
    column, bounds, *_ = NUMBERS[name]
    lost = tables[name].assign(**dict.fromkeys([column, *(bounds or ())], np.nan))
    json.dumps(interactive(name, lost), allow_nan=False)
    assert interactive(name, tables[name][:0]) == []


def test_markup_in_names_stays_text(tables):
    table = tables["mixed_effects_scores"].assign(dimension="<b>x</b>", model="<i>m</i>")
    said = json.dumps([panel["data"] for panel in interactive("mixed_effects_scores", table)])
    assert "<b>" not in said
    assert "<i>" not in said
    assert html.escape("<b>x</b>") in said


def test_maps_of_a_task_share_their_colours_and_maps_of_tasks_do_not(tables):
    limits = [panel["data"][0]["zmax"] for panel in interactive("downstream_map", tables["downstream_map"])]
    assert len(set(limits[:3])) == len(set(limits[3:])) == 1
    assert limits[0] != limits[3]


def test_a_figure_without_a_counterpart_has_none():
    assert interactive("herb_words", pd.DataFrame({"model": ["a"]})) == []
