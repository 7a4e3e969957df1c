"""Regions against made-up names: by hand, against limma's equations in loops, and on data with nothing to find."""

import numpy as np
import pytest
import scipy.stats
from scipy.special import digamma, polygamma

from herbarium.metrics.downstream import names


def test_by_hand_where_all_variances_are_alike():
    """Each name does 1 more in the first set and 1 less in the second, or the reverse: sigma² = 2, or so."""
    flips = np.array([1.0, -1, 1, -1])
    nonsense = np.array([0.0, 0, 2, 2]) + np.array([flips, -flips])
    regions = np.array([5.0, 1, 5, 1]) + np.array([flips, -flips])
    effects = names.beyond(regions, nonsense)
    assert effects.estimate.tolist() == [4, 0, 4, 0]
    of_sets = 2 * 4 / 3  # over the other names
    assert names.between_sets(regions) == pytest.approx([of_sets] * 4)
    of_names = np.var([0, 0, 2, 2], ddof=1)
    variance = max(of_names - of_sets / 2, 0) + of_sets / 2 + of_names / 4
    assert effects.std_error == pytest.approx([np.sqrt(variance)] * 4)
    assert effects.df == 3
    t = 4 / np.sqrt(variance)
    assert effects.p_values() == pytest.approx([2 * scipy.stats.t.sf(t, 3), 1] * 2)
    low, high = effects.interval(0.9)
    assert (4 - low[0]) / effects.std_error[0] == pytest.approx(scipy.stats.t.ppf(0.95, 3))
    assert low + high == pytest.approx(2 * effects.estimate)


def test_variances_are_moderated_as_by_limma():
    random, df = np.random.default_rng(0), 3
    variances = 2 / (random.chisquare(8, 400) / 8) * random.chisquare(df, 400) / df
    result, total = names.moderated(variances, df)
    # Smyth (2004), Section 6.2
    e = [np.log(s2) - digamma(df / 2) + np.log(df / 2) for s2 in variances]
    mean = sum(e) / len(e)
    wanted = sum((value - mean) ** 2 for value in e) / (len(e) - 1) - polygamma(1, df / 2)
    d0 = total - df
    assert polygamma(1, d0 / 2) == pytest.approx(wanted)
    assert d0 == pytest.approx(8, rel=0.5)
    s0 = np.exp(mean + digamma(d0 / 2) - np.log(d0 / 2))
    for before, after in zip(variances, result, strict=True):
        assert after == pytest.approx((d0 * s0 + df * before) / (d0 + df))


def test_variances_that_differ_by_chance_alone_are_their_mean():
    variances = np.random.default_rng(3).chisquare(5, 50) / 5
    result, df = names.moderated(np.sort(variances) ** 0.2, 5)  # closer together than chance has them
    assert np.ptp(result) == 0
    assert np.isinf(df)


def test_what_training_sets_give_is_no_spread():
    random = np.random.default_rng(1)
    estimates = [names.spread(random.normal(size=(3, 60))).estimate for _ in range(400)]
    assert np.mean(estimates) == pytest.approx(0, abs=3 * np.std(estimates) / 20)
    mu = random.normal(0, 2, 60)
    estimates = [names.spread(mu + random.normal(size=(3, 60))).estimate for _ in range(400)]
    assert np.mean(estimates) == pytest.approx(mu.var(ddof=1), rel=0.03)


def test_the_spread_is_the_mean_covariance_of_two_sets():
    y = np.random.default_rng(2).normal(size=(4, 30)) + np.arange(30) / 5
    covariances = np.cov(y)
    wanted = covariances[~np.eye(4, dtype=bool)].mean()
    assert names.spread(y).estimate == pytest.approx(wanted)


def test_the_excess_spread_is_what_is_planted_and_has_a_sign():
    random = np.random.default_rng(4)
    noise = random.normal(size=200)
    noise = 1.5 * (noise - noise.mean()) / noise.std()
    regions, nonsense = noise + 0.1 * random.normal(size=(2, 200)), 0.1 * random.normal(size=(2, 20))
    estimate, low, high = names.excess_spread(regions, nonsense, 0.95)
    assert estimate == pytest.approx(1.5, abs=0.05)
    assert low < estimate < high
    estimate, low, high = names.excess_spread(nonsense, regions, 0.95)
    assert estimate == pytest.approx(-1.5, abs=0.05)
    assert low < estimate < high < 0


@pytest.mark.parametrize(("sets", "n"), [(1, 30), (2, 2)])
def test_nothing_is_tested_without_sets_or_names(sets, n):
    random = np.random.default_rng(5)
    regions, nonsense = random.normal(size=(sets, 9)), random.normal(size=(sets, n))
    result = names.beyond(regions, nonsense)
    assert np.isfinite(result.estimate).all()
    assert np.isnan(result.p_values()).all()
    assert np.isnan(names.excess_spread(regions, nonsense, 0.95)).all()


def test_names_that_all_do_the_same_have_no_p_value():
    result = names.beyond(np.ones((2, 5)), np.ones((2, 5)))
    assert np.isnan(result.p_values()).all()


def test_names_that_react_unequally_are_noticed_and_equal_ones_are_not():
    random = np.random.default_rng(0)
    equal = random.normal(size=300) + 0.1 * random.normal(size=(3, 300))
    strong = np.where(np.arange(300) < 84, 3.0, 1.0)
    assert not names.react_unequally(equal)
    assert names.react_unequally(equal * strong)
    few = equal + 10.0 * (np.arange(300) < 3)  # looks the same
    assert names.react_unequally(few)
    assert not names.react_unequally(np.ones((2, 30)))


def test_the_warning_has_its_level():
    random = np.random.default_rng(1)
    studies = [random.normal(size=60) + 0.3 * random.normal(size=(2, 60)) for _ in range(300)]
    assert np.mean([names.react_unequally(study) for study in studies]) <= 0.06
    assert names.react_unequally(1e6 * studies[0] + 3) == names.react_unequally(studies[0])
