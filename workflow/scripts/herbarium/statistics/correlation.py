"""Correlations of ranks, and of tables of distances: with permutation tests, and with intervals by drawing anew what is
correlated.

Ranks: Spearman (1904). Distances: Mantel (1967).
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import scipy  # whose parts are imported when they are first used

from herbarium.statistics.inference import percentile_interval

PERMUTATIONS = 9_999
FEWEST = 3  # pairs of values
_ALL_ORDERS = 5_040  # of seven values
_TIE = 1e-12  # correlations that differ by less are equal: sums in another order

Statistic = Callable[..., np.ndarray]


# --- ranks ---


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(...,) Spearman's rank correlation along the last axis, ties at their mean rank; nan where one side is constant.

    x, y: (..., n), or one of them (n,).
    """
    return _pearson(_ranks(x), _ranks(y))


def partial_spearman(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(...,) rank correlation of x and y given z: of the residuals of both ranks on the ranks of z by least squares.

    That is the first-order partial correlation (r_xy - r_xz r_yz) / sqrt((1 - r_xz²)(1 - r_yz²)), of Spearman's r. nan
    where one of the three is constant, or x or y has the order of z. Arguments as for `spearman`.
    """
    x, y, z = _ranks(x), _ranks(y), _ranks(z)
    r_xy, r_xz, r_yz = _pearson(x, y), _pearson(x, z), _pearson(y, z)
    left = (1 - r_xz**2) * (1 - r_yz**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > _TIE, (r_xy - r_xz * r_yz) / np.sqrt(left), np.nan)


def _ranks(x: np.ndarray) -> np.ndarray:
    return scipy.stats.rankdata(x, axis=-1)


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))


def p_value(r: float, n: int, given: int = 0) -> float:
    """Two-sided p-value of a rank correlation of n pairs by Student's t of n - 2 - given degrees of freedom.

    given: how many variables were held fixed. nan without a degree of freedom. Rough where n is below ten or so.
    """
    df = n - 2 - given
    if df < 1 or math.isnan(r):
        return math.nan
    if abs(r) >= 1:
        return 0.0
    return float(2 * scipy.stats.t.sf(abs(r) * math.sqrt(df / (1 - r**2)), df))


def permutation_p_value(x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    """Two-sided p-value of Spearman's correlation by permutation, and the least one that these values could have.

    x, y: (n,), neither constant. All n! orders where `tries_all`, the p-value then being exact; else 9,999 random ones,
    with the order itself as one more.
    """
    if tries_all(len(y)):
        permuted = np.array(list(itertools.permutations(y)))
    else:
        permuted = random.permuted(np.broadcast_to(y, (PERMUTATIONS, len(y))), axis=1)
        permuted = np.concatenate([[y], permuted])
    r = np.abs(spearman(x, permuted))
    least = (r >= r.max() - _TIE).mean() if tries_all(len(y)) else 1 / len(permuted)
    return float((r >= abs(spearman(x, y)) - _TIE).mean()), float(least)


def arrangements(n: int) -> int:
    """How many orders of n things a permutation test looks at: all, or those it draws and the one that is."""
    return min(math.factorial(n), PERMUTATIONS + 1)


def tries_all(n: int) -> bool:
    """Whether a permutation test of n pairs goes through all orders: of seven at most, 5,040."""
    return math.factorial(n) <= _ALL_ORDERS


# --- distances ---


def mantel(one: np.ndarray, other: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n_replicates,) Pearson's correlation of two tables of distances over all pairs of n things (Mantel 1967).

    one, other: (n, n) distances. counts: (n_replicates, n) how often each thing is drawn: a pair counts as often as
    both together, and a thing and its copy are no pair. nan where a table is constant.
    """

    def total(table: np.ndarray) -> np.ndarray:
        return ((counts @ table) * counts).sum(axis=1)

    counts = counts.astype(float)
    pairs = counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)
    # centred first: the correlation is the same, and what is subtracted below is small
    pair = ~np.eye(len(one), dtype=bool)
    one, other = (np.where(pair, table - table[pair].mean(), 0) for table in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [total(table) / pairs for table in (one, other)]
        variances = [total(table**2) / pairs - mean**2 for table, mean in zip((one, other), means, strict=True)]
        covariance = total(one * other) / pairs - means[0] * means[1]
        vary = np.minimum(*variances) > _TIE * max((one**2).max(), (other**2).max(), _TIE)
        return np.where(vary, covariance / np.sqrt(variances[0] * variances[1]), np.nan)


def mantel_p_value(one: np.ndarray, other: np.ndarray, permutations: int, random: np.random.Generator) -> float:
    """One-sided p-value that what is near in one table is near in the other: the things change places.

    one, other: (n, n) distances, neither constant. All that a permutation changes is the sum of products.
    """
    observed = (one * other).sum()
    drawn = np.empty(permutations)
    for i in range(permutations):
        order = random.permutation(len(other))
        drawn[i] = np.einsum("ij,ij->", one, other[order[:, None], order])
    tie = _TIE * observed
    return float((1 + (drawn >= observed - tie).sum()) / (1 + permutations))


# --- rows ---


def correlated(
    statistic: Statistic, values: list[np.ndarray], bootstrap: dict, random: np.random.Generator, what: str
) -> dict:
    """A correlation of ranks, its interval and its p-value, by column of the tidy table; without one, why.

    statistic: `spearman`, or `partial_spearman`. values: its arguments, (n,) each. bootstrap: `replicates` and `level`.
    random: what draws the n things, which are called `what`.
    """
    n = len(values[0])
    if n < FEWEST:
        return {"p_value": np.nan, "note": f"fewer than {FEWEST} {what}"}
    r = float(statistic(*values))
    if math.isnan(r):
        return {
            "p_value": np.nan,
            "note": "no correlation: one side is constant, or the one that is held fixed says all",
        }
    places = draws(n, bootstrap["replicates"], random)
    drawn = statistic(*(of[places] for of in values))
    return {"estimate": r, "p_value": p_value(r, n, len(values) - 2)} | interval(drawn, bootstrap["level"])


def draws(n: int, replicates: int, random: np.random.Generator) -> np.ndarray:
    """(replicates, n) places of what is drawn of n things."""
    return random.integers(n, size=(replicates, n))


def interval(drawn: np.ndarray, level: float) -> dict[str, float]:
    """By column of the tidy table; of none where a replicate has no correlation, or there are fewer than two."""
    if len(drawn) < 2 or np.isnan(drawn).any():
        return {}
    low, high = percentile_interval(drawn, level)
    return {"std_error": drawn.std(ddof=1), "ci_low": low, "ci_high": high}
