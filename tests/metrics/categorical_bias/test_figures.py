"""Figures of Categorical Bias: tables by hand on a toy of two languages, drawings against tables."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out, assert_shows, assert_stands_without_numbers
from tests.metrics.categorical_bias.figure_toys import (
    ATTRIBUTES,
    LANGUAGES,
    LOG_P,
    MODELS,
    TABLES,
    TARGETS,
    distributions,
    heatmap,
    lengths,
    lengths_with_zero,
    refused,
    scores,
    scores_with_zero,
    tidy,
)

from herbarium.drawing.printed import printed
from herbarium.metrics.categorical_bias.figures import distributions as categorical_bias_distributions
from herbarium.metrics.categorical_bias.figures import heatmap as categorical_bias_heatmap
from herbarium.metrics.categorical_bias.figures import lengths as categorical_bias_lengths
from herbarium.metrics.categorical_bias.figures import scores as categorical_bias_scores
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.stimuli import ASSOCIATIONS, as_record, lists_from, read

pytestmark = pytest.mark.slow  # draws figures

MODULES = {
    "distributions": categorical_bias_distributions,
    "heatmap": categorical_bias_heatmap,
    "lengths": categorical_bias_lengths,
    "scores": categorical_bias_scores,
}


def drawn(module, table):
    """The printed figure: the module's own, or its panels."""
    return module.figure(table) if hasattr(module, "figure") else printed(module.panels(table), module.EMPTY)


# --- all of them ---


@pytest.mark.parametrize("name", MODULES)
def test_tables_have_every_model_of_every_language_the_own_one_marked(name):
    table = TABLES[name]()
    assert table.columns.tolist() == MODULES[name].COLUMNS
    places = table[["language", "list", "model", "planted", "own"]].drop_duplicates()
    assert places["language"].tolist() == ["english", "english", "greek"]
    assert places["list"].unique().tolist() == ["ours"]
    assert places["model"].tolist() == ["strong", "both", "both"]
    assert places["own"].tolist() == [True, False, True]
    assert places["planted"].fillna(-1).tolist() == [2, -1, -1]


def test_associations_are_laid_out_by_the_words_of_a_design():
    languages = {"english": {"lists": {"grammatical": "of it"}, "models": ["a"]}}
    lists = read("resources/categorical_bias/english/grammatical")
    design = json.loads(json.dumps(as_record("english", "grammatical", lists), sort_keys=True))
    words = pd.MultiIndex.from_product([["people_are"], ["enemy"], ["Iraq"]], names=["template", "attribute", "target"])
    table = pd.DataFrame({"log_p": 0.0, "log_prior": -1.0, "n_tokens": 1, "beside": 0}, words).reset_index()
    table = table.assign(model="a", language="english", list="grammatical", definition="paper", note=None)
    by_place = shared.by_place(table[ASSOCIATIONS.fields.names], {"english": lists_from(design)}, languages)[
        "a", "english"
    ]
    assert (len(by_place.attributes), len(by_place.targets)) == (70, 30)
    assert by_place.targets == sorted(by_place.targets)
    assert by_place.frame(by_place.cube.log_p.mean(axis=0)).shape == (70, 30)


@pytest.mark.parametrize(("name", "column"), [("scores", "estimate"), ("lengths", "contribution")])
def test_an_axis_without_any_value_above_0_is_drawn(name, column):
    table = TABLES[name]()
    assert_lays_out(drawn(MODULES[name], table.assign(**{column: 0.0, "ci_low": 0.0, "ci_high": 0.0})))


# --- distributions ---


def test_shares_by_hand():
    table = distributions()
    p = np.exp(LOG_P["both", "english"][:, 1])  # pirate: templates by targets
    shares = p / p.sum(axis=1, keepdims=True)
    rows = table[(table["model"] == "both") & (table["language"] == "english") & (table["attribute"] == "pirate")]
    assert rows["target"].tolist() == TARGETS
    assert rows["share"].tolist() == pytest.approx(shares.mean(axis=0).tolist())
    assert rows["std_error"].tolist() == pytest.approx((abs(shares[0] - shares[1]) / 2).tolist())
    assert rows["rank"].tolist() == (4 - rows["share"].to_numpy().argsort().argsort()).tolist()
    assert rows[["n", "n_templates"]].drop_duplicates().to_numpy().tolist() == [[4, 2]]
    assert rows[["cb", "cb_ci_low", "cb_ci_high"]].drop_duplicates().to_numpy().tolist() == [[4.0, 2.0, 8.0]]


