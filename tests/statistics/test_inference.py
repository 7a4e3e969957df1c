"""Intervals, p-values and their adjustment against scipy, against the formulas as printed, and by hand."""

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats import multitest

from herbarium.statistics import inference
from herbarium.statistics.inference import percentile_interval


def test_p_value_of_a_difference_by_hand():
    differences = np.array([[-1.0, 1, 0], [2, 2, 0], [3, 3, 0], [4, 4, 0]])
    np.testing.assert_allclose(inference.bootstrap_p_value(differences), [2 * 2 / 5, 2 * 1 / 5, 1])


def test_p_value_is_below_alpha_where_the_interval_shuts_out_zero():
    random = np.random.default_rng(7)
    differences = random.normal(size=(1999, 300)) + random.normal(size=300) * 2
    low, high = percentile_interval(differences, 0.95)
    outside = (low > 0) | (high < 0)
    assert 50 < outside.sum() < 250
    # the two differ by one replicate at most, by the one that is added to the tail
    disagree = outside != (inference.bootstrap_p_value(differences) < 0.05)
    assert disagree.sum() <= 2


@pytest.mark.parametrize("method", ["holm", "fdr_bh"])
def test_adjusted_p_values_are_those_of_statsmodels(method):
    random = np.random.default_rng(0)
    for n in (1, 2, 7, 100):
        p = random.choice(random.random(60), n)  # some of them equal
        np.testing.assert_array_equal(inference.adjust(p, method), multitest.multipletests(p, method=method)[1])


def test_adjusted_by_hand_and_the_unknown_left_out():
    p = np.array([0.01, np.nan, 0.04, 0.03])
    np.testing.assert_allclose(inference.adjust(p, "holm"), [0.03, np.nan, 0.06, 0.06])
    np.testing.assert_allclose(inference.adjust(p, "fdr_bh"), [0.03, np.nan, 0.04, 0.04])
    assert np.isnan(inference.adjust(np.array([np.nan]), "holm")).all()


@pytest.mark.parametrize("method", ["holm", "fdr_bh"])
def test_no_data_give_an_adjusted_p_value_below_the_least(method):
    """Of a family of permutation tests with few permutations, whatever comes out."""
    least = np.array([inference.least_p_value(20), inference.least_p_value(40), 0.0, np.nan])
    bound = inference.least_adjusted(least, method)
    assert np.isnan(bound[3])
    random = np.random.default_rng(0)
    for _ in range(200):
        drawn = np.array([random.integers(1, 21) / 20, random.integers(1, 41) / 40, random.uniform() ** 8, np.nan])
        adjusted = inference.adjust(drawn, method)
        assert (adjusted[:3] >= bound[:3] - 1e-12).all()
    assert inference.adjust(least, method)[:3] == pytest.approx(bound[:3])  # and it can be reached


def test_the_least_p_value_is_the_one_that_the_tests_give():
    replicates = np.full((99, 1), 0.3)  # all on one side of 0
    assert inference.bootstrap_p_value(replicates) == inference.least_p_value(100, extreme=2) == 0.02
    assert inference.least_p_value(1, extreme=2) == 1


def test_three_training_sets_give_an_interval_and_five_a_test():
    assert inference.few_sets(5) is None
    three, two = inference.few_sets(3), inference.few_sets(2)
    assert "at least 5" in three
    assert "interval" not in three
    assert "interval 3" in two


def crossed(random, sizes, variances):
    """An array of random effects: variances by the axes that an effect is of."""
    values = np.zeros(sizes)
    for axes, variance in variances.items():
        shape = [n if axis in axes else 1 for axis, n in enumerate(sizes)]
        values = values + np.sqrt(variance) * random.normal(size=shape)
    return values


@pytest.mark.parametrize(
    "variances",
    [{(0,): 1.0}, {(1,): 1.0}, {(0, 1): 1.0}, {(0,): 0.5, (1,): 0.2, (0, 1): 3.0}],
)
def test_the_variance_of_a_crossed_mean_is_right_on_average(variances):
    random, sizes = np.random.default_rng(0), (12, 30)
    truth = sum(variance / np.prod([sizes[axis] for axis in axes]) for axes, variance in variances.items())
    values = [inference.crossed_mean(crossed(random, sizes, variances)) for _ in range(600)]
    spread = np.std([mean.variance for mean in values]) / np.sqrt(len(values))
    # never less than an axis has by itself: too much where interactions are all there is
    assert truth - 4 * spread < np.mean([mean.variance for mean in values]) < 1.3 * truth + 4 * spread
    assert np.var([mean.estimate for mean in values]) == pytest.approx(truth, rel=0.2)


def test_the_variance_along_one_axis_is_the_textbooks():
    values = np.random.default_rng(1).normal(size=(1, 9, 1))
    mean = inference.crossed_mean(values)
    assert mean.variance == pytest.approx(values.var(ddof=1) / 9)
    assert mean.df <= 8
    assert np.isnan(inference.crossed_mean(np.ones((1, 1))).variance)
    assert inference.crossed_mean(np.ones((3, 4))).variance == 0


