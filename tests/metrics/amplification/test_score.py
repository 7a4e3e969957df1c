"""Amplification by hand, against a slow transcription, and without amplification on many studies."""

import numpy as np
import pytest
from studies.validity import amplification as simulated
from tests.refusals import refused

from herbarium.metrics.amplification import score


def decisions(values, group, text):
    pairs = np.column_stack([np.arange(len(group)), group])
    return score.Decisions(np.atleast_2d(np.array(values, float)), pairs, np.array(text))


def test_the_published_number_by_hand():
    training, predicted = np.array([0.66, 0.3, 0.5]), np.array([0.84, 0.35, 0.9])
    # cooking of the thesis: .84 − .66; then .3 − .35, as it leans the other way; a tie adds nothing
    assert score.mean_amplification(training, predicted) == pytest.approx((0.18 - 0.05 + 0) / 3)


def test_signs_come_from_the_other_sets():
    training = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
    assert score.signs(training).tolist() == [[-1, 1], [1, -1], [1, -1]]


def test_amplification_against_a_slow_transcription():
    random = np.random.default_rng(0)
    sets, groups, texts = 3, 4, 10
    group, text = np.divmod(np.arange(groups * texts), texts)
    values = random.integers(0, 2, (sets, groups * texts)).astype(float)
    training = random.uniform(0.1, 0.9, (sets, groups))
    total = 0.0
    for k in range(sets):
        others = [training[j] - training[j].mean() for j in range(sets) if j != k]
        d = [values[k][group == g].mean() - training[k][g] for g in range(groups)]
        total += (
            sum(np.sign(sum(row[g] for row in others)) * (d[g] - np.mean(d)) for g in range(groups)) / groups / sets
        )
    result = score.amplification(decisions(values, group, text), training)
    assert result.estimate == pytest.approx(total, abs=1e-12)


def test_what_changes_all_groups_alike_is_no_amplification():
    training = np.tile([0.3, 0.5, 0.7], (2, 1))
    group, text = np.divmod(np.arange(30), 10)
    values = (text < np.array([5, 7, 9])[group]).astype(float)  # .2 more in every group
    result = score.amplification(decisions([values, values], group, text), training)
    assert result.estimate == pytest.approx(0, abs=1e-12)
    assert score.slope(decisions([values, values], group, text), training).estimate == pytest.approx(1)


def test_a_slope_by_hand_and_none_where_rates_hardly_differ():
    training = np.array([[0.4, 0.6], [0.4, 0.6]])
    group, text = np.divmod(np.arange(20), 10)
    values = (text < np.array([3, 7])[group]).astype(float)
    assert score.slope(decisions([values, values], group, text), training).estimate == pytest.approx(2)
    turned = np.array([[0.4, 0.6], [0.6, 0.4]])
    assert np.isnan(score.slope(decisions([values, values], group, text), turned).estimate)


def test_one_training_set_alone_is_refused():
    one = decisions([[1, 0]], [0, 1], [0, 0])
    for number in (score.amplification, score.slope):
        with refused(None, "two", kind=ValueError):
            number(one, np.array([[0.4, 0.6]]))


def test_by_chance_the_published_number_is_below_0():
    random = np.random.default_rng(0)
    training = np.array([[0.48, 0.52, 0.6, 0.4]])
    values = score.by_chance(training, np.full((1, 4), 25), training, np.full(4, 100), 0.05, random)
    assert values.amplification < -0.01
    assert 1.5 < values.violations < 4


def test_calibration_error_by_hand():
    p, label = np.array([0.95, 0.95, 0.15, 0.15]), np.array([1, 0, 0, 0])
    assert score.calibration_error(p, label) == pytest.approx((abs(1 - 1.9) + 0.3) / 4)


@pytest.mark.slow  # simulates 360 studies
def test_without_amplification_one_test_in_twenty_finds_one_and_with_it_most_do():
    (rows,) = [list(simulated.of_design(300, "d", (7, 150, 5, 0.0, 0.0, False), factor=1.0))]
    share = {(row["variant"], row["what"]): row["share"] for row in rows}
    assert share["amplification", "type I error"] < 0.095  # 300 studies at .06: above it in one run of 200
    assert share["amplification", "coverage"] > 0.9
    result = simulated.of_design(60, "d", (7, 150, 5, 0.0, 0.0, False), factor=2.0, of_power=True)
    assert next(row["share"] for row in result) > 0.8
