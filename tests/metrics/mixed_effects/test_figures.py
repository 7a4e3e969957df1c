"""Figures of mixed effects: tables by hand on a toy of two sets of stimuli, drawings against tables."""

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out, assert_shows, assert_stands_without_numbers
from tests.metrics.mixed_effects.figure_toys import MODELS, STIMULI, TABLES, bins, effect_sizes, fits, levels, scores

from herbarium.drawing.printed import printed
from herbarium.metrics.mixed_effects.figures import bins as of_bins
from herbarium.metrics.mixed_effects.figures import effect_sizes as of_effect_sizes
from herbarium.metrics.mixed_effects.figures import levels as of_levels
from herbarium.metrics.mixed_effects.figures import scores as of_scores
from herbarium.metrics.mixed_effects.figures import shared

pytestmark = pytest.mark.slow  # draws figures

MODULES = {"bins": of_bins, "effect_sizes": of_effect_sizes, "levels": of_levels, "scores": of_scores}
NONE, STRONG = "none (unbiased reference)", "strong (planted, strength 2)"
MANY = [{"name": f"m{i:02}", "planted": None} for i in range(10)]


def drawn(module, table):
    """The printed figure: the module's own, or its panels."""
    return module.figure(table) if hasattr(module, "figure") else printed(module.panels(table), module.EMPTY)


def titled(figure):
    """All panels of a figure, those of its parts too, that have a title."""
    return [panel for panel in figure.axes if panel.get_title(loc="left")]


def bins_table(rows=None, models=MODELS):
    return of_bins.table(bins() if rows is None else rows, STIMULI, models)


@pytest.mark.parametrize("name", MODULES)
def test_tables_have_stimuli_as_configured_and_planted_models_by_strength(name, snapshot):
    module, table = MODULES[name], TABLES[name]()
    assert table.columns.tolist() == module.COLUMNS
    places = table[["data", "model", "planted"]].drop_duplicates().fillna(-1)
    assert places.to_numpy().tolist() == [["traits", "none", 0], ["traits", "strong", 2], ["nouns", "real", -1]]
    assert table.loc[table["data"] == "traits", "dimension"].unique().tolist() == ["order", "empathy"]
    for stimuli_name in STIMULI:
        assert_lays_out(drawn(module, table[table["data"] == stimuli_name]))
    assert module.describe(table).replace("; ", ";\n").replace(". ", ".\n") == snapshot


def test_only_the_main_questions_are_shown():
    main, of_r2 = scores(), effect_sizes()
    assert main["structure"].value_counts().to_dict() == dict.fromkeys(["crossed", "intercepts"], 2 * 2 * 3 + 1)
    assert len(of_r2) == 2 * 2 * 3 + 1
    assert main["estimate"].max() < 9
    assert of_r2["r2"].max() < 0.9


@pytest.mark.parametrize(
    ("name", "columns"),
    [("scores", ["estimate", "ci_low", "ci_high"]), ("effect_sizes", ["r2", "r2_low", "r2_high"])],
)
def test_each_row_is_a_mark_in_the_panel_of_its_stimuli_and_contrast(name, columns):
    module, table = MODULES[name], TABLES[name]()
    panels = module.panels(table)
    contrasts = ("male against female", "male against neo", "female against neo")
    assert [panel["title"] for panel in panels] == [
        *(f"traits, {side}" for side in contrasts),
        f"nouns, {contrasts[0]}",
    ]
    assert panels[0]["layout"]["yaxis"]["ticktext"] == ["order", "empathy"]
    assert_shows(panels, table, columns[0], "x", columns[1:])
    assert_stands_without_numbers(module.panels, table, columns)
    colours = {}  # one of a model in all panels, also where a set of stimuli lacks some models
    for trace in (trace for panel in panels for trace in panel["data"]):
        colours.setdefault(trace["name"].removesuffix(", as in the paper"), set()).add(trace["marker"]["color"])
    assert set(colours) == {NONE, STRONG, "real"}
    assert len(set.union(*colours.values())) == sum(map(len, colours.values())) == 3


@pytest.mark.parametrize(("name", "column"), [("scores", "estimate"), ("effect_sizes", "r2")])
def test_failed_fits_are_seen(name, column):
    module, rows = MODULES[name], fits()
    of_none, is_main = rows["model"] == "none", rows["contrast"] == "male-female"
    first = of_none & is_main & (rows["dimension"] == "order")
    numbers = ["estimate", "ci_low", "ci_high", "p_value", "p_adjusted", "r2", "r2_low", "r2_high"]
    rows.loc[first, numbers] = np.nan
    rows.loc[first | (of_none & (rows["dimension"] == "empathy")), "converged"] = False
    table = TABLES[name](rows)
    panel, lost = module.panels(table)[0], table[column].isna().sum()
    assert f"({lost} without" in panel["layout"]["yaxis"]["ticktext"][0].replace("<br>", " ")
    rings = [len(trace["x"]) for trace in panel["data"] if trace["name"] == "did not converge"]
    assert sum(rings) == len(table.query("model == 'none' and contrast == 'male-female'")) - lost
    assert_lays_out(drawn(module, table))
    assert module.describe(table.assign(**{column: np.nan})) == shared.EMPTY