def test_each_target_is_a_dot_and_cb_stands_in_the_title():
    panel = categorical_bias_distributions.panels(distributions())[1]  # enemy in greek
    assert panel["title"] == "greek, enemy: CB 3.00 [1.50, 6.00]"
    assert panel["layout"]["yaxis"]["ticktext"] == TARGETS
    (equal,) = panel["layout"]["shapes"]
    assert (equal["x0"], equal["name"]) == (25, "all equal")


def test_panels_of_an_attribute_share_a_scale():
    english, greek, *_ = categorical_bias_distributions.panels(distributions())
    assert english["layout"]["xaxis"]["range"] == greek["layout"]["xaxis"]["range"]


def test_a_refused_target_has_no_share_and_the_others_sum_to_1():
    table = distributions(refused(target="Iraq"))
    rows = table[(table["language"] == "english") & table["own"] & (table["attribute"] == "enemy")].set_index("target")
    assert pd.isna(rows.loc["Iraq", "share"])
    assert "refused" in rows.loc["Iraq", "note"]
    assert rows["share"].sum() == pytest.approx(1)
    assert rows["n"].unique().tolist() == [3]
    assert rows.drop("Iraq")["note"].isna().all()
    panel = categorical_bias_distributions.panels(table)[0]
    assert "Iraq (no value)" in panel["layout"]["yaxis"]["ticktext"]


def test_a_refused_and_an_unknown_attribute_are_told_apart():
    table = distributions(refused(attribute="pirate"), shown=["pirate", "spy"])
    found = categorical_bias_distributions.panels(table)
    titles = [panel["title"] for panel in found]
    assert titles[0] == "english, pirate: refused"
    assert titles[1].startswith("greek, pirate: CB")
    assert titles[2].endswith("spy: not in this list")  # an additional one
    assert "pirate: left out: sentences were refused" in categorical_bias_distributions.describe(table)
    assert_lays_out(printed(found, categorical_bias_distributions.EMPTY))


def test_a_model_that_is_compared_is_beside_the_one_before():
    compared = [("strong", "both", "strong", "both"), ("other", "both", "other", "both")]
    table = distributions(compared=compared)
    assert table.loc[
        table["before"].notna(), ["model", "language", "before"]
    ].drop_duplicates().to_numpy().tolist() == [
        ["both", "english", "strong"]  # in Greek it is the language's own
    ]
    found = categorical_bias_distributions.panels(table)
    english, greek, *_ = found
    after = table[(table["before"] == "strong") & (table["attribute"] == "enemy")]
    (marks,) = (trace for trace in english["data"] if trace["name"] == "both")
    assert marks["x"] == pytest.approx((100 * after["share"]).tolist(), rel=1e-5)
    assert np.round(marks["y"]).tolist() == [0, 1, 2, 3]
    assert [trace["name"] for trace in english["data"]] == ["strong (planted, strength 2)", "both"]
    assert [trace["name"] for trace in greek["data"]] == ["both"]
    assert_lays_out(printed(found, categorical_bias_distributions.EMPTY))


def test_a_panel_has_room_for_the_larger_of_both():
    table = distributions(compared=[("strong", "both", "strong", "both")])
    table.loc[table["before"].notna() & (table["target"] == "Cuba"), "share"] = 0.95
    english, greek, *_ = categorical_bias_distributions.panels(table)
    assert english["layout"]["xaxis"]["range"][1] > 95
    assert english["layout"]["xaxis"]["range"] == greek["layout"]["xaxis"]["range"]


# --- heat map ---


def test_heat_map_by_hand():
    rows = heatmap().query("language == 'greek'").set_index(["attribute", "target"])
    mean = LOG_P["both", "greek"].mean(axis=0)
    words = pd.MultiIndex.from_product([ATTRIBUTES, TARGETS])
    assert rows.loc[words, "log_p"].to_numpy() == pytest.approx(mean.ravel())
    assert rows.loc[words, "deviation"].to_numpy() == pytest.approx((mean - mean.mean(axis=1, keepdims=True)).ravel())


