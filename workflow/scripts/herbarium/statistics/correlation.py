"""Correlations of ranks, and of tables of distances: with permutation tests and bootstrap intervals.

Ranks: Spearman (1904). Distances: Mantel (1967).

Countries of one continent are similar in many ways, so that two unrelated things correlate over countries as soon as
both differ between continents. `Strata` define what may be exchanged: a correlation with strata uses differences within
them only, and its permutations stay within them (restricted permutation: Good 2005, Section 3.6; given further
variables, of residuals: Freedman and Lane 1983).
"""

import itertools
import math
from collections.abc import Hashable, Sequence

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import above_zero, percentile_interval

PERMUTATIONS = 9_999
FEWEST = 5  # pairs of values: with four, the least p-value of any order is 2/4!, .083
_ALL_ORDERS = 5_040  # of seven values
_TIE = 1e-12  # smaller differences of correlations are rounding: sums in another order
CONSTANT = "no correlation: one side is constant"


# --- ranks ---


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(...,) Spearman's rank correlation along the last axis, ties at their mean rank; nan if one side is constant.

    x, y: (..., n), or one of them (n,).
    """
    return _pearson(_ranks(x), _ranks(y))


def _ranks(x: np.ndarray) -> np.ndarray:
    return scipy.stats.rankdata(x, axis=-1)


class Strata:
    """Indices of the members of each stratum. Strata with one member carry no information and are left out."""

    def __init__(self, labels: Sequence[Hashable]):
        """labels: the stratum of each of n things."""
        by_stratum: dict[Hashable, list[int]] = {}
        for place, stratum in enumerate(labels):
            by_stratum.setdefault(stratum, []).append(place)
        self.places = [np.array(places) for places in by_stratum.values() if len(places) > 1]
        self.n = sum(map(len, self.places))

    @property
    def arrangements(self) -> int:
        """The number of orders that stay within the strata."""
        return math.prod(math.factorial(len(at)) for at in self.places)

    def scores(self, x: np.ndarray) -> np.ndarray:
        """(..., n) normal scores of the ranks within each stratum (van der Waerden 1952), `centred`."""
        scores = np.zeros(np.shape(x))
        for at in self.places:
            scores[..., at] = scipy.special.ndtri(_ranks(x[..., at]) / (len(at) + 1))
        return self.centred(scores)

    def centred(self, x: np.ndarray) -> np.ndarray:
        """(..., n) values minus the mean of their stratum; 0 for what is left out."""
        centred_values = np.zeros(np.shape(x))
        for at in self.places:
            centred_values[..., at] = x[..., at] - x[..., at].mean(axis=-1, keepdims=True)
        return centred_values

    def orders(self, n: int, count: int, random: np.random.Generator) -> np.ndarray:
        """(count, n) orders of n things that stay within the strata."""
        orders = np.tile(np.arange(n), (count, 1))
        for at in self.places:
            orders[:, at] = random.permuted(np.broadcast_to(at, (count, len(at))), axis=1)
        return orders

    def draws(self, n: int, count: int, random: np.random.Generator) -> np.ndarray:
        """(count, n) indices drawn with replacement, within each stratum as many as it has."""
        drawn = np.tile(np.arange(n), (count, 1))
        for at in self.places:
            drawn[:, at] = at[random.integers(len(at), size=(count, len(at)))]
        return drawn


def within(x: np.ndarray, y: np.ndarray, strata: Strata, given: Sequence[np.ndarray] = ()) -> np.ndarray:
    """(...,) correlation of the normal scores of x and y within strata, given further variables.

    x, y, each of given: (..., n). The normal scores of what is given, and their squares, are regressed out of both
    sides. nan if one side is constant within every stratum, or fully explained by what is given.
    """
    held = _held(strata, given)
    return _cosine(*(_residuals(strata.scores(values), held) for values in (x, y)))


def within_p_value(
    x: np.ndarray, y: np.ndarray, strata: Strata, given: Sequence[np.ndarray], orders: np.ndarray
) -> float:
    """Two-sided p-value of `within`: permutations, within strata, of the residuals of y. orders: of `Strata.orders`.

    Valid as long as what is given does not explain most of both sides (`explained`): what least squares misses of it
    remains in both (tests/statistics/test_correlation.py).
    """
    held = _held(strata, given)
    x, y = (_residuals(strata.scores(values), held) for values in (x, y))
    drawn = _residuals(y[orders], held)
    as_far = np.abs(_cosine(x, drawn)) >= abs(_cosine(x, y)) - _TIE
    return float((1 + as_far.sum()) / (1 + len(orders)))


def explained(x: np.ndarray, strata: Strata, given: Sequence[np.ndarray]) -> float:
    """The share of the variance of x within strata that is explained by what is given (R²). Arguments as for `within`,
    (n,)."""
    scores = strata.scores(x)
    return float(1 - (_residuals(scores, _held(strata, given)) ** 2).sum() / (scores**2).sum())


def _held(strata: Strata, given: Sequence[np.ndarray]) -> list[np.ndarray]:
    scores = [strata.scores(values) for values in given]
    return scores + [strata.centred(score**2) for score in scores]


def _residuals(values: np.ndarray, given: Sequence[np.ndarray]) -> np.ndarray:
    """Residuals of values after least squares on the given variables, without a constant. All (..., n), or given
    (n,)."""
    if not len(given):
        return values
    design = np.stack(given, axis=-1)
    if design.ndim == 2:  # the same for all values
        return values - (values @ design) @ np.linalg.pinv(design.T @ design, hermitian=True) @ design.T
    products = np.swapaxes(design, -1, -2)
    slopes = np.linalg.pinv(products @ design, hermitian=True) @ (products @ values[..., None])
    return values - (design @ slopes)[..., 0]


def _cosine(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Correlation of vectors along the last axis; nan if one is almost 0."""
    squares = (x**2).sum(axis=-1) * (y**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > _TIE, (x * y).sum(axis=-1) / np.sqrt(squares), np.nan)


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))


