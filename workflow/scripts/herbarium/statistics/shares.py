"""Shares of sets in per cent: Wilson's intervals, and the binomial test of independent pairs."""

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import Mean, above_zero


def share(is_first: np.ndarray, level: float) -> dict[str, float]:
    """Per cent of independent pairs in which the first side is higher, Wilson's interval, and the p-value of the
    two-sided binomial test against 50. is_first: (n_pairs,) of bool, at least one.
    """
    test = scipy.stats.binomtest(int(is_first.sum()), len(is_first))
    interval = test.proportion_ci(level, method="wilson")
    return {
        "estimate": 100 * test.statistic,
        "ci_low": 100 * interval.low,
        "ci_high": 100 * interval.high,
        "p_value": above_zero(test.pvalue),
    }


def share_interval(mean: Mean, of_sets: np.ndarray, weights: np.ndarray, level: float) -> tuple[float, float]:
    """Wilson's interval of a share whose sets are not independent, in per cent.

    A share of n independent sets has the variance p(1 - p) / n; one with another variance has as many as give it that
    (Korn and Graubard 1998, Survey Methodology 24, 193-201), with Student's quantile. Near 0 or 100 a few
    units decide on the variance: the interval is no narrower than of independent sets. mean: not 0 nor 100. of_sets,
    weights: (n_sets,), per cents and their weights in the mean.
    """
    p, tail = mean.estimate / 100, (1 + level) / 2
    independent = (weights**2).sum() * (weights @ (of_sets - mean.estimate) ** 2)
    squared = max(scipy.stats.t.ppf(tail, mean.df) ** 2 * mean.variance, scipy.stats.norm.ppf(tail) ** 2 * independent)
    per_set = squared / 1e4 / (p * (1 - p))
    half = np.sqrt(p * (1 - p) * per_set + per_set**2 / 4)
    low, high = 100 * (p + per_set / 2 + np.array([-half, half])) / (1 + per_set)
    return float(low), float(high)
