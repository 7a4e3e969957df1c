"""Correlations against other libraries and all permutations."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from herbarium.statistics import correlation

BOOTSTRAP = {"replicates": 200, "level": 0.95}
few_values = st.lists(st.integers(0, 5), min_size=5, max_size=5)


@settings(max_examples=50, deadline=None)
@given(few_values, few_values)
def test_spearman_is_that_of_scipy(x, y):
    x, y = np.array(x), np.array(y)
    found = correlation.spearman(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found)
        return
    expected = scipy.stats.spearmanr(x, y)
    assert found == pytest.approx(expected.statistic, abs=1e-12)
    if abs(found) < 0.999:
        assert correlation.p_value(float(found), 5) == pytest.approx(expected.pvalue)


def test_many_at_once_are_one_by_one():
    random = np.random.default_rng(0)
    x, y, z = (random.integers(0, 6, (4, 12)) for _ in range(3))
    np.testing.assert_allclose(correlation.spearman(x, y), [correlation.spearman(*of) for of in zip(x, y, strict=True)])
    of_each = [correlation.partial_spearman(*of) for of in zip(x, y, z, strict=True)]
    np.testing.assert_allclose(correlation.partial_spearman(x, y, z), of_each)
    assert correlation.spearman(x[0], y).shape == (4,)


def test_partial_correlation_is_of_the_residuals_of_ranks():
    random = np.random.default_rng(2)
    z = random.integers(1, 5, 40)
    x, y = z + random.normal(size=40), z + random.normal(size=40)
    ranks = [scipy.stats.rankdata(values) for values in (x, y, z)]
    residuals = [sm.OLS(of, sm.add_constant(ranks[2])).fit().resid for of in ranks[:2]]
    found = correlation.partial_spearman(x, y, z)
    assert found == pytest.approx(np.corrcoef(residuals)[0, 1])
    # the t-test of x in a regression of the ranks on both
    fit = sm.OLS(ranks[1], sm.add_constant(np.column_stack([ranks[0], ranks[2]]))).fit()
    assert correlation.p_value(float(found), 40, 1) == pytest.approx(fit.pvalues[1])
    assert correlation.spearman(x, y) > 0.4 > found  # what x and y share is z
    assert np.isnan(correlation.partial_spearman(x, y, x))
    assert np.isnan(correlation.partial_spearman(x, y, np.ones(40)))


def test_p_values_of_few():
    assert np.isnan(correlation.p_value(0.5, 2))
    assert np.isnan(correlation.p_value(0.5, 3, 1))
    assert correlation.p_value(1.0, 10) == 0


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)))
def test_permutation_p_values_are_of_all_orders(y):
    x, y = np.arange(5), np.array(y)
    p, least = correlation.permutation_p_value(x, y, np.random.default_rng(0))
    observed = abs(scipy.stats.spearmanr(x, y).statistic)
    orders = [abs(scipy.stats.spearmanr(x, order).statistic) for order in itertools.permutations(y)]
    assert p == pytest.approx(np.mean([r >= observed - 1e-9 for r in orders]))
    assert least == pytest.approx(2 / math.factorial(5))


def test_the_least_p_value():
    random = np.random.default_rng(0)
    p, least = correlation.permutation_p_value(np.arange(4), np.array([3.0, 5, 6, 9]), random)
    assert p == least == pytest.approx(2 / 24)
    _, least = correlation.permutation_p_value(np.array([1, 1, 2, 3]), np.array([3.0, 5, 6, 9]), random)
    assert least == pytest.approx(4 / 24)  # two orders of the tie are one
    p, least = correlation.permutation_p_value(np.arange(12), np.arange(12.0), random)
    assert p == least == 1e-4


def distances(random, n, d):
    return squareform(pdist(random.normal(size=(n, d))))


def test_mantel_is_the_correlation_of_pairs():
    random = np.random.default_rng(3)
    one, other = distances(random, 12, 3), distances(random, 12, 1)
    found = correlation.mantel(one, other, np.ones((1, 12)))
    assert found == pytest.approx(scipy.stats.pearsonr(squareform(one), squareform(other)).statistic)
    assert correlation.mantel(one, 3 * one + 1, np.ones((1, 12))) == pytest.approx(1)  # its diagonal has no part
    assert np.isnan(correlation.mantel(one, np.zeros((12, 12)), np.ones((1, 12))))


def test_mantel_of_what_is_drawn_is_of_copies_without_pairs_of_one():
    random = np.random.default_rng(4)
    one, other = distances(random, 8, 3), distances(random, 8, 1)
    places = random.integers(8, size=(5, 8))
    counts = np.array([np.bincount(drawn, minlength=8) for drawn in places])
    found = correlation.mantel(one, other, counts)
    for drawn, r in zip(places, found, strict=True):
        pairs = [(i, j) for i, j in itertools.combinations(drawn, 2) if i != j]
        expected = np.corrcoef([one[pair] for pair in pairs], [other[pair] for pair in pairs])[0, 1]
        assert r == pytest.approx(expected)


def test_mantel_p_value_is_near_that_of_all_permutations():
    random = np.random.default_rng(5)
    points = random.normal(size=(6, 2))
    one, other = squareform(pdist(points)), squareform(pdist(points[:, :1] + random.normal(0, 0.7, (6, 1))))

    def r(order):
        return np.corrcoef(squareform(one), squareform(other[np.ix_(order, order)]))[0, 1]

    observed = r(range(6))
    exact = np.mean([r(list(order)) >= observed - 1e-9 for order in itertools.permutations(range(6))])
    assert correlation.mantel_p_value(one, other, 4_000, random) == pytest.approx(exact, abs=0.02)
    unrelated = [
        correlation.mantel_p_value(distances(random, 8, 2), distances(random, 8, 1), 99, random) for _ in range(200)
    ]
    assert np.mean(np.array(unrelated) <= 0.1) == pytest.approx(0.1, abs=0.06)


# --- rows ---


def test_a_row_has_the_interval_of_what_is_drawn():
    random = np.random.default_rng(6)
    x, z = random.uniform(size=40), np.arange(40) % 3
    y = x + random.normal(0, 0.3, 40)
    row = correlation.correlated(correlation.spearman, [x, y], BOOTSTRAP, np.random.default_rng(1), "countries")
    expected = scipy.stats.spearmanr(x, y)
    assert (row["estimate"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    places = correlation.draws(40, 200, np.random.default_rng(1))
    assert places.shape == (200, 40)
    drawn = [scipy.stats.spearmanr(x[at], y[at]).statistic for at in places]
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    assert row["std_error"] == pytest.approx(np.std(drawn, ddof=1))
    partial = correlation.correlated(
        correlation.partial_spearman, [x, y, z], BOOTSTRAP, np.random.default_rng(1), "countries"
    )
    assert partial["estimate"] == pytest.approx(correlation.partial_spearman(x, y, z))
    assert partial["p_value"] == pytest.approx(correlation.p_value(partial["estimate"], 40, 1))


def test_a_row_without_a_correlation_says_why():
    random = np.random.default_rng(0)
    few = correlation.correlated(correlation.spearman, [np.arange(2.0)] * 2, BOOTSTRAP, random, "countries")
    assert few["note"] == "fewer than 3 countries"
    flat = correlation.correlated(correlation.spearman, [np.arange(5.0), np.ones(5)], BOOTSTRAP, random, "countries")
    assert flat["note"].startswith("no correlation: one side is constant")
    assert np.isnan([few["p_value"], flat["p_value"]]).all()
    assert "estimate" not in few.keys() | flat.keys()


def test_no_interval_of_replicates_without_a_correlation():
    assert correlation.interval(np.array([0.1, np.nan, 0.2]), 0.9) == {}
    assert correlation.interval(np.array([0.1]), 0.9) == {}
    assert correlation.interval(np.array([0.1, 0.2, 0.3]), 0.9)["ci_low"] == pytest.approx(0.11)
