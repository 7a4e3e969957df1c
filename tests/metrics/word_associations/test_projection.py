"""Projections on a gender direction."""

import numpy as np
import pytest
from scipy import stats

from herbarium.metrics.word_associations import along, projection
from herbarium.metrics.word_associations.along import Direction
from herbarium.statistics.inference import Mean, t_interval

D = 12
RANDOM = np.random.default_rng(0)
WORDS = RANDOM.normal(size=(30, D))
G = np.eye(D)[0]
ALONE = Direction(G, np.empty((0, D)))


def test_the_mean_size_by_hand():
    direction = Direction(np.array([1.0, 0]), ALONE.without[:, :2])
    mean_size = projection.mean_size(np.array([[3.0, 4], [0, 1], [-1, 0], [2, 0]]), direction)
    assert mean_size.estimate == pytest.approx((3 + 0 + 1 + 2) / 4)
    assert mean_size.variance == pytest.approx(np.var([3, 0, 1, 2], ddof=1) / 4)


def test_what_a_random_direction_gives_is_exact():
    directions = along.at_random(D, np.random.default_rng(1))
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)
    drawn = np.abs(directions @ WORDS.T).mean()
    assert projection.expected_size(WORDS) == pytest.approx(drawn, rel=0.02)
    # on the circle, the mean of |cos| is 2 / pi
    assert projection.expected_size(np.array([[0.0, 1], [1, 0]])) == pytest.approx(2 / np.pi)
    # a p-value counts the direction itself
    assert [along.p_value(value, np.zeros(99)) for value in (2.0, 0.0)] == [0.01, 1.0]


def test_the_correlation_is_spearmans():
    women = RANDOM.uniform(size=30)
    result = projection.with_women(WORDS, women, ALONE)
    assert np.tanh(result.estimate) == pytest.approx(stats.spearmanr(WORDS @ G, women).statistic)
    assert np.isfinite(projection.fisher(1.0, 10))
    assert np.tanh(projection.fisher(1.0, 10)) < 1
    assert np.isnan(projection.fisher(np.nan, 10))


def test_turning_the_space_changes_nothing():
    turn = np.linalg.qr(RANDOM.normal(size=(D, D)))[0]
    masculine, feminine = RANDOM.normal(size=(2, 6, D))
    women = RANDOM.uniform(size=30)
    one = along.gender(masculine, feminine, "pca")
    other = along.gender(masculine @ turn, feminine @ turn, "pca")
    for inferred in (projection.with_women(WORDS, women, one), projection.mean_size(WORDS, one)):
        assert np.isfinite(inferred.variance)
    turned = projection.with_women(WORDS @ turn, women, other)
    assert projection.with_women(WORDS, women, one) == pytest.approx(turned)
    # he and she are no sample of pairs, and three pairs neither
    assert len(along.gender(masculine, feminine, "pair").without) == 0
    assert len(along.gender(masculine[:3], feminine[:3], "mean").without) == 0


def test_pairs_that_disagree_about_the_direction_widen_the_interval():
    shared = 4 * G
    widths = []
    for spread in (0.0, 3.0):
        masculine = shared + spread * np.random.default_rng(2).normal(size=(8, D))
        gendered_direction = along.gender(masculine, np.zeros((8, D)), "mean")
        low, high = t_interval(projection.with_women(WORDS, WORDS[:, 0], gendered_direction), 0.95)
        widths.append(high - low)
        assert gendered_direction.without.shape == (8, D)
    assert widths[1] > widths[0]


def test_the_choice_of_pairs_adds_its_jackknife_error():
    """Of a number that is the first coordinate of the direction."""
    random = np.random.default_rng(3)
    direction = Direction(G, G + 0.1 * random.normal(size=(6, D)))
    first = direction.without[:, 0]
    of_pairs = 5 / 6 * ((first - first.mean()) ** 2).sum()
    mean = along.with_pairs(Mean(0.5, 0.04, 9), lambda vector: vector[0], direction)
    assert mean.estimate == 0.5
    assert mean.variance == pytest.approx(0.04 + of_pairs)
    assert along.with_pairs(Mean(0.5, 0.04, 9), lambda vector: vector[0], ALONE) == Mean(0.5, 0.04, 9)
    over_words = along.over_words(lambda vector, rows: float(vector[0]), 8, direction)
    assert over_words.variance == pytest.approx(of_pairs)
