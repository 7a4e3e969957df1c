"""Figures of mixed effects: tables by hand on a toy of two sets of stimuli, drawings against tables."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from tests.drawing.marks import assert_lays_out, assert_shows, assert_stands_without_numbers
from tests.metrics.mixed_effects.figure_toys import (
    MODELS,
    STIMULI,
    TABLES,
    bins,
    effect_sizes,
    fits,
    levels,
    scores,
)

from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.metrics.mixed_effects.figures import bins as of_bins
from herbarium.metrics.mixed_effects.figures import effect_sizes as of_effect_sizes
from herbarium.metrics.mixed_effects.figures import levels as of_levels
from herbarium.metrics.mixed_effects.figures import scores as of_scores
from herbarium.metrics.mixed_effects.figures import shared

pytestmark = pytest.mark.slow  # draws figures

MODULES = {"bins": of_bins, "effect_sizes": of_effect_sizes, "levels": of_levels, "scores": of_scores}


def panels(figure):
    """All panels of a figure, those of its parts too, that have a title."""
    return [panel for panel in figure.axes if panel.get_title(loc="left")]


def markers(panel, size=None):
    """(x, y, whether filled) of every marker, from the top."""
    values = []
    for line in panel.lines:
        if line.get_marker() in style.MARKERS and size in (None, line.get_markersize()):
            is_filled = to_rgba(line.get_markerfacecolor()) == to_rgba(line.get_color())
            values += [(x, y, is_filled) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]
    return sorted(values, key=lambda point: point[1])


def drawn(module, table):
    """The printed figure: the module's own, or its panels."""
    return module.figure(table) if hasattr(module, "figure") else printed(module.panels(table), module.EMPTY)


# --- all of them ---


@pytest.mark.parametrize("name", MODULES)
def test_tables_have_stimuli_as_configured_and_planted_models_by_strength(name):
    table = TABLES[name]()
    assert table.columns.tolist() == MODULES[name].COLUMNS
    places = table[["data", "model", "planted"]].drop_duplicates().fillna(-1)
    assert places.to_numpy().tolist() == [["traits", "none", 0], ["traits", "strong", 2], ["nouns", "real", -1]]
    assert table.loc[table["data"] == "traits", "dimension"].unique().tolist() == ["order", "empathy"]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("stimuli_name", STIMULI)
def test_one_set_of_stimuli_lays_out_alone(name, stimuli_name):
    table = TABLES[name]()
    assert_lays_out(drawn(MODULES[name], table[table["data"] == stimuli_name]))


def test_only_the_main_questions_are_shown():
    main, of_r2 = scores(), effect_sizes()
    assert main["structure"].value_counts().to_dict() == dict.fromkeys(["crossed", "intercepts"], 2 * 2 * 3 + 1)
    assert len(of_r2) == 2 * 2 * 3 + 1
    assert main["estimate"].max() < 9
    assert of_r2["r2"].max() < 0.9


def test_more_models_than_colours_differ_in_their_markers():
    table = pd.DataFrame({"model": [f"m{i}" for i in range(16)], "planted": np.nan})
    assert len(set(style.looks(table["model"]).values())) == 16


# --- scores ---


def test_scores_stand_a_panel_a_contrast_and_a_row_a_dimension_and_model():
    table = scores()
    plots = of_scores.panels(table)
    assert [panel["title"] for panel in plots] == [
        *(f"traits, {contrast}" for contrast in ("male against female", "male against neo", "female against neo")),
        "nouns, male against female",
    ]
    assert plots[0]["layout"]["yaxis"]["ticktext"] == ["order", "empathy"]
    assert "95% intervals" in plots[0]["layout"]["xaxis"]["title"]["text"]
    assert_shows(plots, table, "estimate", "x", ("ci_low", "ci_high"))
    names = [text.get_text() for text in drawn(of_scores, table).legends[0].get_texts()]
    assert {"none (unbiased reference)", "strong (planted, strength 2)", "real"} < set(names)
    assert len(set(names)) == len(names)


def test_filled_markers_are_significant_after_adjustment():
    symbols = {trace["name"]: trace["marker"]["symbol"] for trace in of_scores.panels(scores())[0]["data"]}
    # 0.8 ± 0.9 has 0 in it
    assert symbols["strong (planted, strength 2)"] == ["square-open", "square"]
    assert symbols["strong (planted, strength 2), as in the paper"] == ["square", "square"]


def test_a_score_beyond_the_axis_is_an_arrow():
    table = scores()
    table.loc[table.index[0], ["estimate", "ci_low", "ci_high"]] = [1e6, -1e9, 1e9]
    panel = of_scores.panels(table)[0]
    assert any("name" not in trace for trace in panel["data"])
    assert_lays_out(drawn(of_scores, table))