def test_words_that_are_alike_stand_side_by_side():
    values = np.array([[0.0, 0], [9, 9], [0.1, 0], [9, 9.1], [0, 0.2]])
    place = categorical_bias_heatmap.order(values)
    assert sorted(place) == [0, 1, 2, 3, 4]
    assert abs(place[1] - place[3]) == 1
    assert {place[1], place[3]} in ({0, 1}, {3, 4})


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_words_have_an_order_too(n):
    assert sorted(categorical_bias_heatmap.order(np.zeros((n, 3)))) == list(range(n))
    assert sorted(categorical_bias_heatmap.order(np.zeros((n, 0)))) == list(range(n))


def test_panels_show_words_in_their_order_on_one_scale_centred_on_0():
    table = heatmap()
    figure = categorical_bias_heatmap.figure(table)
    panels = figure.axes[:2]
    for panel, (language, model) in zip(panels, [("english", "strong"), ("greek", "both")], strict=True):
        rows = table[(table["language"] == language) & (table["model"] == model)]
        by_target = rows.drop_duplicates("target").sort_values("target_order")["target"].tolist()
        by_attribute = rows.drop_duplicates("attribute").sort_values("attribute_order")["attribute"].tolist()
        assert [tick.get_text() for tick in panel.get_yticklabels()] == by_attribute
        assert [tick.get_text() for tick in panel.get_xticklabels()] == by_target
        values = rows.set_index(["target", "attribute"])["deviation"]
        drawn = panel.collections[0].get_array().reshape(3, 4)
        assert drawn[2, 1] == values[by_target[1], by_attribute[2]]
    norms = [panel.collections[0].norm for panel in panels]
    assert len({(norm.vmin, norm.vmax) for norm in norms}) == 1
    assert norms[0].vmin == -norms[0].vmax < 0


def test_refused_words_have_no_place_and_are_named():
    table = heatmap(refused(target="Peru", attribute="vet"))
    rows = table[(table["language"] == "english") & table["own"]]
    lost = (rows["target"] == "Peru") | (rows["attribute"] == "vet")
    assert (rows["deviation"].isna() == lost).all()
    assert (rows["note"].notna() == lost).all()
    assert rows.loc[rows["target"] == "Peru", "target_order"].isna().all()
    assert sorted(rows["target_order"].dropna().unique()) == [0, 1, 2]
    title = categorical_bias_heatmap.figure(table).axes[0].get_title(loc="left")
    assert title.replace("\n", " ") == "english, strong (planted, strength 2); refused: Peru, vet"


def test_heat_map_where_all_was_refused_is_left_out():
    table = heatmap(LOG_P | {("strong", "english"): np.full((2, 3, 4), np.nan)})
    figure = categorical_bias_heatmap.figure(table)
    assert figure.axes[0].get_title(loc="left") == "greek, both"
    assert "english" not in categorical_bias_heatmap.describe(table)
    assert_lays_out(figure)


# --- scores ---


def test_scores_are_those_of_the_leading_list():
    table = scores()
    assert len(table) == 3 * 2 * 3
    assert (table["estimate"] > 0).all()
    values = table.set_index(["language", "model", "definition", "variant"])
    assert values.loc[("english", "both", "paper", "cb_equal_length"), "estimate"] == pytest.approx(1.4)
    assert values.loc[("greek", "both", "released", "cb"), "estimate"] == 300
    assert (table["n"] == 4).all()


def test_a_score_of_0_makes_the_axis_linear_and_is_drawn():
    (panel,) = categorical_bias_scores.panels(scores_with_zero())
    assert "type" not in panel["layout"]["xaxis"]
    assert any(0 in trace["x"] for trace in panel["data"])
    assert_lays_out(drawn(categorical_bias_scores, scores_with_zero()))


