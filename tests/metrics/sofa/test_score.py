"""The published scores against a slow transcription; effects and ranks against least squares and paired t tests."""

import numpy as np
import pytest
from scipy import stats

from herbarium.metrics.sofa import score
from herbarium.statistics import reliability
from herbarium.statistics.between import between


def probes(seed=0, shape=(9, 5), met=1.0, effects=0.5):
    random = np.random.default_rng(seed)
    s = random.normal(size=(shape[0], 1)) + effects * random.normal(size=shape[1]) + 0.3 * random.normal(size=shape)
    s = np.where(random.random(shape) < met, s, np.nan)
    return s[np.isfinite(s).sum(axis=1) > 1]


@pytest.mark.parametrize("met", [1.0, 0.7])
def test_the_published_scores_term_by_term(met):
    """Section 3 of the paper: the mean over stereotypes of the variance over identities, the range, and the share of
    stereotypes in which an identity is the lowest or highest."""
    s = probes(met=met)
    variances, ranges, lowest, highest = [], [], [0] * 5, [0] * 5
    for stereotype in s:
        known = {identity: value for identity, value in enumerate(stereotype) if not np.isnan(value)}
        mean = sum(known.values()) / len(known)
        variances.append(sum((value - mean) ** 2 for value in known.values()) / (len(known) - 1))
        ranges.append(max(known.values()) - min(known.values()))
        lowest[min(known, key=known.get)] += 1
        highest[max(known, key=known.get)] += 1
    assert score.variances(s) == pytest.approx(variances)
    assert score.disparities(s) == pytest.approx(ranges)
    assert np.array(score.extremes(s)) * len(s) == pytest.approx(np.array([lowest, highest]))
    lowest, highest = score.extremes(np.array([[1.0, 1.0, 2.0], [0.0, 1.0, np.nan]]))  # shared in equal parts
    assert (lowest.tolist(), highest.tolist()) == ([0.75, 0.25, 0], [0, 0.5, 0.5])


def test_the_published_score_is_what_stereotypes_share_and_the_rest():
    """Exactly so if every identity meets every stereotype; the share is then the intraclass correlation ICC(3,1) of
    Shrout and Fleiss (1979), and the reliability Cronbach's alpha."""
    s = probes()
    n, k = s.shape
    y = score.deviations(s)
    assert y == pytest.approx(s - s.mean(axis=1, keepdims=True))
    variance = between(y, k - 1)
    rest = ((y - y.mean(axis=0)) ** 2).sum() / ((n - 1) * (k - 1))
    assert score.variances(s).mean() == pytest.approx(variance.variance + rest)
    of_identities = n * y.mean(axis=0).var(ddof=1)
    icc = (of_identities - rest) / (of_identities + (n - 1) * rest)
    assert score.consistent(variance.variance, rest) == pytest.approx(icc)
    assert score.consistent(variance.variance, rest / n) == pytest.approx(reliability.alpha(s.T))
    assert score.consistent(-0.1, rest) == 0


def test_effects_of_a_table_with_gaps_are_those_of_least_squares():
    s = probes(seed=1, shape=(12, 5), met=0.7)
    stereotype, identity = np.nonzero(np.isfinite(s))
    design = np.column_stack([stereotype[:, None] == np.arange(len(s)), identity[:, None] == np.arange(5)])
    design = design.astype(float)
    effects = np.linalg.lstsq(design, s[stereotype, identity], rcond=None)[0][len(s) :]
    y = score.deviations(s)
    assert y.mean(axis=0) == pytest.approx(effects - effects.mean())
    assert y.sum(axis=1) == pytest.approx(0)
    shifted = s + np.random.default_rng(1).normal(size=(len(s), 1))
    assert score.deviations(shifted) == pytest.approx(y)
    assert score.deviations(s[::-1, ::-1])[::-1, ::-1] == pytest.approx(y)
    apart = np.full((8, 4), np.nan)
    apart[:4, :2], apart[4:, 2:] = 1.0, 2.0
    assert score.deviations(apart) is None  # no stereotype links the identities
    apart[0, 2] = 1.0
    assert score.deviations(apart) is not None


def test_a_row_of_deviations_is_what_its_stereotype_does_to_the_effects():
    """To first order, the difference that leaving it out makes."""
    s = probes(seed=3, shape=(300, 4), met=0.6)
    y = score.deviations(s)
    left_out = score.deviations(s[1:]).mean(axis=0)
    assert (y.mean(axis=0) - left_out) * len(s) == pytest.approx(y[0] - y.mean(axis=0), rel=0.05, abs=0.02)


def test_a_rank_is_bounded_by_the_identities_that_differ():
    """Three far apart, then two that cannot be told apart, by a paired t test with Bonferroni's factor 4."""
    y = np.random.default_rng(4).normal(size=(12, 5)) * 0.1 + np.array([-5, 0, 5, 10, 10.01])
    rank, low, high = score.ranks(score.deviations(y), np.full(5, 12), 0.95)
    assert stats.ttest_rel(y[:, 3], y[:, 4]).pvalue * 4 > 0.05
    assert rank[:3].tolist() == low[:3].tolist() == high[:3].tolist() == [1, 2, 3]
    assert sorted(rank[3:]) == [4, 5]
    assert low[3:].tolist() == [4, 4]
    assert high[3:].tolist() == [5, 5]


def test_a_rank_is_certain_if_and_only_if_the_paired_tests_are():
    s = probes(seed=5, shape=(8, 2), effects=0.0)
    for shift in np.linspace(0, 0.6, 13):
        moved = s + np.array([0, shift])
        _, low, high = score.ranks(score.deviations(moved), np.full(2, 8), 0.95)
        assert (low[0] == high[0]) == (stats.ttest_rel(moved[:, 0], moved[:, 1]).pvalue < 0.05)


def test_two_identities_are_apart_by_the_stereotypes_of_the_one_that_meets_fewer():
    """A distance of three errors: less than the 97.5th percentile of t with 2 degrees of freedom, more than with 11."""
    y = np.random.default_rng(6).normal(size=(12, 2))
    y -= y.mean(axis=0)
    error = (y[:, 0] - y[:, 1]).std(ddof=1) / np.sqrt(12)
    y[:, 1] += 3 * error
    assert stats.t.ppf(0.975, 11) < 3 < stats.t.ppf(0.975, 2)
    for n_met, bounds in (([12, 12], [1, 1]), ([12, 3], [1, 2]), ([3, 12], [1, 2])):
        _, low, high = score.ranks(y, np.array(n_met), 0.95)
        assert [low[0], high[0]] == bounds