def test_the_equivalence_band_is_the_logarithm_of_the_ratio():
    for panel in of_scores.panels(scores()):
        (band,) = (shape for shape in panel["layout"]["shapes"] if "equivalence" in shape.get("name", ""))
        assert [band["x0"], band["x1"]] == pytest.approx([-np.log(1.25), np.log(1.25)])


@pytest.mark.parametrize(("name", "column"), [("scores", "estimate"), ("effect_sizes", "r2")])
def test_failed_fits_are_seen(name, column):
    module, make = MODULES[name], TABLES[name]
    fit_table = fits()
    first = (
        (fit_table["dimension"] == "order") & (fit_table["contrast"] == "male-female") & (fit_table["model"] == "none")
    )
    numbers = ["estimate", "ci_low", "ci_high", "p_value", "p_adjusted", "r2", "r2_low", "r2_high"]
    fit_table.loc[first, numbers] = np.nan
    fit_table.loc[first | ((fit_table["dimension"] == "empathy") & (fit_table["model"] == "none")), "converged"] = False
    table = make(fit_table)
    panel = module.panels(table)[0]
    lost = table["estimate" if name == "scores" else "r2"].isna().sum()
    assert f"({lost} without" in panel["layout"]["yaxis"]["ticktext"][0].replace("<br>", " ")
    rings = [trace for trace in panel["data"] if trace["name"] == "did not converge"]
    assert (
        sum(len(fit_table["x"]) for fit_table in rings)
        == table[table["model"] == "none"].query("contrast == 'male-female'").shape[0] - lost
    )
    assert_lays_out(drawn(module, table))
    assert module.describe(table.assign(**{column: np.nan})) == shared.EMPTY


def test_scores_in_words():
    description = of_scores.describe(scores())
    assert (
        "traits, male against female, strong (planted, strength 2): from 0.8 (order) to 1.6 (empathy); 1 "
        "of 2 are significant." in description
    )
    assert (
        "traits, male against neo, none (unbiased reference): from 0.02 (order) to 0.04 (empathy); 0 of 2"
        in description
    )
    assert "nouns, male against female, real: −0.4 (all); 0 of 1" in description


# --- effect sizes ---


def test_effect_sizes_have_bands_symbols_and_the_decision():
    table = effect_sizes().drop_duplicates("model").set_index("model")
    assert table["band"].to_dict() == {"none": "very small", "strong": "very large", "real": "small"}
    assert table["symbol"].to_dict() == {"none": "", "strong": "*", "real": "▽"}
    assert table["is_biased"].to_dict() == {"none": False, "strong": True, "real": True}


def test_a_significant_score_with_a_very_small_effect_is_no_bias():
    fit_table = fits()
    fit_table.loc[fit_table["model"] == "none", ["p_value", "p_adjusted"]] = 0.001
    table = effect_sizes(fit_table)
    assert not table.loc[table["model"] == "none", "is_biased"].any()


def test_effect_sizes_stand_over_the_bounds_of_bands_up_to_the_band_they_reach():
    first, *_, nouns = of_effect_sizes.panels(effect_sizes())
    assert sorted(x for trace in first["data"] for x in trace["x"]) == pytest.approx([0.001, 0.001, 0.7, 0.7])
    assert [panel["layout"]["xaxis"]["range"] for panel in (first, nouns)] == [[0, 1], [0, 0.09]]
    bounds = [
        [shape["x0"] for shape in panel["layout"]["shapes"] if shape["line"]["width"]] for panel in (first, nouns)
    ]
    assert bounds == [[0.01, 0.09, 0.25, 0.64], [0.01]]


def test_effect_sizes_in_words():
    description = of_effect_sizes.describe(effect_sizes())
    assert (
        "traits, male against female, strong (planted, strength 2): R² from 0.7 to 0.7 (2 very large); "
        "biased by the paper's "
        "decision in 2 of 2." in description
    )
    assert (
        "none (unbiased reference): R² from 0.001 to 0.001 (2 very small); biased by the paper's decision in 0 of 2."
        in description
    )


# --- levels ---


def test_levels_are_ranked_with_their_intervals():
    table = of_levels.table(levels(), STIMULI, MODELS)
    rows = table[(table["model"] == "strong") & (table["dimension"] == "empathy")]
    assert rows["group"].tolist() == ["template"] * 2 + ["target"] * 3
    assert rows["level"].tolist() == ["t2", "t1", "warm", "null", "kind"]
    assert rows["rank"].tolist() == [1, 2, 1, 2, 3]
    assert rows["low"].iloc[2] == pytest.approx(-0.2 - 1.96 * 0.05)