def test_filled_markers_are_significant_after_adjustment():
    symbols = {trace["name"]: trace["marker"]["symbol"] for trace in of_scores.panels(scores())[0]["data"]}
    assert list(symbols) == [NONE, f"{NONE}, as in the paper", STRONG, f"{STRONG}, as in the paper"]
    assert symbols[STRONG] == ["square-open", "square"]  # 0.8 ± 0.9 has 0 in it
    assert symbols[f"{STRONG}, as in the paper"] == ["square", "square"]


def test_a_score_beyond_the_axis_is_an_arrow():
    table = scores()
    table.loc[table.index[0], ["estimate", "ci_low", "ci_high"]] = [1e6, -1e9, 1e9]
    assert any("name" not in trace for trace in of_scores.panels(table)[0]["data"])
    assert_lays_out(drawn(of_scores, table))


def test_the_equivalence_band_is_the_logarithm_of_the_ratio():
    for panel in of_scores.panels(scores()):
        (band,) = (shape for shape in panel["layout"]["shapes"] if "equivalence" in shape.get("name", ""))
        assert [band["x0"], band["x1"]] == pytest.approx([-np.log(1.25), np.log(1.25)])


def test_effect_sizes_have_bands_symbols_and_the_decision():
    table = effect_sizes().drop_duplicates("model").set_index("model")
    assert table["band"].to_dict() == {"none": "very small", "strong": "very large", "real": "small"}
    assert table["symbol"].to_dict() == {"none": "", "strong": "*", "real": "▽"}
    assert table["is_biased"].to_dict() == {"none": False, "strong": True, "real": True}
    significant = fits()
    significant.loc[significant["model"] == "none", ["p_value", "p_adjusted"]] = 0.001
    assert not effect_sizes(significant).query("model == 'none'")["is_biased"].any()  # the effect is very small


def test_effect_sizes_stand_over_the_bounds_of_bands_up_to_the_band_they_reach():
    first, *_, nouns = of_effect_sizes.panels(effect_sizes())
    assert sorted(x for trace in first["data"] for x in trace["x"]) == pytest.approx([0.001, 0.001, 0.7, 0.7])
    assert [panel["layout"]["xaxis"]["range"] for panel in (first, nouns)] == [[0, 1], [0, 0.09]]
    shapes = [[shape["x0"] for shape in p["layout"]["shapes"] if shape["line"]["width"]] for p in (first, nouns)]
    assert shapes == [[0.01, 0.09, 0.25, 0.64], [0.01]]


def test_levels_stand_in_order_with_their_intervals_and_the_extremes_named():
    table = of_levels.table(levels(), STIMULI, MODELS)
    rows = table[(table["model"] == "strong") & (table["dimension"] == "empathy")]
    assert rows["group"].tolist() == ["template"] * 2 + ["target"] * 3
    assert rows["level"].tolist() == ["t2", "t1", "warm", "null", "kind"]
    assert rows["rank"].tolist() == [1, 2, 1, 2, 3]
    assert rows["low"].iloc[2] == pytest.approx(-0.2 - 1.96 * 0.05)
    panels = of_levels.panels(table)
    titles = [f"{model}: {group}" for model in (NONE, STRONG, "real") for group in ("templates", "targets")]
    assert [panel["title"] for panel in panels] == titles
    assert [panel["heading"] for panel in panels] == ["traits"] * 4 + ["nouns"] * 2
    (trace,), layout = panels[3]["data"], panels[3]["layout"]
    assert trace["y"] == [-0.2, 0.01, 0.3] * 2  # of order, then of empathy
    assert trace["x"] == sorted(trace["x"])
    assert {annotation["text"] for annotation in layout["annotations"]} == {"kind", "warm"}
    assert layout["xaxis"]["ticktext"] == ["order (3)", "empathy (3)"]


def test_levels_without_variance_have_no_extremes():
    table = of_levels.table(levels(flat=True).assign(std_error=0.0), STIMULI, MODELS)
    assert not any("annotations" in panel["layout"] for panel in of_levels.panels(table))
    assert f"{STRONG}: templates all at 0; targets all at 0." in of_levels.describe(table)
    assert_lays_out(drawn(of_levels, table))


