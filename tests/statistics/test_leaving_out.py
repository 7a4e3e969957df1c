"""Errors over several samples at once, and of shares whose rows have units in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from herbarium.statistics.inference import Mean, crossed_mean
from herbarium.statistics.leaving_out import FEWEST, by_leaving_out, share, share_interval

values = st.lists(st.floats(-5, 5), min_size=FEWEST, max_size=12)


@given(values)
def test_of_a_mean_it_is_the_standard_error(x):
    x = np.array(x)
    result = by_leaving_out(np.mean, x)
    assert result.variance == pytest.approx(x.var(ddof=1) / len(x), abs=1e-12)
    assert result.df == pytest.approx(len(x) - 1) or result.variance < 1e-12


@given(st.integers(0, 10_000), st.integers(FEWEST, 7), st.integers(FEWEST, 7))
def test_of_a_crossed_table_it_is_what_mean_squares_give(seed, n, m):
    table = np.random.default_rng(seed).normal(size=(n, m)) + np.arange(n)[:, None]
    result = by_leaving_out(lambda rows, columns: table[np.ix_(rows, columns)].mean(), np.arange(n), np.arange(m))
    known = crossed_mean(table)
    assert result.estimate == pytest.approx(known.estimate)
    assert result.variance == pytest.approx(known.variance)


def test_of_residuals_within_strata_it_is_their_variance_within():
    """The mean square within two strata of three: leaving out one of three moves the sum of squares further than
    leaving out one of six."""
    x, strata = np.array([1.0, 2, 6, 0, 4, 5]), np.array([0, 0, 0, 1, 1, 1])

    def within(rows):
        return sum(((x[rows][strata[rows] == one] - x[rows][strata[rows] == one].mean()) ** 2).sum() for one in (0, 1))

    result = by_leaving_out(within, np.arange(6), strata=[strata])
    without = np.array([within(np.delete(np.arange(6), one)) for one in range(6)])
    assert result.variance == pytest.approx(2 / 3 * ((without - without.mean()) ** 2).sum())
    assert result.df == pytest.approx(4)


@given(st.integers(0, 10_000))
def test_of_a_table_within_strata_all_contributions_count_less(seed):
    table, halves = np.random.default_rng(seed).normal(size=(6, 6)), np.repeat([0, 1], 3)

    def statistic(rows, columns):
        return float((table[np.ix_(rows, columns)] ** 2).sum())

    within_strata, without_strata = (
        by_leaving_out(statistic, *[np.arange(6)] * 2, strata=strata) for strata in ([halves] * 2, None)
    )
    assert within_strata.variance < without_strata.variance
    assert within_strata.df < without_strata.df


def test_a_sample_of_few_adds_nothing():
    table = np.random.default_rng(0).normal(size=(8, FEWEST - 1))

    def statistic(rows, columns):
        return table[np.ix_(rows, columns)].mean()

    result = by_leaving_out(statistic, np.arange(8), np.arange(FEWEST - 1))
    assert result.variance == pytest.approx(table.mean(axis=1).var(ddof=1) / 8)
    assert np.isnan(by_leaving_out(np.mean, np.arange(FEWEST - 1.0)).variance)


def test_a_share_of_rows_with_a_unit_each_is_that_of_independent_rows():
    happened = np.array([True, False, True, True, False, True])
    result = share(happened, np.arange(6)[:, None])
    assert result.variance == pytest.approx(happened.var(ddof=1) / 6)


@given(st.integers(0, 10_000))
def test_of_a_whole_table_a_share_has_the_error_of_a_crossed_mean(seed):
    random = np.random.default_rng(seed)
    happened = random.normal(size=(6, 7)) + random.normal(size=7) > 0
    rows = np.indices(happened.shape).reshape(2, -1).T
    result, known = share(happened.ravel(), rows[:, :1], rows[:, 1:]), crossed_mean(happened.astype(float))
    assert result.variance == pytest.approx(known.variance, abs=1e-9)


def test_rows_that_are_all_of_one_unit_are_as_one():
    """Ten copies of each row say no more than one of each."""
    rows, happened = np.arange(8)[:, None], np.arange(8) % 3 == 0
    once, tenfold = share(happened, rows), share(np.tile(happened, 10), np.tile(rows, (10, 1)))
    assert tenfold.variance == pytest.approx(once.variance)


def test_without_a_kind_there_is_no_error():
    result = share(np.array([True, False]), np.array([[0], [1]]))
    assert np.isnan(result.variance)
    assert np.isnan(share_interval(result, 0, 0.95)).all()


@given(st.floats(0, 1), st.floats(1e-6, 0.1), st.integers(4, 40))
def test_bounds_of_a_share_are_shares_around_it(p, variance, n):
    low, high = share_interval(Mean(p, variance if 0 < p < 1 else 0.0, n - 1), n, 0.95)
    assert 0 <= low <= p + 1e-9
    assert p - 1e-9 <= high <= 1


def test_the_interval_of_a_share_is_wilsons_with_students_quantile():
    """Half, with a variance of .01 and nine degrees of freedom: as many rows as give it that variance."""
    z, t = stats.norm.ppf(0.975), stats.t.ppf(0.975, 9)
    wanted = proportion_confint(12.5 * (z / t) ** 2, 25 * (z / t) ** 2, method="wilson")
    assert share_interval(Mean(0.5, 0.01, 9), 4, 0.95) == pytest.approx(wanted)


def test_always_is_no_more_certain_than_its_units():
    low, high = share_interval(Mean(1.0, 0.0, 19), 20, 0.95)
    assert high == 1
    assert low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-4)  # Wilson, 20 of 20