def test_levels_stand_in_order_with_the_extremes_named():
    found = of_levels.panels(of_levels.table(levels(), STIMULI, MODELS))
    models = ["none (unbiased reference)", "strong (planted, strength 2)", "real"]
    titles = [f"{model}: {group}" for model in models for group in ("templates", "targets")]
    assert [panel["title"] for panel in found] == titles
    assert [panel["heading"] for panel in found] == ["traits"] * 4 + ["nouns"] * 2
    targets = found[3]
    (trace,) = targets["data"]
    assert trace["y"] == [-0.2, 0.01, 0.3] * 2  # of order, then of empathy
    assert trace["x"] == sorted(trace["x"])
    named = [annotation["text"] for annotation in targets["layout"]["annotations"]]
    assert set(named) == {"kind", "warm"}
    assert targets["layout"]["xaxis"]["ticktext"] == ["order (3)", "empathy (3)"]


def test_levels_without_variance_have_no_extremes():
    table = of_levels.table(levels(flat=True).assign(std_error=0.0), STIMULI, MODELS)
    assert not any("annotations" in panel["layout"] for panel in of_levels.panels(table))
    assert "strong (planted, strength 2): templates all at 0; targets all at 0." in of_levels.describe(table)
    assert_lays_out(drawn(of_levels, table))


def test_of_many_models_the_first_are_drawn_and_the_heading_says_so():
    many = [{"name": f"m{i:02}", "planted": None} for i in range(10)]
    own = levels()[lambda of: of["model"] == "real"]
    table = of_levels.table(pd.concat([own.assign(model=of["name"]) for of in many]), STIMULI, many)
    assert table["model"].nunique() == 10
    found = of_levels.panels(table)
    assert len(found) == 2 * of_levels.MOST
    assert {panel["heading"] for panel in found} == {"nouns (8 of 10 models; the CSV has all)"}


def test_levels_in_words():
    description = of_levels.describe(of_levels.table(levels(), STIMULI, MODELS))
    assert (
        "nouns, real: templates from −0.2 (t2, all) to +0.3 (t1, all), 2 of 2 differ from 0; targets from −0.2 (warm, "
        "all) to +0.3 (kind, all), 2 of 3 differ from 0." in description
    )


# --- bins ---


def test_bins_stand_at_their_ends_and_single_ones_in_their_middle():
    above, below = of_bins.panels(of_bins.table(bins(), STIMULI, MODELS))[-2:]
    assert (above["title"], below["title"]) == ("all: bias score", "all: R²")
    points = {
        trace["name"]: list(zip(trace["x"], trace["y"], trace["marker"]["symbol"], strict=True))
        for trace in above["data"]
    }
    up_to, single = (points[name] for name in of_bins.LOOKS)
    # the third bin has no sentence: all stand behind the second
    assert up_to == [(5, -0.4, "circle"), (10, -0.4, "circle"), (17.5, -0.4, "circle")]
    assert single == [(2.5, -0.2, "square"), (7.5, -0.2, "square-open")]
    assert below["layout"]["xaxis"]["ticktext"] == ["0", "5", "all"]
    bars = [shape for shape in above["layout"]["shapes"] if shape.get("name") == of_bins.SHARE]
    assert [(bar["x0"], bar["x1"], bar["y1"]) for bar in bars] == [(0, 5, 0.75), (5, 10, 0.25)]
    (axes, *_) = drawn(of_bins, of_bins.table(bins(), STIMULI, MODELS)).axes[-2:]
    heights = [of.get_height() for of in axes.artists if hasattr(of, "get_height")]
    assert [*heights, *(of.get_height() for of in axes.patches)] == [0.75, 0.25]


def test_bins_show_errors_of_the_score_and_the_effect_size_on_square_roots():
    above, below = of_bins.panels(of_bins.table(bins(), STIMULI, MODELS))[-2:]
    assert above["data"][0]["error_y"]["array"] == pytest.approx([1.96 * 0.05] * 3, rel=1e-4)
    assert all("error_y" not in trace for trace in below["data"])
    assert below["layout"]["yaxis"]["ticktext"] == ["0", "0.01"]
    assert below["layout"]["yaxis"]["tickvals"] == [0, 0.1]
    assert below["data"][0]["y"] == pytest.approx([np.sqrt(0.02)] * 3, rel=1e-5)


