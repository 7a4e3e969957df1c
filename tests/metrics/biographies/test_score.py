"""The equations against slow literal ones, hand-computed toys and what must not change them."""

import itertools

import numpy as np
import pytest
from fairlearn import metrics as fairlearn_metrics
from hypothesis import given
from hypothesis import strategies as st

from herbarium.metrics.biographies import learning, score
from herbarium.statistics.inference import Mean, crossed_mean

# two occupations; cells 0, 1: women and men of the first, 2, 3: of the second
CELL = np.array([0, 0, 1, 1, 1, 2, 2, 2, 3, 3])
RIGHT = np.array([[1, 0, 1, 1, 1, 0, 1, 0, 1, 1], [1, 1, 1, 0, 1, 0, 0, 0, 1, 0]], dtype=bool)


def test_gaps_by_hand():
    assert score.by_cell(RIGHT, CELL, 4).tolist() == [[0.5, 1.0, 1 / 3, 1.0], [1.0, 2 / 3, 0.0, 0.5]]
    np.testing.assert_allclose(score.gaps(RIGHT, CELL, 2), [[-0.5, -2 / 3], [1 / 3, -0.5]])


def test_a_slope_is_that_of_least_squares():
    random = np.random.default_rng(1)
    share, gaps = random.uniform(size=7), random.normal(size=7)
    assert score.slope_weights(share) @ gaps == pytest.approx(np.polyfit(share, gaps, 1)[0])
    assert score.slope_weights(np.full(4, 0.3)) is None


