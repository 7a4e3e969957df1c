"""Inference from resamples, shared by every metric: bootstrap intervals, p-values, adjustment for multiplicity."""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

# No p-value is 0, but smaller tail probabilities are 0 in floating point.
LEAST_P_VALUE = float(np.finfo(float).tiny)


def above_zero(p_values: np.ndarray | float) -> np.ndarray | float:
    """P-values of which none is 0: those that are too small for a floating-point number are `LEAST_P_VALUE`, the least
    that it represents in full precision. nan stays nan.
    """
    return np.maximum(p_values, LEAST_P_VALUE)


def bootstrap_p_value(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-value of the hypothesis that a difference is zero, along the first axis; at most 1.

    It is the least 1 - level of a percentile interval that excludes zero, with one added to each tail, as a p-value of
    replicates cannot be 0 (Davison & Hinkley 1997, Section 4.2). differences: (n_replicates, ...) bootstrap replicates.
    """
    tail = np.minimum((differences <= 0).sum(axis=0), (differences >= 0).sum(axis=0))
    return np.minimum(2 * (1 + tail) / (1 + len(differences)), 1)


# Training sets over which classifiers vary, for an interval and for a test. With fewer, tests reject in up to 21 % of
# simulated studies without bias (studies/validity).
FEWEST_SETS_OF_INTERVAL, FEWEST_SETS_OF_TEST = 3, 5


def few_sets(n_sets: int) -> str | None:
    """Why a number over these training sets has no test or interval, in words; None if it has both."""
    if n_sets >= FEWEST_SETS_OF_TEST:
        return None
    sets = "one training set" if n_sets == 1 else f"{n_sets} training sets"
    least = "" if n_sets >= FEWEST_SETS_OF_INTERVAL else f", an interval {FEWEST_SETS_OF_INTERVAL}"
    return f"{sets}: a test needs at least {FEWEST_SETS_OF_TEST}{least}"


def adjust(p_values: np.ndarray, method: str) -> np.ndarray:
    """P-values of one family adjusted for its size. method: "holm" (Holm 1979) or "fdr_bh" (Benjamini & Hochberg 1995).
    A p-value of nan is not in the family and stays nan.

    To the last bit as in statsmodels, which takes longer to import than most steps take.
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.isfinite(p_values)
    if known.any():
        family = np.asarray(p_values)[known]
        adjusted[known] = {"holm": _holm, "fdr_bh": _benjamini_hochberg}[method](family)
    return adjusted


def least_p_value(arrangements: float, extreme: int = 1) -> float:
    """The least p-value of a test that compares the data with this number of arrangements, including the data's own.

    arrangements: all of them if they are enumerated, else the draws (permutations, replicates) plus one. extreme: the
    least number that are as extreme as the data's own, itself included: 2 if both tails count, as in
    `bootstrap_p_value`.
    """
    return min(extreme / arrangements, 1.0)


def least_adjusted(least: np.ndarray, method: str) -> np.ndarray:
    """The least adjusted p-value that each test of a family can get, whatever the data.

    An adjusted p-value never falls when another of the family rises, so all reach their least together. least:
    (n_tests,) of `least_p_value`, 0 for a test without a limit, nan if there was no test. method: of `adjust`.
    """
    return adjust(np.asarray(least, dtype=float), method)


def _holm(family: np.ndarray) -> np.ndarray:
    order = np.argsort(family)
    stepped = np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1))
    return _in_place(np.minimum(stepped, 1), order)


def _benjamini_hochberg(family: np.ndarray) -> np.ndarray:
    order = np.argsort(family)
    shares = np.arange(1, len(family) + 1) / len(family)
    stepped = np.minimum.accumulate((family[order] / shares)[::-1])[::-1]
    return _in_place(np.minimum(stepped, 1), order)


def _in_place(ordered: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Values where they were before `order` sorted them."""
    values = np.empty(len(ordered))
    values[order] = ordered
    return values


def percentile_interval(replicates: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the percentile bootstrap interval along the first axis (Efron 1979).

    replicates: (n_replicates, ...) bootstrap estimates. level: coverage, such as 0.95.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


class Mean(NamedTuple):
    """A mean with its sampling variance, and the degrees of freedom of the latter."""

    estimate: float
    variance: float
    df: float

    @property
    def std_error(self) -> float:
        return float(np.sqrt(self.variance))


def sample_mean(values: np.ndarray) -> Mean:
    """The mean of at least two independent values, with Student's error. values: (n,), finite."""
    n = len(values)
    return Mean(float(values.mean()), float(values.var(ddof=1) / n), n - 1)


def crossed_mean(values: np.ndarray) -> Mean:
    """The mean over an array whose axes are crossed samples (templates × attributes), with its sampling variance.

    values: (n_1, ..., n_k) finite; the samples of the axes are independent of one another, and each cell combines one
    element of each. An axis of length one says nothing about its population and adds nothing. The variance is that of a
    crossed random-effects classification without replication, from its mean squares: added for sets of an odd number of
    axes, subtracted for an even number, so that an interaction, which is in the mean square of each of its axes, counts
    once; it is at least the contribution of any single axis. nan if every axis has length one. Degrees of freedom after
    Satterthwaite (1946); an axis has 2n/(kurtosis − 1), which is n for normal effects, if that is less than n − 1: a
    mean square dominated by a few large effects is less certain than their number suggests.
    """
    x = values.squeeze()
    if x.ndim == 0:
        return Mean(float(values.mean()), np.nan, np.nan)
    total, squared, alone = 0.0, 0.0, []
    for size in range(1, x.ndim + 1):
        for axes in itertools.combinations(range(x.ndim), size):
            effects = x.mean(axis=tuple(axis for axis in range(x.ndim) if axis not in axes))
            for axis in range(size):
                effects = effects - effects.mean(axis=axis, keepdims=True)
            squares = effects**2
            variance = squares.sum() / np.prod([n * (n - 1) for n in effects.shape])
            df = np.prod([n - 1 for n in effects.shape])
            if size == 1:
                alone.append(variance)
                spread = _kurtosis(effects) - 1 if variance else 0
                df = min(df, 2 * len(effects) / spread) if spread > 0 else df
            total += (-1) ** (size + 1) * variance
            squared += variance**2 / df
    total = max(total, *alone)
    return Mean(float(x.mean()), float(total), float(max(total**2 / squared, 1)) if squared else np.inf)


def _kurtosis(effects: np.ndarray) -> float:
    """Kurtosis of effects of mean 0; from ten on the estimate that is unbiased for normal ones (G2 of Joanes and Gill
    1998), as the plain one is too small for long tails. With fewer, G2 is useless."""
    n, squares = len(effects), effects**2
    plain = float((squares**2).mean() / squares.mean() ** 2)
    return plain if n < 10 else 3 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (plain - 3) + 6)


