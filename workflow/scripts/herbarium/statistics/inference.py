"""Inference from resamples that every metric shares: bootstrap intervals, p-values, adjustment for multiplicity."""

import numpy as np
from scipy.special import ndtr, ndtri


def jackknife_sums(left_out: np.ndarray, strata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the squares and of the cubes of l/n over all units, from which comes the `acceleration`.

    l is a unit's empirical influence on a statistic, approximated by the jackknife: (n-1) times the mean of the
    statistic over the units of its stratum, each left out in turn, minus the statistic without that unit. n is the size
    of the stratum. Units of several independent samples may be added up (Davison & Hinkley 1997, Section 5.3).

    left_out: (n_units, ...) the statistic without each unit. strata: (n_units,) the stratum of each. The unit of a
    stratum of one has no influence: it is in every resample.
    """
    squares, cubes = np.zeros(left_out.shape[1:]), np.zeros(left_out.shape[1:])
    for stratum in np.unique(strata):
        of_stratum = left_out[strata == stratum]
        n = len(of_stratum)
        influence = (n - 1) * (of_stratum.mean(axis=0) - of_stratum) / n
        squares += (influence**2).sum(axis=0)
        cubes += (influence**3).sum(axis=0)
    return squares, cubes


def acceleration(squares: np.ndarray, cubes: np.ndarray) -> np.ndarray:
    """The skewness constant a of `bca_interval` (Efron 1987), nan where nothing has an influence.

    squares, cubes: of `jackknife_sums`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return cubes / squares**1.5 / 6


def bca_interval(
    replicates: np.ndarray, estimate: np.ndarray, acceleration: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the bias-corrected and accelerated bootstrap interval along the first axis (Efron 1987).

    replicates: (n_replicates, ...) bootstrap estimates. estimate, acceleration: (...,) the estimate, and its a. level:
    coverage. nan where there is no acceleration, or where all replicates lie on one side of the estimate.
    """
    below = ((replicates < estimate).mean(axis=0) + (replicates <= estimate).mean(axis=0)) / 2
    z0 = ndtri(below)
    ordered = np.sort(replicates, axis=0)
    bounds = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        with np.errstate(invalid="ignore"):
            z = z0 + ndtri(tail)
            quantile = ndtr(z0 + z / (1 - acceleration * z))
        defined = np.isfinite(z0) & np.isfinite(quantile)
        place = np.where(defined, quantile, 0) * (len(replicates) - 1)
        under = np.floor(place).astype(int)
        over = np.minimum(under + 1, len(replicates) - 1)
        low, high = (np.take_along_axis(ordered, at[None], axis=0)[0] for at in (under, over))
        bounds.append(np.where(defined, low + (place - under) * (high - low), np.nan))
    return bounds[0], bounds[1]


def bootstrap_p_value(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-value of the hypothesis that a difference is zero, along the first axis; at most 1.

    It is the least 1 - level of a percentile interval that shuts out zero, with one added to each tail, as a p-value of
    replicates cannot be 0 (Davison & Hinkley 1997, Section 4.2). differences: (n_replicates, ...) bootstrap replicates.
    """
    tail = np.minimum((differences <= 0).sum(axis=0), (differences >= 0).sum(axis=0))
    return np.minimum(2 * (1 + tail) / (1 + len(differences)), 1)


def adjust(p_values: np.ndarray, method: str) -> np.ndarray:
    """P-values of one family adjusted for its size. method: "holm" (Holm 1979), "fdr_bh" (Benjamini & Hochberg 1995)
    or another of statsmodels' `multipletests`. A p-value of nan is not of the family and stays nan.
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.isfinite(p_values)
    if known.any():
        family = p_values[known]
        adjusted[known] = _holm(family) if method == "holm" else _as_statsmodels(family, method)
    return adjusted


def least_p_value(arrangements: float, extreme: int = 1) -> float:
    """The least p-value of a test that holds the data against so many arrangements, the data's own among them.

    arrangements: all there are where they are enumerated, else the draws (permutations, replicates) and one more.
    extreme: how many of them are at best as extreme as the data's own, itself among them: 2 where both tails count, as
    in `bootstrap_p_value`.
    """
    return min(extreme / arrangements, 1.0)


def least_adjusted(least: np.ndarray, method: str) -> np.ndarray:
    """The least adjusted p-value that each test of a family can get, whatever the data.

    An adjusted p-value never falls where another of the family rises, so all are at their least together. least:
    (n_tests,) of `least_p_value`, 0 of a test without a limit, nan where there was none. method: of `adjust`.
    """
    return adjust(np.asarray(least, dtype=float), method)


def _as_statsmodels(family: np.ndarray, method: str) -> np.ndarray:
    from statsmodels.stats.multitest import multipletests  # longer to import than most steps take

    return multipletests(family, method=method)[1]


def _holm(family: np.ndarray) -> np.ndarray:
    """As statsmodels has it, which at each call collects all garbage: that takes longer than the rest."""
    order = np.argsort(family)
    stepped = np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1))
    adjusted = np.empty(len(family))
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


def percentile_interval(replicates: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the percentile bootstrap interval along the first axis (Efron 1979).

    replicates: (n_replicates, ...) bootstrap estimates. level: coverage, such as 0.95.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