def test_of_many_models_the_first_levels_are_drawn_and_the_heading_says_so():
    rows = levels().query("model == 'real'")
    table = of_levels.table(pd.concat([rows.assign(model=model["name"]) for model in MANY]), STIMULI, MANY)
    assert table["model"].nunique() == 10
    panels = of_levels.panels(table)
    assert len(panels) == 2 * of_levels.MOST
    assert {panel["heading"] for panel in panels} == {"nouns (8 of 10 models; the CSV has all)"}


def test_bins_stand_at_their_ends_and_single_ones_in_their_middle():
    above, below = of_bins.panels(bins_table())[-2:]
    assert (above["title"], below["title"]) == ("all: bias score", "all: R²")
    points = {t["name"]: list(zip(t["x"], t["y"], t["marker"]["symbol"], strict=True)) for t in above["data"]}
    up_to, single = (points[name] for name in of_bins.LOOKS)
    # the third bin has no sentence: all stand behind the second
    assert up_to == [(5, -0.4, "circle"), (10, -0.4, "circle"), (17.5, -0.4, "circle")]
    assert single == [(2.5, -0.2, "square"), (7.5, -0.2, "square-open")]
    assert below["layout"]["xaxis"]["ticktext"] == ["0", "5", "all"]
    bars = [shape for shape in above["layout"]["shapes"] if shape.get("name") == of_bins.SHARE]
    assert [(bar["x0"], bar["x1"], bar["y1"]) for bar in bars] == [(0, 5, 0.75), (5, 10, 0.25)]
    (axes, *_) = drawn(of_bins, bins_table()).axes[-2:]
    shapes = [*(shape for shape in axes.artists if hasattr(shape, "get_height")), *axes.patches]
    assert [shape.get_height() for shape in shapes] == [0.75, 0.25]
    # errors of the score, and effect sizes on square roots
    assert above["data"][0]["error_y"]["array"] == pytest.approx([1.96 * 0.05] * 3, rel=1e-4)
    assert all("error_y" not in trace for trace in below["data"])
    assert below["layout"]["yaxis"]["ticktext"] == ["0", "0.01"]
    assert below["layout"]["yaxis"]["tickvals"] == [0, 0.1]
    assert below["data"][0]["y"] == pytest.approx([np.sqrt(0.02)] * 3, rel=1e-5)


@pytest.mark.parametrize("n", [1, 5, 9])
def test_many_dimensions_stay_four_abreast(n):
    table = bins_table(bins(n))
    figure = drawn(of_bins, table[table["data"] == "nouns"])
    assert len(figure.axes) == 2 * n
    assert_lays_out(figure)
    assert len({round(panel.get_position().x0, 1) for panel in titled(figure)}) == min(2 * n, 4)


def test_a_model_that_finds_every_sentence_perplexing_shows_them_all_together():
    """All sentences lie beyond the last bin."""
    far = bins()
    of_bin = np.isfinite(far["high"])
    far.loc[of_bin, ["n", "share"]] = 0
    far.loc[of_bin, ["estimate", "p_value", "r2"]] = None
    table = bins_table(far)
    assert_lays_out(drawn(of_bins, table))
    assert all(sum(len(trace["x"]) for trace in panel["data"]) == 1 for panel in of_bins.panels(table))


def test_of_many_models_the_most_biased_bins_are_drawn_and_the_heading_says_so():
    rows, six = bins().query("model == 'real'"), MANY[:6]
    parts = [rows.assign(model=model["name"], estimate=rows["estimate"] * i) for i, model in enumerate(six)]
    table = bins_table(pd.concat(parts), six)
    assert table["model"].nunique() == 6
    assert of_bins.drawn(table) == ["m02", "m03", "m04", "m05"]
    assert of_bins.panels(table)[0]["heading"] == "nouns, m02 (one of the 4 most biased of 6 models; the CSV has all)"


def test_a_score_that_the_bins_lack_is_null_and_said():
    lacking = bins()
    lacking.loc[(lacking["model"] == "strong") & (lacking["high"] == 5), "estimate"] = None
    table = bins_table(lacking)
    assert f"{STRONG}: order no value below 5 (75% of sentences), 0.8 for all" in of_bins.describe(table)
    assert_lays_out(drawn(of_bins, table))


def test_an_absurd_error_of_one_bin_does_not_stretch_the_axis():
    table = bins_table().query("model == 'strong'").reset_index(drop=True)
    lone = table.index[~table["cumulative"] & table["estimate"].notna()][0]
    figure = drawn(of_bins, table.assign(std_error=table["std_error"].where(table.index != lone, 20_000.0)))
    above = titled(figure)[0]
    assert -2 < above.get_ylim()[0] < above.get_ylim()[1] < 3
    assert {"v", "^"} <= {line.get_marker() for line in above.lines}
    assert_lays_out(figure)