def test_scores_that_the_summary_lacks_are_null_and_said():
    summary = tidy()
    lacking = (summary["group"] == "greek/ours") & (summary["variant"] == "cb_equal_length")
    summary.loc[lacking, ["estimate", "ci_low", "ci_high"]] = np.nan
    summary = summary[(summary["group"] != "english/ours") | (summary["model"] != "both")]
    table = categorical_bias_scores.table(summary, LANGUAGES, MODELS)
    assert table["estimate"].isna().sum() == 6 + 2
    nothing = "covariance across forms no value; CB no value; CB, targets of equal length no value"
    assert f"english, both: {nothing}; CB, released no value." in categorical_bias_scores.describe(table)
    assert_lays_out(drawn(categorical_bias_scores, table))


# --- lengths ---


def test_lengths_have_each_target_with_its_contribution():
    table = lengths()
    assert len(table) == 3 * 2 * 4
    rows = table[(table["language"] == "english") & (table["model"] == "both") & (table["definition"] == "released")]
    assert rows["target"].tolist() == TARGETS
    assert rows["n_tokens"].tolist() == [1, 2, 3, 4]
    assert rows["contribution"].tolist() == pytest.approx([20, 40, 60, 80])
    assert rows["ci_low"].tolist() == pytest.approx([10, 20, 30, 40])
    assert rows[["length_share", "length_share_ci_low", "length_share_ci_high"]].iloc[0].tolist() == [0.3, 0.15, 0.6]


def test_lengths_are_drawn_by_both_definitions_with_the_share_explained():
    english, greek = categorical_bias_lengths.panels(lengths())
    assert english["layout"]["yaxis"]["type"] == "log"
    paper, released = greek["data"]
    assert paper["y"] == pytest.approx([0.3, 0.6, 0.9, 1.2])
    assert np.round(paper["x"]).tolist() == np.round(released["x"]).tolist() == [1, 2, 3, 4]
    assert greek["title"] == "greek, both: length explains 30% [15%, 60%] (paper); 30% [15%, 60%] (released)"
    assert "Spain" in [annotation["text"] for annotation in greek["layout"]["annotations"]]


def test_a_contribution_of_0_is_an_arrow_at_the_lower_end():
    found = categorical_bias_lengths.panels(lengths_with_zero())
    low = 10 ** found[1]["layout"]["yaxis"]["range"][0]
    for trace in found[1]["data"]:
        (place,) = (i for i, symbol in enumerate(trace["marker"]["symbol"]) if symbol == "arrow-down")
        assert trace["y"][place] == pytest.approx(low, rel=1e-5)
    assert_lays_out(printed(found, categorical_bias_lengths.EMPTY))


def test_what_is_pointed_at_shows_each_score_but_equal_lengths_as_released():
    table = scores()
    shown = table[(table["definition"] == "paper") | (table["variant"] == "cb")]
    panels = categorical_bias_scores.panels(table)
    assert_shows(panels, shown, "estimate", "x", ("ci_low", "ci_high"))
    (panel,) = panels
    assert [trace["name"] for trace in panel["data"]] == [
        *("covariance across forms", "CB", "CB, targets of equal length", "CB, released")
    ]
    assert panel["data"][1]["text"][0].startswith("english, strong (planted, strength 2)<br>CB<br>1 [0.5, 2]<br>n = 4")
    assert_stands_without_numbers(categorical_bias_scores.panels, table, ["estimate", "ci_low", "ci_high"])


def test_scores_of_causal_models_are_series_of_their_own():
    numbers = tidy()
    causal = numbers["model"] == "both"
    numbers = numbers[~causal | (numbers["definition"] == "paper")]
    numbers.loc[causal, "definition"] = "whole"
    table = categorical_bias_scores.table(numbers, LANGUAGES, MODELS)
    assert set(table.loc[table["model"] == "both", "definition"]) == {"whole"}
    (panel,) = categorical_bias_scores.panels(table)
    names = {trace["name"] for trace in panel["data"] if trace.get("name")}
    assert {"CB", "CB, released", "CB, causal"} <= names
    assert "CB, causal 2" in categorical_bias_scores.describe(table)
    lengths = categorical_bias_lengths.panels(categorical_bias_lengths.table(numbers, LANGUAGES, MODELS))
    assert "whole" in {trace["name"] for trace in lengths[1]["data"] if trace.get("name")}