def test_genders_dealt_out_anew_are_those_of_all_arrangements():
    """Mean and spread of gaps over exchanges, against every arrangement of a small study."""
    drawn = score.exchanged(RIGHT, CELL, 2, np.random.default_rng(2))
    assert drawn.shape == (score.DRAWS, 2, 2)
    for occupation in (0, 1):
        texts_of_occupation = np.flatnonzero(occupation == CELL // 2)
        n_women = (2 * occupation == CELL).sum()
        every = []
        for women in itertools.combinations(texts_of_occupation, n_women):
            men = [text for text in texts_of_occupation if text not in women]
            every.append(RIGHT[:, list(women)].mean(axis=1) - RIGHT[:, men].mean(axis=1))
        values, chances = np.unique(np.round(every, 9), axis=0, return_counts=True)
        for value, chance in zip(values, chances / len(every), strict=True):
            share = (np.abs(drawn[:, :, occupation] - value) < 1e-6).all(axis=1).mean()
            assert share == pytest.approx(chance, abs=4 * np.sqrt(chance / score.DRAWS))


def test_p_values_count_the_own_arrangement():
    assert score.p_value(np.array(2.0), np.array([0.0, 1.0, 2.0])) == 0.5
    assert score.p_value(np.array(9.0), np.zeros(99)) == 0.01


def slowly(right, cell, weights):
    """The variance of `weighted` as its docstring has it, set by set and text by text."""
    n_sets = len(right)
    estimates = [sum(w * right[s, cell == c].mean() for c, w in enumerate(weights) if w) for s in range(n_sets)]
    of_texts = interaction = 0.0
    for number, weight in enumerate(weights):
        correct = right[:, cell == number].astype(float)
        n = correct.shape[1]
        more = [*correct.mean(axis=0), 0, 1]
        of_texts += weight**2 * sum((x - np.mean(more)) ** 2 for x in more) / (n + 1) / (n + 2)
        for s in range(n_sets):
            for i in range(n):
                rest = correct[s, i] - correct[s].mean() - correct[:, i].mean() + correct.mean()
                interaction += weight**2 * rest**2 / (n_sets * (n_sets - 1) * n * (n - 1))
    of_sets = np.var(estimates, ddof=1) / n_sets
    return np.mean(estimates), max(of_texts + of_sets - interaction, of_texts, of_sets)


@given(seed=st.integers(0, 999), n_sets=st.integers(2, 4))
def test_a_weighted_sum_is_that_of_its_parts(seed, n_sets):
    random = np.random.default_rng(seed)
    cell = np.repeat(np.arange(4), random.integers(2, 6, size=4))
    right = random.uniform(size=(n_sets, len(cell))) < random.uniform(size=len(cell))
    weights = random.normal(size=4)
    mean = score.weighted(right, cell, weights)
    np.testing.assert_allclose([mean.estimate, mean.variance], slowly(right, cell, weights))
    again = score.weighted(right[::-1], cell, -weights)
    np.testing.assert_allclose([-mean.estimate, mean.variance, mean.df], [*again])


def test_of_many_texts_it_is_a_crossed_mean():
    random = np.random.default_rng(3)
    right = random.uniform(size=(3, 4000)) < random.uniform(0.3, 0.9, size=4000)
    mean, other = score.weighted(right, np.zeros(4000, dtype=int), np.ones(1)), crossed_mean(right.astype(float))
    assert mean.estimate == pytest.approx(other.estimate)
    assert mean.variance == pytest.approx(other.variance, rel=0.01)


def test_a_cell_in_which_all_is_told_is_not_certain():
    mean = score.weighted(np.ones((2, 10), dtype=bool), np.zeros(10, dtype=int), np.ones(1))
    assert mean.estimate == 1
    assert mean.variance > 0
    assert score.weighted(np.ones((1, 5), dtype=bool), np.zeros(5, dtype=int), np.ones(1)) > Mean(1, 0, 0)


def test_training_sets_are_dealt_out_evenly():
    cell = np.repeat([0, 1, 2, 3], [7, 3, 12, 5])
    part_of_text = learning.parts(cell, 3, np.random.default_rng(4))
    for one in range(4):
        sizes = np.bincount(part_of_text[cell == one], minlength=3)
        assert sizes.max() - sizes.min() <= 1


def test_probes_tell_what_can_be_told_and_standardise():
    random = np.random.default_rng(5)
    label = np.tile([0, 1, 2], 40)
    x = np.eye(3)[label] * 4 + random.normal(size=(120, 3))
    of_set, moved = np.arange(120) % 2, x * [1, 1000, 0.001] + 7
    predictions = score.told(x, label, of_set, x, 1.0, 500)
    assert predictions.predicted.shape == (2, 120)
    assert (predictions.predicted == label).mean() > 0.9
    assert predictions.converged
    assert (score.told(moved, label, of_set, moved, 1.0, 500).predicted == predictions.predicted).all()
    assert not score.told(x, label, of_set, x, 1.0, 1).converged
    constant = np.column_stack([x, np.ones(120)])
    assert (score.told(constant, label, of_set, constant, 1.0, 500).predicted == predictions.predicted).all()


def test_weights_are_as_texts_repeated():
    random = np.random.default_rng(8)
    cell = np.repeat([0, 1, 2, 3], [20, 40, 60, 20])
    x = random.normal(size=(140, 3)) + np.eye(3)[cell // 2] * 2
    of_set = np.zeros(140, dtype=int)
    weight = score.balancing(cell, of_set)
    assert [set(weight[cell == one]) for one in range(4)] == [{2}, {1}, {1}, {3}]
    asked = random.normal(size=(500, 3)) + 1
    again = np.repeat(np.arange(140), weight.astype(int))
    repeated = score.told(x[again], cell[again] // 2, np.zeros(len(again), dtype=int), asked, 1.0, 500)
    weighted = score.told(x, cell // 2, of_set, asked, 1.0, 500, weight)
    assert (repeated.predicted == weighted.predicted).all()
    assert (score.told(x, cell // 2, of_set, asked, 1.0, 500).predicted != weighted.predicted).any()


def test_weights_are_of_each_training_set():
    cell, of_set = np.array([0, 0, 1, 0, 1, 1, 3]), np.array([0, 0, 0, 1, 1, 1, 1])
    assert score.balancing(cell, of_set).tolist() == [1, 1, 2, 2, 1, 1, 1]


def test_equalized_odds_are_those_of_fairlearn():
    random = np.random.default_rng(6)
    label, is_man = random.integers(3, size=90), random.uniform(size=90) < 0.4
    predicted = np.where(random.uniform(size=(2, 90)) < 0.6, label, random.integers(3, size=90))
    odds = score.equalized_odds(predicted, label, is_man, 3)
    for place, classes in enumerate(predicted):
        for one in range(3):
            expected = fairlearn_metrics.equalized_odds_difference(
                label == one, classes == one, sensitive_features=is_man
            )
            assert odds[place, one] == pytest.approx(expected)
