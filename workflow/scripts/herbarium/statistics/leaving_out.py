"""Errors of numbers that depend on several samples at once, such as words and word pairs.

Other words and other pairs would have given another number, so its variance adds up the contribution of each sample.
Interactions of single words with single pairs are in both contributions, and are subtracted once (Efron and Stein 1981,
Ann. Stat. 9, 586-596; Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249).
"""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import lsqr
from scipy.special import ndtri, stdtrit

from herbarium.statistics.inference import Mean

FEWEST = 4  # size of a sample; fewer do not generalise to others


class Part(NamedTuple):
    """The contribution of a sample to the variance of a number, and its degrees of freedom."""

    variance: float
    df: float


def by_leaving_out(
    statistic: Callable[..., float], *samples: np.ndarray, strata: Sequence[np.ndarray] | None = None
) -> Mean:
    """A number with its jackknife error over each of its samples (Tukey 1958), degrees of freedom after Satterthwaite.

    samples: the indices of the draws, (n_i,) each; `statistic` takes them in this order. A sample of fewer than FEWEST
    adds nothing: the number is then conditional on it. nan if no sample is large enough, or the number is nan without
    one of its members. strata: (n_i,) for each sample, the stratum of each draw, if draws are made within strata.
    """
    strata = [np.zeros(len(sample)) for sample in samples] if strata is None else strata
    estimate = float(statistic(*samples))
    sampled = [place for place, sample in enumerate(samples) if len(sample) >= FEWEST]

    def without(*places: int) -> np.ndarray:
        """The number without one member of each of some samples, one axis per sample."""
        shape = [len(samples[place]) for place in places]
        values = np.empty(shape)
        for left_out in np.ndindex(*shape):
            left = list(samples)
            for place, one in zip(places, left_out, strict=True):
                left[place] = np.delete(left[place], one)
            values[left_out] = statistic(*left)
        return values

    alone = {place: without(place) for place in sampled}
    parts = [part for place, values in alone.items() for part in spread(values, strata[place])]
    mean = added(estimate, parts)
    if len(parts) < 2:
        return mean
    shared = 0.0
    for one, other in itertools.combinations(sampled, 2):
        together = without(one, other) - alone[one][:, None] - alone[other] + estimate
        for rows, columns in itertools.product(_members(strata[one]), _members(strata[other])):
            n, m = len(rows), len(columns)
            shared += (n - 1) * (m - 1) / (n * m) * float((together[np.ix_(rows, columns)] ** 2).sum())
    return mean._replace(variance=max(mean.variance - shared, *(variance for variance, _ in parts)))


def spread(without: np.ndarray, strata: np.ndarray | None = None) -> list[Part]:
    """The contribution of a sample. without: (n,) the number without each of its members; empty if it is not a
    sample.

    strata: (n,) the stratum of each member. One of few counts less, since the number without it is further off (Wolter
    2007, Section 4.5); differences are from the mean of all, so that strata may differ.
    """
    if not len(without):
        return []
    squares = (without - without.mean()) ** 2
    members = _members(np.zeros(len(without)) if strata is None else strata)
    variance = sum((len(at) - 1) / len(at) * squares[at].sum() for at in members)
    return [Part(float(variance), len(without) - len(members))]


def _members(strata: np.ndarray) -> list[np.ndarray]:
    """The places of each stratum. strata: (n,)."""
    return [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]


def added(estimate: float, parts: Sequence[Part]) -> Mean:
    """A number whose variance is the sum of its parts; nan without any."""
    if not parts:
        return Mean(estimate, np.nan, np.nan)
    total = sum(variance for variance, _ in parts)
    squared = sum(variance**2 / df for variance, df in parts)
    return Mean(estimate, float(total), float(total**2 / squared) if squared > 0 else np.inf)


def share(happened: np.ndarray, *units: np.ndarray) -> Mean:
    """The share of rows in which something happened, with errors that are dependent if rows share a unit.

    happened: (n,) of bool. units: (n, n_slots) each, the indices of a row's units of one kind: for an analogy, its two
    pairs. Kinds with fewer than FEWEST units are not a sample. The variance is that of errors clustered in several ways
    (Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249): what rows that share several units have in
    common, beyond each unit's own contribution, would count more than once and is subtracted. The variance is no less
    than that of any kind, and nan without a kind. Degrees of freedom after Satterthwaite.
    """
    error = (happened - happened.mean()) / len(happened)
    parts, incidence = [], []
    for unit in units:
        levels, place = np.unique(unit, return_inverse=True)
        n, (n_rows, n_slots) = len(levels), unit.shape
        if n < FEWEST:
            continue
        rows = np.repeat(np.arange(n_rows), n_slots)
        at = csr_array((np.ones(rows.size), (rows, place.ravel())), shape=(n_rows, n))
        incidence.append(at)
        parts.append(Part(float(n / (n - 1) * ((at.T @ error) ** 2).sum()), n - 1))
    mean = added(float(happened.mean()), parts)
    if not parts:
        return mean
    # effects of single units are in one kind's part only: the rest would count more than once
    design, n_rows = hstack(incidence).tocsr(), len(happened)
    rest = error - design @ lsqr(design, error, atol=1e-10, btol=1e-10)[0]
    free = n_rows - 1 - sum(df for _, df in parts)
    in_common = (design @ design.T).tocoo()
    rows, columns = in_common.coords
    shared = float(((in_common.data - 1) * rest[rows] * rest[columns]).sum()) * n_rows / free if free > 0 else 0.0
    variance = max(mean.variance - shared, *(part for part, _ in parts))
    return mean._replace(variance=variance)


def share_interval(mean: Mean, fewest_units: int, level: float) -> tuple[float, float]:
    """Bounds of a `share`, within 0 and 1: Wilson's (1927), for the effective number of independent rows (Korn and
    Graubard 1998, Surv. Methodol. 24, 193-201).

    fewest_units: of the smallest kind of units that is a sample. If something happened always or never, the variance is
    0: this number of rows is then used.
    """
    p, z = mean.estimate, float(ndtri((1 + level) / 2))
    if np.isnan(mean.variance):
        return np.nan, np.nan
    n = float(fewest_units)
    if mean.variance > 0:
        n = max(p * (1 - p) / mean.variance * (z / float(stdtrit(mean.df, (1 + level) / 2))) ** 2, 1.0)
    middle, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)
