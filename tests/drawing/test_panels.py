"""Interactive figures have the numbers of the tables of the static ones, and no others."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_shows, assert_stands_without_numbers

from herbarium.drawing import panels, style

BOUNDS = ("ci_low", "ci_high")
TABLE = pd.DataFrame(
    {
        "line": ["one", "one", "two", "two"],
        "series": ["a", "b", "a", "b"],
        "model": ["weak", "weak", "strong", "strong"],
        "planted": [None, None, 2, 2],
        "x": [1.0, 2.0, 3.0, 4.0],
        "estimate": [0.1, 0.2, 0.3, -0.4],
        "ci_low": [0.05, np.nan, 0.2, -0.5],
        "ci_high": [0.2, np.nan, 0.4, -0.3],
        "n": [40, 40, None, 1200],
        "p_adjusted": [0.01, 0.2, None, 0.05],
        "iso2": ["KE", "TH", "NA", "AQ"],
        "has_polygon": [True, True, True, False],
        "continent": ["AF", "AS", "AF", None],
        "continent_name": ["Africa", "Asia", "Africa", None],
    }
)


def forest(table):
    return [panels.forest("title", table, "axis")]


def scatter(table):
    return [panels.scatter("title", table, "x", "y", TABLE)]


def world(table):
    return [panels.map_("title", table, "estimate", panels.colour_limit(table["estimate"]), "nats")]


@pytest.mark.parametrize(("figure", "axis"), [(forest, "x"), (scatter, "y")])
def test_each_row_is_a_mark_with_its_number_and_interval(figure, axis):
    known = TABLE.dropna(subset="ci_low")
    assert_shows(figure(known), known, "estimate", axis, BOUNDS)
    json.dumps(figure(TABLE), allow_nan=False)


@pytest.mark.parametrize("figure", [forest, scatter])
def test_a_table_without_numbers_or_rows_makes_no_trouble(figure):
    assert_stands_without_numbers(figure, TABLE, ["estimate", *BOUNDS])


def test_a_map_has_the_countries_that_have_a_shape():
    assert_shows(world(TABLE), TABLE[TABLE["has_polygon"]], "estimate", "z")
    (panel,) = world(TABLE)
    assert panel["data"][0]["locations"] == ["KE", "TH", "NA"]
    assert panel["data"][0]["zmin"] == -panel["data"][0]["zmax"]
    assert panels.colour_limit(pd.Series([np.nan])) == 1
    json.dumps(world(TABLE.assign(estimate=np.nan)), allow_nan=False)


def test_a_trace_has_the_models_and_topics_of_its_marks():
    rows = TABLE.assign(topic=["looks", "mind", None, "mind"])
    (trace,) = scatter(rows.assign(continent=None))[0]["data"]
    assert trace["models"] == ["weak", "weak", "strong", "strong"]
    assert trace["topics"] == ["looks", "mind", None, "mind"]
    by_series = {trace["name"]: trace["topics"] for trace in forest(rows)[0]["data"]}
    assert by_series == {"a": ["looks", None], "b": "mind"}
    assert "topics" not in forest(TABLE)[0]["data"][0]


def test_a_mark_says_name_model_estimate_interval_n_and_p():
    (trace,) = panels.forest("", TABLE[-1:], "axis")["data"]
    number = style.with_interval(-0.4, -0.5, -0.3, ".3g")
    assert trace["text"] == [f"two<br>b<br>{number}<br>n = 1,200<br>adjusted p = 0.05"]
    trace = panels.dots(TABLE[2:3].drop(columns="series"), "x", TABLE["x"][2:3], "name", "#000000")
    assert trace["text"][0].startswith("two<br>strong (planted, strength 2)<br>0.3 [0.2, 0.4]")
    lost = TABLE[:1].assign(converged=False)
    assert panels.dots(lost, "x", lost["x"], "name", "#000000")["text"][0].endswith("<br>did not converge")


def test_only_marks_whose_adjusted_p_is_below_the_level_are_filled():
    trace = panels.dots(TABLE, "x", TABLE["x"], "name", "#000000")
    assert trace["marker"]["symbol"] == ["circle", "circle-open", "circle", "circle-open"]
    bare = panels.dots(TABLE.drop(columns="p_adjusted"), "x", TABLE["x"], "name", "#000000")
    assert set(bare["marker"]["symbol"]) == {"circle"}


def test_markup_in_names_stays_text():
    text = json.dumps(forest(TABLE.assign(line="<b>x</b>", series="<i>m</i>")))
    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;b&gt;x&lt;/b&gt;" in text


def test_an_axis_is_logarithmic_where_values_span_magnitudes():
    (panel,) = forest(TABLE[:2].assign(estimate=[0.1, 0.1 * style.LOG_FROM], ci_low=np.nan, ci_high=np.nan))
    assert panel["layout"]["xaxis"]["type"] == "log"
    assert {0.1, 0.2, 0.5, 1, 2} < set(panel["layout"]["xaxis"]["tickvals"])
    (panel,) = forest(TABLE[:2].assign(estimate=[2e-7, 0.5], ci_low=np.nan, ci_high=np.nan))
    assert panel["layout"]["xaxis"]["tickvals"] == pytest.approx([10.0**power for power in range(-7, 0)])
    (panel,) = forest(TABLE[:2])
    assert "type" not in panel["layout"]["xaxis"]


def test_behind_the_models_of_a_line_is_the_interval_of_the_unbiased_reference():
    rows = TABLE.assign(planted=[0, None, 0, 2], model=["none", "mine", "none", "strong"])
    (panel,) = forest(rows)
    (first, second) = panel["layout"]["shapes"]
    assert [first[key] for key in ("x0", "x1", "y0", "y1")] == [0.05, 0.2, -0.45, 0.45]
    assert [second[key] for key in ("x0", "x1")] == [0.2, 0.4]
    assert first["name"] == panels.REFERENCE  # the legend says so
    assert forest(TABLE)[0]["layout"]["shapes"] == []
    assert forest(rows[rows["model"] == "none"])[0]["layout"]["shapes"] == []  # it is compared with nothing


def test_a_band_on_a_logarithmic_axis_is_in_powers_of_ten():
    rows = TABLE[:2].assign(planted=[0, None], model=["none", "mine"], estimate=[1.0, 100 * style.LOG_FROM])
    (panel,) = forest(rows.assign(ci_low=[0.1, np.nan], ci_high=[10.0, np.nan]))
    (band,) = panel["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (-1, 1)


def test_null_values_are_lines_in_place_of_one_at_0():
    panel = panels.forest("", TABLE[:2], "axis", nulls=[50])
    assert panel["layout"]["xaxis"] == {"title": {"text": "axis"}, "zeroline": False}
    assert [shape["x0"] for shape in panel["layout"]["shapes"]] == [50]


def test_dots_with_a_continent_have_its_colour():
    (panel,) = scatter(TABLE)
    names = {trace["name"]: trace["marker"]["color"] for trace in panel["data"]}
    assert set(names) == {"Africa", "Asia", "no continent"}
    assert names["no continent"] == style.NO_DATA
    (panel,) = scatter(TABLE.drop(columns=["continent", "continent_name"]))
    assert len(panel["data"]) == 1


def test_a_band_needs_both_ends():
    assert panels.shaded({"layout": {}}, "y", -1, 1, "band")["layout"]["shapes"][0]["y1"] == 1
    assert panels.shaded({"layout": {}}, "y", np.nan, 1, "band")["layout"] == {}


def test_rows_go_by_model_with_its_label():
    assert [label for label, _ in panels.by_model(TABLE)] == ["weak", "strong (planted, strength 2)"]
    assert list(panels.labels(TABLE)) == [
        "weak",
        "weak",
        "strong (planted, strength 2)",
        "strong (planted, strength 2)",
    ]


def test_a_series_has_its_colour_and_marker_in_every_panel():
    looks = style.looks(["a", "b"])
    both, alone = (panels.forest("", rows, "axis", looks) for rows in (TABLE, TABLE[TABLE["series"] == "b"]))
    markers = {trace["name"]: trace["marker"] for trace in both["data"]}
    (marker,) = (trace["marker"] for trace in alone["data"])
    assert marker == markers["b"]
    assert markers["a"]["color"] != markers["b"]["color"]
    assert {symbol.removesuffix("-open") for symbol in markers["b"]["symbol"]} == {"square"}


def test_a_model_has_the_look_of_its_place_in_the_study_whatever_its_label():
    table = pd.DataFrame({"model": ["real", "none"], "planted": [np.nan, 0.0]})
    style.order(["none", "strong", "real"])
    try:
        wanted, seen = style.looks(["none", "real"]), panels.looks_of(table)
    finally:
        style.order([])
    assert seen == {"real": wanted["real"], "none (unbiased reference)": wanted["none"]}


def test_places_that_differ_by_rounding_alone_are_one_place():
    rows = TABLE.head(2).assign(x=[8.120688286387356, 8.120688286387402], estimate=[1.0, 2.0], name=["a", "b"])
    low, high = panels.scatter("t", rows, "x", "y", rows, named=1)["layout"]["xaxis"]["range"]
    assert (low + high) / 2 == pytest.approx(8.12069)
    assert high - low > 0.1