def p_value(r: float, n: int) -> float:
    """Two-sided p-value of a rank correlation of n independent pairs by Student's t of n - 2 degrees of freedom; at
    least 2/n!, the p-value of two equal or opposite orders without ties in a permutation test.

    nan without a degree of freedom. Rough if n is below ten or so.
    """
    df = n - 2
    if df < 1 or math.isnan(r):
        return math.nan
    least = math.exp(math.log(2) - math.lgamma(n + 1))
    rest = 1 - min(r**2, 1)
    by_t = 2 * scipy.stats.t.sf(abs(r) * math.sqrt(df / rest), df) if rest else 0
    return float(above_zero(max(by_t, least)))


def permutation_p_value(x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> tuple[float, float]:
    """Two-sided p-value of Spearman's correlation by permutation, and the least one that these values could have.

    x, y: (n,), neither constant. All n! orders if `tries_all`, so that the p-value is exact; else 9,999 random ones and
    the observed order.
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
    """The number of orders of n things in a permutation test: all, or those drawn and the observed one."""
    return min(math.factorial(n), PERMUTATIONS + 1)


def tries_all(n: int) -> bool:
    """Whether a permutation test of n pairs enumerates all orders: up to seven pairs, 5,040 orders."""
    return math.factorial(n) <= _ALL_ORDERS


# --- distances ---


def mantel(one: np.ndarray, other: np.ndarray, strata: Strata, counts: np.ndarray) -> np.ndarray:
    """(n_replicates,) Pearson's correlation of two tables of distances over the pairs within strata (Mantel 1967), each
    minus the mean of its stratum.

    one, other: (n, n) distances. counts: (n_replicates, n) how often each thing is drawn: a pair counts as the product
    of both counts, and a thing and its copy are not a pair. nan if a table is constant.
    """
    products, squares = 0.0, np.zeros((2, len(counts)))
    for at in strata.places:
        weights = counts[:, at].astype(float)
        pairs = weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)
        x, y = (_centred_pairs(table[np.ix_(at, at)]) for table in (one, other))

        def total(table: np.ndarray, weights: np.ndarray = weights) -> np.ndarray:
            return ((weights @ table) * weights).sum(axis=1)

        with np.errstate(divide="ignore", invalid="ignore"):
            products = products + np.where(pairs > 0, total(x * y) - total(x) * total(y) / pairs, 0)
            squares += [np.where(pairs > 0, total(values**2) - total(values) ** 2 / pairs, 0) for values in (x, y)]
    with np.errstate(divide="ignore", invalid="ignore"):
        vary = squares.min(axis=0) > _TIE * np.array([(table**2).max() for table in (one, other)]).max() * len(one)
        return np.where(vary, products / np.sqrt(squares[0] * squares[1]), np.nan)


def mantel_p_value(one: np.ndarray, other: np.ndarray, strata: Strata, orders: np.ndarray) -> float:
    """One-sided p-value for things near in one table being near in the other: things are permuted within strata.

    one, other: (n, n) distances, neither constant within strata. orders: of `Strata.orders`. A permutation changes only
    the sum of products.
    """
    blocks = [(at, *(_centred_pairs(table[np.ix_(at, at)]) for table in (one, other))) for at in strata.places]
    observed = sum((x * y).sum() for _, x, y in blocks)
    drawn = np.zeros(len(orders))
    for at, x, y in blocks:
        place = np.argsort(at)
        inside = place[np.searchsorted(at, orders[:, at], sorter=place)]
        drawn += [np.einsum("ij,ij->", x, y[order[:, None], order]) for order in inside]
    return float((1 + (drawn >= observed - _TIE * abs(observed)).sum()) / (1 + len(orders)))


def _centred_pairs(table: np.ndarray) -> np.ndarray:
    """Distances of pairs minus their mean, so that later subtractions are of small numbers. 0 on the diagonal."""
    pair = ~np.eye(len(table), dtype=bool)
    return np.where(pair, table - table[pair].mean(), 0)


# --- rows ---


def correlated(x: np.ndarray, y: np.ndarray, bootstrap: dict, random: np.random.Generator, what: str) -> dict:
    """Spearman's correlation of independent pairs, its interval and its p-value, by column of the tidy table; if there
    is none, the note says why.

    x, y: (n,). bootstrap: `replicates` and `level`. random: draws the n things, called `what`.
    """
    n = len(x)
    if n < FEWEST:
        return {"p_value": np.nan, "note": f"fewer than {FEWEST} {what}"}
    r = float(spearman(x, y))
    if math.isnan(r):
        return {"p_value": np.nan, "note": CONSTANT}
    places = draws(n, bootstrap["replicates"], random)
    return {"estimate": r, "p_value": p_value(r, n)} | interval(spearman(x[places], y[places]), bootstrap["level"])


def draws(n: int, replicates: int, random: np.random.Generator) -> np.ndarray:
    """(replicates, n) indices drawn from n things."""
    return random.integers(n, size=(replicates, n))


def interval(drawn: np.ndarray, level: float) -> dict[str, float]:
    """By column of the tidy table; empty if a replicate has no correlation, or there are fewer than two."""
    if len(drawn) < 2 or np.isnan(drawn).any():
        return {}
    low, high = percentile_interval(drawn, level)
    return {"std_error": drawn.std(ddof=1), "ci_low": low, "ci_high": high}
