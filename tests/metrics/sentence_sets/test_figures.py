"""The forest plot of contrasts and the differences of accuracies: what they show, against their tables."""

import numpy as np
import pytest
from tests.metrics.sentence_sets import figure_toys, toy

from herbarium.drawing.printed import printed
from herbarium.metrics.sentence_sets.figures import difference, forest


@pytest.fixture(scope="module")
def table():
    return figure_toys.contrasts()


def test_a_panel_a_set_and_a_line_a_group_or_candidate_around_its_null_value(table):
    assert len(table) == 2 * 3 * (1 + 1 + 3)
    panels = forest.panels(table)
    assert [panel["title"] for panel in panels] == list(toy.ENTRIES)
    assert [panel["layout"]["shapes"][0]["x0"] for panel in panels] == [0, 50, 0]
    assert all("type" not in panel["layout"]["xaxis"] for panel in panels)
    labels = [panel["layout"]["yaxis"]["ticktext"] for panel in panels]
    assert labels[0] == ["all", "a", "b"]
    assert labels[2][:3] == ["he, all", "he, a", "he, b"]
    of_accuracies = forest.panels(figure_toys.accuracies())[0]["layout"]["shapes"]
    assert [shape["x0"] for shape in of_accuracies if "name" not in shape] == [50, 0]


def test_a_dot_is_filled_where_its_adjusted_p_is_small(table):
    panel = printed(forest.panels(table), forest.EMPTY).axes[0]
    lines = [line for line in panel.lines if line.get_marker() not in ("None", "")]
    dots = sorted((y, x, line.get_markerfacecolor() != "white") for line in lines for x, y in line.get_xydata())
    rows = table[table["stimuli"] == "pronouns"]
    assert [x for _, x, _ in dots] == pytest.approx(rows["estimate"].tolist(), rel=1e-5)
    assert [is_filled for *_, is_filled in dots] == (rows["p_adjusted"] < 0.05).tolist()
    assert len({y for y, *_ in dots}) == 6


def test_what_has_no_value_says_so(table):
    lost = table.assign(**{name: table[name].where(table["group"] != "a", np.nan) for name in ("estimate", "ci_low")})
    labels = [label for panel in forest.panels(lost) for label in panel["layout"]["yaxis"]["ticktext"]]
    without = [f"{name} (no value)" for name in ("a", "a", "he, a", "she, a", "they, a")]
    assert [label for label in labels if "no value" in label] == without
    assert "no value" not in forest.describe(lost)


@pytest.fixture(scope="module")
def differences():
    return figure_toys.differences()


def test_a_difference_has_the_bins_of_what_it_could_have_been(differences):
    assert differences["stimuli"].unique().tolist() == ["questions"]
    for _, bins in differences.groupby("model"):
        assert bins["share"].sum() == pytest.approx(1)
        assert (bins["share"] * (bins["low"] + bins["high"]) / 2).sum() == pytest.approx(0, abs=1)
        farther = bins[bins["low"].abs().clip(upper=bins["high"].abs()) > abs(bins["estimate"].iloc[0])]
        assert farther["share"].sum() <= bins["p_value"].iloc[0] + 0.01


def test_a_difference_is_a_dot_on_its_hill(differences):
    (panel,) = difference.panels(differences)
    dots = [(x, y) for trace in panel["data"] if "text" in trace for x, y in zip(trace["x"], trace["y"], strict=True)]
    assert [x for x, _ in dots] == pytest.approx(differences["estimate"].unique().tolist())
    assert [y for _, y in dots] == [0, 1]
    hills = [trace for trace in panel["data"] if trace.get("name") == difference.NULL]
    for place, hill in enumerate(hills):
        assert [min(hill["y"]), max(hill["y"])] == pytest.approx([place - 0.4, place + 0.4])
        assert min(hill["x"]) == -max(hill["x"])
    said = difference.describe(differences)
    assert all(f"{estimate:.3g}, p" in said for estimate in differences["estimate"].unique())