def t_interval(mean: Mean, level: float) -> tuple[float, float]:
    """Bounds of a mean that may have either sign."""
    low, high = _bounds(mean, level, 0.0)
    return mean.estimate + float(low) * mean.std_error, mean.estimate + float(high) * mean.std_error


def log_interval(mean: Mean, level: float) -> tuple[float, float]:
    """Bounds of a mean that is never negative, such as a variance: those of its logarithm, by the delta method, as its
    error grows with it."""
    if not mean.variance:
        return mean.estimate, mean.estimate
    error = mean.std_error / mean.estimate
    low, high = mean.estimate * np.exp(error * _bounds(mean, level, error))
    return float(low), float(high)


def stabilised_interval(mean: Mean, at_null: float, level: float) -> tuple[float, float]:
    """Bounds of an unbiased estimate of a variance, which may lie below 0, and whose error grows with it.

    at_null: its standard error if the true variance is 0. With the variance s² + k² estimate², the error of asinh(k
    estimate/s)/k is 1 wherever the estimate lies (Bartlett 1947): these are its bounds, a `t_interval` at 0
    and a `log_interval` far above. k is reduced if the estimate is no larger than its error, since it then says little
    about how the two are related.
    """
    x, variance = mean.estimate, mean.variance
    k = np.sqrt(max(variance - at_null**2, 0)) * abs(x) / (x**2 + variance) if variance else 0.0
    if not k > 0:
        return t_interval(mean, level)
    s = np.sqrt(variance - k**2 * x**2)
    bounds = _bounds(mean, level, k**2 * x / np.sqrt(variance))
    low, high = np.sinh(np.arcsinh(k * x / s) + k * bounds) * s / k
    return float(low), float(high)


def squared_interval(estimate: float, noise: float, slope: float, df: float, level: float) -> tuple[float, float]:
    """The true values that are compatible with an unbiased estimate of a squared quantity, such as a variance, given
    their own standard error.

    Like Wilson's interval of a share: the variance of the estimate is that at the true value, noise + slope ·
    max(value, 0), not at the estimate, as the two are correlated. Both bounds may lie below 0.
    """
    z2 = (stdtrit(df, (1 + level) / 2) if np.isfinite(df) else ndtri((1 + level) / 2)) ** 2
    middle = estimate + z2 * slope / 2
    half = np.sqrt(max(middle**2 - estimate**2 + z2 * noise, 0.0))
    flat = np.sqrt(z2 * noise)  # the half width if the true value is not above 0
    return (
        float(middle - half if estimate > flat else estimate - flat),
        float(middle + half if estimate > -flat else estimate + flat),
    )


def t_p_value(mean: Mean) -> float:
    """Two-sided p-value of the hypothesis that a mean is 0."""
    if not mean.variance:
        return np.nan
    return float(above_zero(2 * stdtr(mean.df, -abs(mean.estimate) / mean.std_error)))


def _bounds(mean: Mean, level: float, curvature: float) -> np.ndarray:
    """Bounds around 0, in standard errors on the scale of an interval.

    curvature: −g″/g′ of the scale g at the estimate, times the standard error; 0 for a linear one. The bounds are
    shifted for the remaining skewness of a sum of squares of normal effects, which is twice its relative error (Hall
    1992).
    """
    quantile = stdtrit(mean.df, (1 + level) / 2) if np.isfinite(mean.df) else ndtri((1 + level) / 2)
    return curvature * (2 + quantile**2) / 6 + quantile * np.array([-1.0, 1.0])


class Equivalence(NamedTuple):
    """Two one-sided tests (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657-680).

    p_value: small if the value lies within ±bound of the null value. low, high: the interval of coverage
    1 - 2 alpha, which lies within ±bound if p_value < alpha. least: the smallest bound for which it would.
    """

    p_value: float
    low: float
    high: float
    least: float


def equivalence(mean: Mean, bound: float, alpha: float) -> Equivalence:
    """Two one-sided t tests that a mean whose null value is 0 lies within ±bound."""
    beyond = stdtr(mean.df, -(bound + np.array([mean.estimate, -mean.estimate])) / mean.std_error)
    low, high = t_interval(mean, 1 - 2 * alpha)
    return Equivalence(float(above_zero(beyond.max())), low, high, least_bound(low, high))


def least_bound(low: float, high: float, null: float = 0.0) -> float:
    """The least distance from the null value that contains an interval."""
    return float(np.maximum(np.abs(low - null), np.abs(high - null)))