def test_mean_squares_of_two_axes_by_hand():
    values = np.array([[1.0, 2.0, 6.0], [3.0, 2.0, 4.0]])
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    residual = values - rows[:, None] - columns + values.mean()
    of_rows, of_columns, of_both = rows.var(ddof=1) / 2, columns.var(ddof=1) / 3, (residual**2).sum() / (2 * 6)
    wanted = max(of_rows + of_columns - of_both, of_rows, of_columns)
    assert inference.crossed_mean(values).variance == pytest.approx(wanted)


@pytest.mark.parametrize("values", [[-1.2, -1.0, 1.0, 1.2], [*np.linspace(-1, 1, 11), 9.0]])
def test_degrees_of_freedom_are_fewer_for_long_tails_and_never_more_for_flat_ones(values):
    """By the kurtosis of the effects, from ten on without bias."""
    n = len(values)
    kurtosis = 3 + scipy.stats.kurtosis(values, bias=n < 10)
    mean = inference.crossed_mean(np.array(values))
    assert mean.df == pytest.approx(min(n - 1, 2 * n / (kurtosis - 1)))
    assert (mean.df == n - 1) == (n < 10)


@pytest.mark.parametrize("estimate", [3.0, 0.3, 0.0, -0.3, -3.0])
def test_of_a_squared_number_the_error_is_that_at_each_bound(estimate):
    noise, slope, z = 0.25, 0.5, scipy.stats.t.ppf(0.95, 12)
    low, high = inference.squared_interval(estimate, noise, slope, 12, 0.9)
    assert low < estimate < high
    for bound in (low, high):
        assert (bound - estimate) ** 2 == pytest.approx(z**2 * (noise + slope * max(bound, 0.0)))


def test_intervals_by_hand():
    mean = inference.Mean(2.0, 0.25, 10.0)
    quantile = scipy.stats.t.ppf(0.975, 10)
    assert inference.t_interval(mean, 0.95) == pytest.approx((2 - quantile / 2, 2 + quantile / 2))
    move = 0.25 * (2 + quantile**2) / 6
    log = np.exp(np.log(2) + 0.25 * (move + quantile * np.array([-1, 1])))
    assert inference.log_interval(mean, 0.95) == pytest.approx(log)
    for estimate in (2.0, -2.0):
        assert inference.t_p_value(mean._replace(estimate=estimate)) == pytest.approx(2 * scipy.stats.t.sf(4, 10))
    assert inference.log_interval(inference.Mean(2.0, 0.0, np.inf), 0.95) == (2.0, 2.0)


def test_a_stabilised_interval_is_straight_at_0_and_logarithmic_far_above():
    near, far = inference.Mean(0.0, 1.0, 30.0), inference.Mean(1000.0, 100.0**2, 30.0)
    assert inference.stabilised_interval(near, 1.0, 0.9) == pytest.approx(inference.t_interval(near, 0.9))
    assert inference.stabilised_interval(far, 0.01, 0.9) == pytest.approx(inference.log_interval(far, 0.9), rel=0.01)
    even = inference.Mean(3.0, 1.0, 30.0)  # with the same error at 0
    assert inference.stabilised_interval(even, 1.0, 0.9) == pytest.approx(inference.t_interval(even, 0.9))
    low, high = inference.stabilised_interval(inference.Mean(3.0, 1.0, 30.0), 0.5, 0.9)
    assert 3 - low < high - 3
    assert low > inference.t_interval(inference.Mean(3.0, 1.0, 30.0), 0.9)[0]


def test_the_interval_of_a_variance_of_normal_values_holds_its_level():
    random, covered = np.random.default_rng(2), []
    for _ in range(1000):
        low, high = inference.log_interval(inference.crossed_mean(random.normal(size=60) ** 2), 0.95)
        covered.append(low <= 1 <= high)
    assert 0.93 < np.mean(covered) < 0.97


def test_the_t_interval_is_what_the_t_test_does_not_reject():
    for bound in inference.t_interval(inference.Mean(0.4, 0.01, 12), 0.95):
        assert 2 * scipy.stats.t.sf(abs(0.4 - bound) / 0.1, 12) == pytest.approx(0.05)


def test_equivalence_is_the_larger_of_two_one_sided_tests():
    sample = np.random.default_rng(3).normal(0.1, 1, 40)
    mean = inference.Mean(sample.mean(), scipy.stats.sem(sample) ** 2, 39)
    result = inference.equivalence(mean, 0.5, 0.05)
    above = scipy.stats.ttest_1samp(sample, -0.5, alternative="greater").pvalue
    below = scipy.stats.ttest_1samp(sample, 0.5, alternative="less").pvalue
    assert result.p_value == pytest.approx(max(above, below))
    assert (result.low, result.high) == pytest.approx(scipy.stats.ttest_1samp(sample, 0).confidence_interval(0.9))


@pytest.mark.parametrize("estimate", [0.2, -0.2, 0.0])
def test_with_the_least_bound_equivalence_is_just_significant(estimate):
    mean = inference.Mean(estimate, 0.01, 12)
    least = inference.equivalence(mean, 1, 0.05).least
    assert inference.equivalence(mean, least, 0.05).p_value == pytest.approx(0.05)
    assert inference.least_bound(45, 58, 50) == 8
