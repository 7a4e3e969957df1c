"""Correlations against other libraries and all permutations."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from herbarium.statistics import correlation, inference

BOOTSTRAP = {"replicates": 200, "level": 0.95}
few_values = st.lists(st.integers(0, 5), min_size=5, max_size=5)


@settings(max_examples=50)
@given(few_values, few_values)
def test_spearman_is_that_of_scipy(x, y):
    x, y = np.array(x), np.array(y)
    result = correlation.spearman(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(result)
        return
    expected = scipy.stats.spearmanr(x, y)
    assert result == pytest.approx(expected.statistic, abs=1e-12)
    # scipy has no least p-value
    assert correlation.p_value(float(result), 5) == pytest.approx(max(expected.pvalue, 2 / math.factorial(5)))


def test_many_at_once_are_one_by_one():
    random = np.random.default_rng(0)
    x, y, z = (random.integers(0, 6, (4, 12)) for _ in range(3))
    np.testing.assert_allclose(
        correlation.spearman(x, y), [correlation.spearman(*pair) for pair in zip(x, y, strict=True)]
    )
    assert correlation.spearman(x[0], y).shape == (4,)
    strata = correlation.Strata(np.arange(12) % 3)
    of_each = [correlation.within(of_x, of_y, strata, [of_z]) for of_x, of_y, of_z in zip(x, y, z, strict=True)]
    np.testing.assert_allclose(correlation.within(x, y, strata, [z]), of_each)


# --- inside strata ---


def test_one_stratum_without_anything_given_is_the_correlation_of_normal_scores():
    random = np.random.default_rng(1)
    x, y = random.integers(0, 9, 20), random.integers(0, 9, 20)
    scores = [scipy.stats.norm.ppf(scipy.stats.rankdata(side) / 21) for side in (x, y)]
    assert correlation.within(x, y, correlation.Strata([0] * 20)) == pytest.approx(np.corrcoef(scores)[0, 1])


def test_inside_strata_and_given_others_it_is_the_t_test_of_a_regression_of_scores():
    random = np.random.default_rng(2)
    stratum = np.array([0] * 12 + [1] * 20 + [2] * 8 + [3])  # the last is alone, and left out
    z, w = random.integers(1, 5, 41), random.normal(size=41)
    x, y = (z + 3 * stratum + random.normal(size=41) for _ in range(2))
    table, rows = pd.DataFrame({"x": x, "y": y, "z": z, "w": w})[:40], stratum[:40]
    scores = table.groupby(rows).transform(lambda values: scipy.stats.norm.ppf(values.rank() / (len(values) + 1)))
    given = scores[["z", "w"]] - scores[["z", "w"]].groupby(rows).transform("mean")
    given = np.column_stack([given, given**2, rows[:, None] == np.arange(3)])
    fit = sm.OLS(scores["y"].to_numpy(), np.column_stack([scores["x"], given])).fit()
    strata = correlation.Strata(stratum)
    result = correlation.within(x, y, strata, [z, w])
    assert result / np.sqrt((1 - result**2) / fit.df_resid) == pytest.approx(fit.tvalues[0])
    left = sm.OLS(scores["x"].to_numpy(), given).fit().ssr / sm.OLS(scores["x"].to_numpy(), given[:, 4:]).fit().ssr
    assert correlation.explained(x, strata, [z, w]) == pytest.approx(1 - left)


def test_without_anything_left_there_is_no_correlation():
    x, strata = np.arange(10.0), correlation.Strata([0] * 5 + [1] * 5)
    assert np.isnan(correlation.within(x, np.ones(10), strata))
    assert np.isnan(correlation.within(x, np.array([1.0] * 5 + [2.0] * 5), strata))  # constant inside each
    assert np.isnan(correlation.within(x, x[::-1].copy(), strata, [x]))


def test_orders_and_draws_stay_inside_strata():
    stratum = np.array([2, 0, 0, 1, 2, 2, 3])
    strata = correlation.Strata(stratum)
    assert strata.n == 5
    for places in (strata.orders(7, 50, np.random.default_rng(0)), strata.draws(7, 50, np.random.default_rng(0))):
        np.testing.assert_array_equal(stratum[places], np.broadcast_to(stratum, (50, 7)))
        assert len(np.unique(places, axis=0)) > 5
    np.testing.assert_array_equal(np.sort(strata.orders(7, 50, np.random.default_rng(0)), axis=1)[0], np.arange(7))


def test_permutations_inside_strata_are_near_all_there_are():
    x, y = np.array([1.0, 2, 3, 4, 1, 2, 3]), np.array([1.0, 2, 4, 3, 12, 13, 11])
    strata = correlation.Strata([0] * 4 + [1] * 3)
    observed = abs(correlation.within(x, y, strata))
    exact = [
        abs(correlation.within(x, y[[*one, *(4 + np.array(other))]], strata)) >= observed - 1e-9
        for one in itertools.permutations(range(4))
        for other in itertools.permutations(range(3))
    ]
    orders = strata.orders(7, 9_999, np.random.default_rng(0))
    assert correlation.within_p_value(x, y, strata, [], orders) == pytest.approx(np.mean(exact), abs=0.02)


def test_permuted_residuals_are_freed_again_of_what_is_given():
    """Freedman and Lane (1983), order by order."""
    random = np.random.default_rng(8)
    x, y, z = random.normal(size=(3, 12))
    y = y + 2 * z
    strata = correlation.Strata([0] * 7 + [1] * 5)
    orders = strata.orders(12, 60, random)
    scores = [strata.scores(values) for values in (x, y, z)]
    held = np.column_stack([scores[2], strata.centred(scores[2] ** 2)])

    def rest(values):
        return values - held @ np.linalg.lstsq(held, values, rcond=None)[0]

    of_x, of_y = rest(scores[0]), rest(scores[1])

    def cosine(values):
        return abs(of_x @ values) / np.sqrt((of_x @ of_x) * (values @ values))

    as_far = sum(cosine(rest(of_y[order])) >= cosine(of_y) - 1e-9 for order in orders)
    assert correlation.within_p_value(x, y, strata, [z], orders) == (1 + as_far) / 61


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.7])
@pytest.mark.parametrize("between", [0.0, 0.5])
def test_type_i_error_with_what_continents_and_names_share(between, shared):
    """Two sides that have nothing to do with each other but that both differ between continents (`between`: its share
    of the variance) and depend on the length of names (`shared`). make validity has the design of the full study."""
    stratum = np.repeat(np.arange(4), [16, 12, 8, 4])
    strata, result = correlation.Strata(stratum), {"together": [], "given": []}
    for seed in range(300):
        random = np.random.default_rng(seed)
        length = random.integers(1, 6, 40)

        def side(random=random, length=length):
            of_continent = random.normal(size=4)[stratum]
            noise = np.sqrt(between) * of_continent + np.sqrt(1 - between) * random.normal(size=40)
            return noise + shared * (length - 3)

        x, y = side(), side()
        result["together"].append(correlation.p_value(float(correlation.spearman(x, y)), 40))
        orders = strata.orders(40, 199, random)
        result["given"].append(correlation.within_p_value(x, y, strata, [length], orders))
    rates = {way: np.mean(np.array(p) <= 0.05) for way, p in result.items()}
    assert rates["given"] <= scipy.stats.binom.ppf(0.999, 300, 0.05) / 300
    if between or shared:
        assert rates["together"] > 0.15  # what it is instead of


def test_p_values_of_few():
    assert np.isnan(correlation.p_value(0.5, 2))
    assert correlation.p_value(1.0, 10) == pytest.approx(2 / math.factorial(10))
    assert correlation.p_value(1.0, 400) == inference.LEAST_P_VALUE


@given(st.floats(-1, 1), st.floats(-1, 1), st.integers(3, 300))
def test_p_values_are_above_0_and_fall_with_the_correlation(one, other, n):
    weak, strong = sorted((one, other), key=abs)
    assert 0 < correlation.p_value(strong, n) <= correlation.p_value(weak, n) <= 1


@settings(max_examples=30)
@given(st.permutations(range(5)))
@pytest.mark.slow
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


def alone(n):
    """All in one stratum."""
    return correlation.Strata([0] * n)


def test_mantel_is_the_correlation_of_pairs():
    random = np.random.default_rng(3)
    one, other = distances(random, 12, 3), distances(random, 12, 1)
    result = correlation.mantel(one, other, alone(12), np.ones((1, 12)))
    assert result == pytest.approx(scipy.stats.pearsonr(squareform(one), squareform(other)).statistic)
    assert correlation.mantel(one, 3 * one + 1, alone(12), np.ones((1, 12))) == pytest.approx(1)  # not of its diagonal
    assert np.isnan(correlation.mantel(one, np.zeros((12, 12)), alone(12), np.ones((1, 12))))


def test_mantel_of_what_is_drawn_is_of_copies_without_pairs_of_one_and_inside_strata():
    random = np.random.default_rng(4)
    one, other = distances(random, 9, 3), distances(random, 9, 1)
    stratum = np.array([0, 1, 0, 0, 1, 1, 0, 1, 0])
    strata = correlation.Strata(stratum)
    places = strata.draws(9, 5, random)
    counts = np.array([np.bincount(drawn, minlength=9) for drawn in places])
    result = correlation.mantel(one, other, strata, counts)
    for drawn, r in zip(places, result, strict=True):
        pairs = pd.DataFrame(
            [
                (stratum[i], one[i, j], other[i, j])
                for i, j in itertools.combinations(drawn, 2)
                if i != j and stratum[i] == stratum[j]
            ]
        )
        centred = pairs[[1, 2]] - pairs.groupby(0)[[1, 2]].transform("mean")
        assert r == pytest.approx(np.corrcoef(centred[1], centred[2])[0, 1])


def test_mantel_p_value_is_near_that_of_all_permutations():
    random = np.random.default_rng(5)
    points = random.normal(size=(7, 2))
    one, other = squareform(pdist(points)), squareform(pdist(points[:, :1] + random.normal(0, 0.7, (7, 1))))
    strata, everywhere = correlation.Strata([0, 1, 0, 0, 1, 1, 0]), np.ones((1, 7))
    observed = correlation.mantel(one, other, strata, everywhere)[0]
    exact = []
    for first in itertools.permutations([0, 2, 3, 6]):
        for second in itertools.permutations([1, 4, 5]):
            order = np.empty(7, dtype=int)
            order[[0, 2, 3, 6]], order[[1, 4, 5]] = first, second
            exact.append(correlation.mantel(one, other[np.ix_(order, order)], strata, everywhere)[0] >= observed - 1e-9)
    orders = strata.orders(7, 4_000, random)
    assert correlation.mantel_p_value(one, other, strata, orders) == pytest.approx(np.mean(exact), abs=0.02)


def test_type_i_error_of_mantel():
    random = np.random.default_rng(5)
    strata = correlation.Strata(np.arange(12) % 2)
    unrelated = [
        correlation.mantel_p_value(
            distances(random, 12, 2), distances(random, 12, 1), strata, strata.orders(12, 99, random)
        )
        for _ in range(200)
    ]
    assert np.mean(np.array(unrelated) <= 0.1) == pytest.approx(0.1, abs=0.06)


# --- rows ---


def test_a_row_has_the_interval_of_what_is_drawn():
    random = np.random.default_rng(6)
    x = random.uniform(size=40)
    y = x + random.normal(0, 0.3, 40)
    row = correlation.correlated(x, y, BOOTSTRAP, np.random.default_rng(1), "countries")
    expected = scipy.stats.spearmanr(x, y)
    assert (row["estimate"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    places = correlation.draws(40, 200, np.random.default_rng(1))
    assert places.shape == (200, 40)
    drawn = [scipy.stats.spearmanr(x[at], y[at]).statistic for at in places]
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    assert row["std_error"] == pytest.approx(np.std(drawn, ddof=1))


def test_a_row_without_a_correlation_says_why():
    random = np.random.default_rng(0)
    few = correlation.correlated(*[np.arange(2.0)] * 2, BOOTSTRAP, random, "countries")
    assert few["note"] == "fewer than 5 countries"
    flat = correlation.correlated(np.arange(5.0), np.ones(5), BOOTSTRAP, random, "countries")
    assert flat["note"].startswith("no correlation: one side is constant")
    assert np.isnan([few["p_value"], flat["p_value"]]).all()
    assert "estimate" not in few.keys() | flat.keys()


def test_no_interval_of_replicates_without_a_correlation():
    assert correlation.interval(np.array([0.1, np.nan, 0.2]), 0.9) == {}
    assert correlation.interval(np.array([0.1]), 0.9) == {}
    assert correlation.interval(np.array([0.1, 0.2, 0.3]), 0.9)["ci_low"] == pytest.approx(0.11)
