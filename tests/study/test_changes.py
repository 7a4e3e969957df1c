"""Before and after: what is combined over trainings, adjusted and flagged; the figure; the room of the page."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit
from tests.reports import pictures_of
from tests.study.figure_toys import PAIRS, changed, combined

from herbarium.drawing.printed import printed
from herbarium.page.changes import changes as room
from herbarium.page.changes import flagged
from herbarium.statistics.changes import COST, as_changes, by_mean, change
from herbarium.statistics.inference import Mean, t_interval, t_p_value
from herbarium.study import changes as of_study


@pytest.fixture(scope="module")
def table():
    return combined()


def test_trainings_become_one_row_by_hand(table):
    assert len(table) == 5
    rows = table.iloc[0]
    assert (rows["trainings"], rows["estimate"]) == (3, pytest.approx(-0.5))
    between = np.var([-0.5, -0.7, -0.3], ddof=1) / 3
    assert rows["std_error"] == pytest.approx(np.sqrt(0.02 + between))
    half = np.sqrt(stdtrit(9, 0.975) ** 2 * 0.02 + stdtrit(2, 0.975) ** 2 * between)
    assert (rows["ci_low"], rows["ci_high"]) == pytest.approx((-0.5 - half, -0.5 + half))
    assert (rows["value_before"], rows["value_after"]) == (pytest.approx(1.0), pytest.approx(0.5))
    assert pd.isna(rows["note"])
    assert rows["ci_low"] < -0.5 < rows["ci_high"]
    narrower = np.sqrt(stdtrit(9, 0.95) ** 2 * 0.02 + stdtrit(2, 0.95) ** 2 * between)
    assert rows["equivalence_bound"] == pytest.approx(0.5 + narrower)


def test_what_draws_nothing_is_no_training():
    one = changed("placebo", Mean(0.05, 0.04, 9), worst=0.1)
    (note,) = of_study.combined(as_changes([one]), PAIRS, set())["note"]
    assert pd.isna(note)


def test_of_one_training_it_is_students_test_and_the_row_says_so(table):
    rows = table.iloc[1]
    assert rows["note"] == "one training: how much another would differ is unknown"
    mean = Mean(0.05, 0.04, 9)
    assert rows["p_value"] == pytest.approx(t_p_value(mean))
    assert (rows["ci_low"], rows["ci_high"]) == pytest.approx(t_interval(mean, 0.95))


def test_two_trainings_add_their_spread_by_hand():
    change = of_study.over_trainings(np.array([1.0, 2.0]), np.full(2, 0.05), np.full(2, 20.0))
    assert change.std_error == pytest.approx(np.sqrt(0.05 + 0.5 / 2))


def test_the_p_value_is_the_level_whose_interval_ends_at_zero():
    change = of_study.over_trainings(np.array([1.0, 1.4, 0.7]), np.full(3, 0.05), np.full(3, 20.0))
    assert change.half_width(1 - change.p_value()) == pytest.approx(change.estimate)
    far = of_study.over_trainings(np.array([1e9]), np.ones(1), np.array([np.inf]))
    assert far.p_value() == 1e-12
    assert far._replace(estimate=0.0).p_value() == 1.0


def test_bias_and_cost_are_two_families(table):
    of_bias, of_cost = (table[table["kind"] == kind] for kind in ("bias", "cost"))
    least = of_bias["p_value"].idxmin()
    assert of_bias.loc[least, "p_adjusted"] == pytest.approx(2 * of_bias.loc[least, "p_value"])
    assert of_cost["p_adjusted"].min() == pytest.approx(2 * of_cost["p_value"].min())


def test_a_model_that_has_lost_too_much_is_flagged(table):
    assert table["flagged"].sum() == 1
    (change,) = flagged(table)
    assert (change["first"], change["second"], change["estimate"], change["worst"]) == ("base", "x", "0.3", "0.1")


def test_only_what_a_model_was_made_from_can_be_forgotten():
    worse = changed("x", Mean(0.3, 1e-4, 20), measure="log perplexity", null=None, kind=COST, worst=0.1)
    assert of_study.combined(as_changes([worse]), PAIRS, PAIRS)["flagged"].tolist() == [True]
    assert of_study.combined(as_changes([worse]), {("other", "x")}, PAIRS)["flagged"].tolist() == [False]


def test_what_was_not_measured_says_so(table):
    gone = table[table["second"] == "<b>gone</b>"].iloc[0]
    assert gone["note"].startswith("one of the models was not measured")
    assert gone[["estimate", "p_value", "ci_low"]].isna().all()


def test_the_figure_has_a_panel_a_measure_and_an_arrow_a_comparison(table):
    figure = printed(of_study.panels(table), of_study.EMPTY)
    assert [axes.get_title("left") for axes in figure.axes] == ["D²", "log perplexity"]
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert labels == ["base → x (flagged)", "base → placebo"]
    arrows = [text for text in figure.axes[0].texts if text.arrow_patch is not None]
    assert len(arrows) == 2  # of the third nothing is known
    assert "D², base to x: 1 to 0.5." in of_study.describe(table)
    panels = of_study.panels(table)
    assert [len(panel["layout"]["annotations"]) for panel in panels] == [2, 2]
    assert "&lt;b&gt;gone" in str(panels)


def test_without_a_comparison_the_figure_says_so():
    empty = of_study.combined(as_changes([]), set(), set())
    assert of_study.describe(empty) == of_study.EMPTY
    assert of_study.panels(empty) == []


def test_the_room_of_the_page_warns_of_what_was_forgotten(table, tmp_path):
    picture = pictures_of({"changes": table}, tmp_path)["changes"]
    html = " ".join(room(picture).html.split())
    assert "<strong>x has forgotten.</strong> log perplexity rose by 0.3 (limit: 0.1) against base" in html
    assert "<b>gone" not in html
    assert html.count("<table") == 3  # one for each pair of models
    assert 'id="compare-base-x"' in html


def compared_twice(before, after, error, df=9, null=0.0, upper=1.0):
    """The row of one comparison: two values whose errors are alike, and a difference with a much smaller one.

    upper: the length of the upper half of their intervals, in lengths of the lower half.
    """
    sides = [by_mean(Mean(value, error**2, df), 0.95) for value in (before, after)]
    sides = [side | {"ci_high": side["estimate"] + upper * (side["estimate"] - side["ci_low"])} for side in sides]
    difference = Mean(after - before, (0.05 * error) ** 2, df)
    given = [change(("a", "b", "a", "b"), "toy", "D²", *sides, difference, null=null)]
    rows = as_changes(given).astype({"worst": float})
    return of_study.combined(rows, [], []).iloc[0]


def test_which_model_is_further_from_no_bias_needs_the_side_and_the_difference():
    far = compared_twice(-0.5, -0.8, 0.02)
    assert (far["further"], compared_twice(0.8, 0.5, 0.02)["further"]) == ("b", "a")
    assert compared_twice(49.5, 49.2, 0.02, null=50.0)["further"] == "b"
    # the difference alone says nothing if the two may lie on either side of the null value
    opposite = compared_twice(-0.3, 0.31, 0.02)
    assert opposite["p_adjusted"] < 1e-6
    assert opposite["further"] == of_study.UNDECIDED
    near_null = compared_twice(0.01, 0.02, 0.02)
    assert near_null["p_adjusted"] < 0.01
    assert near_null["further"] == of_study.UNDECIDED


def test_the_p_of_the_further_model_is_that_of_the_sum_by_hand():
    for upper in (1.0, 2.0):  # the end on the side of the null value counts
        row = compared_twice(0.3, 0.5, 0.2, upper=upper)
        assert row["p_further"] == pytest.approx(t_p_value(Mean(0.8, 0.4**2, 9)))  # at most: the sum of both errors


def test_without_a_value_without_bias_no_model_is_further_from_it(table):
    assert table.loc[table["kind"] == COST, "further"].isna().all()