@pytest.mark.parametrize("n", [1, 5, 9])
def test_many_dimensions_stay_four_abreast(n):
    table = of_bins.table(bins(n), STIMULI, MODELS)
    figure = drawn(of_bins, table[table["data"] == "nouns"])
    assert len(figure.axes) == 2 * n
    assert_lays_out(figure)
    assert len({round(panel.get_position().x0, 1) for panel in panels(figure)}) == min(2 * n, 4)


def test_a_model_that_finds_every_sentence_perplexing_shows_them_all_together():
    """All sentences lie beyond the last bin."""
    far = bins()
    of_bin = np.isfinite(far["high"])
    far.loc[of_bin, ["n", "share"]] = 0
    far.loc[of_bin, ["estimate", "p_value", "r2"]] = None
    table = of_bins.table(far, STIMULI, MODELS)
    assert_lays_out(drawn(of_bins, table))
    assert all(sum(len(trace["x"]) for trace in panel["data"]) == 1 for panel in of_bins.panels(table))


def test_of_many_models_the_most_biased_are_drawn_and_the_heading_says_so():
    many = [{"name": f"m{i}", "planted": None} for i in range(6)]
    own = bins()[lambda of: of["model"] == "real"]
    parts = [own.assign(model=of["name"], estimate=own["estimate"] * i) for i, of in enumerate(many)]
    table = of_bins.table(pd.concat(parts), STIMULI, many)
    assert table["model"].nunique() == 6
    assert of_bins.drawn(table) == ["m2", "m3", "m4", "m5"]
    assert of_bins.panels(table)[0]["heading"] == "nouns, m2 (one of the 4 most biased of 6 models; the CSV has all)"


def test_a_score_that_the_bins_lack_is_null_and_said():
    lacking = bins()
    lacking.loc[(lacking["model"] == "strong") & (lacking["high"] == 5), "estimate"] = None
    table = of_bins.table(lacking, STIMULI, MODELS)
    description = of_bins.describe(table)
    assert "nouns, real: all −0.4 below 5 (75% of sentences), −0.4 for all." in description
    assert "strong (planted, strength 2): order no value below 5 (75% of sentences), 0.8 for all" in description
    assert_lays_out(drawn(of_bins, table))


def test_an_absurd_error_of_one_bin_does_not_stretch_the_axis():
    table = of_bins.table(bins(), STIMULI, MODELS)
    table = table[table["model"] == "strong"].reset_index(drop=True)
    lone = table.index[~table["cumulative"] & table["estimate"].notna()][0]
    figure = drawn(of_bins, table.assign(std_error=table["std_error"].where(table.index != lone, 20_000.0)))
    above = panels(figure)[0]
    assert -2 < above.get_ylim()[0] < above.get_ylim()[1] < 3
    assert {"v", "^"} <= {line.get_marker() for line in above.lines}
    assert_lays_out(figure)


# --- interactive ---


@pytest.mark.parametrize(
    ("name", "columns"),
    [("scores", ["estimate", "ci_low", "ci_high"]), ("effect_sizes", ["r2", "r2_low", "r2_high"])],
)
def test_each_row_is_a_mark_in_the_panel_of_its_stimuli_and_contrast(name, columns):
    module, table = MODULES[name], TABLES[name]()
    result = module.panels(table)
    assert [panel["title"] for panel in result] == [
        *("traits, male against female", "traits, male against neo", "traits, female against neo"),
        "nouns, male against female",
    ]
    assert_shows(result, table, columns[0], "x", columns[1:])
    assert_stands_without_numbers(module.panels, table, columns)


def test_the_papers_model_is_a_series_of_its_own_over_the_band_of_equivalence():
    panel = of_scores.panels(scores())[0]
    assert [trace["name"] for trace in panel["data"]] == [
        *("none (unbiased reference)", "none (unbiased reference), as in the paper", "strong (planted, strength 2)"),
        "strong (planted, strength 2), as in the paper",
    ]
    *_, band = panel["layout"]["shapes"]  # after those of the control
    assert [band["x0"], band["x1"]] == pytest.approx([-np.log(1.25), np.log(1.25)])


@pytest.mark.parametrize("name", ["scores", "effect_sizes"])
def test_a_colour_is_one_model_in_all_panels(name):
    """Also where a set of stimuli lacks some models."""
    colours = {}
    for panel in MODULES[name].panels(TABLES[name]()):
        for trace in panel["data"]:
            colours.setdefault(trace["name"].removesuffix(", as in the paper"), set()).add(trace["marker"]["color"])
    assert len(colours) == 3
    assert all(len(colour) == 1 for colour in colours.values())
    assert len(set.union(*colours.values())) == 3
