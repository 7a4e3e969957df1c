"""Reliability: would other words, or another form, rank objects in the same order?

An object is what has a number: a region of one model, or a model. Its number is the mean over words (items) and forms
(templates, and other things that are interchangeable). Everything here is relative: it is about the order of objects,
not their values.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import fdtri

ENOUGH = 0.8  # reliability from which differences between objects are usually interpreted (Nunnally 1978)
# Objects. An alpha that is truly .8 is estimated below 0 with probability .34 for two objects, .18 for three, .06 for
# five (1 - alpha is F distributed): for two it says nothing, from three on its interval does.
FEWEST = 3
_MOST_WORDS = 100_000


class Components(NamedTuple):
    """Variances of a value: of objects (o), words (w), forms (f) and of their interactions; with one form, those with f
    are 0."""

    o: float
    w: float
    f: float
    ow: float
    of: float
    wf: float
    owf: float


def alpha(x: np.ndarray) -> float:
    """Cronbach's (1951) alpha of objects over words: 1 − MS(objects × words) / MS(objects).

    x: (n_objects, n_words), at least two of each. nan if objects have equal means.
    """
    objects, residual = _mean_squares(x)
    return float(1 - residual / objects) if objects else float("nan")


def alpha_interval(x: np.ndarray, level: float) -> tuple[float, float]:
    """Interval of `alpha` for sampled objects: exact for normal values (Feldt, Woodruff and Salih 1987, Eq. 2)."""
    n, k = x.shape
    quantiles = fdtri(n - 1, (n - 1) * (k - 1), [(1 + level) / 2, (1 - level) / 2])
    low, high = 1 - (1 - alpha(x)) * quantiles
    return float(low), float(high)


def of_one(alpha: float, n: int) -> float:
    """The reliability of one of n parallel measurements whose mean has reliability alpha (Spearman–Brown, downwards):
    the intraclass correlation ICC(3,1) of Shrout and Fleiss (1979). It rises with alpha, so bounds map to bounds."""
    return alpha / (n - (n - 1) * alpha)


def below_chance(coefficient: float, n_objects: int) -> str | None:
    """What a reliability below 0 means, in words; None if it is not. Its range has no lower bound."""
    if not coefficient < 0:
        return None
    return f"below 0: {n_objects} objects keep their order no more than by chance; how far below says nothing"


def _mean_squares(x: np.ndarray) -> tuple[float, float]:
    """Of objects, and of the interaction of objects and words. x: (n_objects, n_words)."""
    n, k = x.shape
    of_objects, of_words = x.mean(axis=1), x.mean(axis=0)
    residual = x - of_objects[:, None] - of_words + x.mean()
    return k * of_objects.var(ddof=1), (residual**2).sum() / ((n - 1) * (k - 1))


def split_half(x: np.ndarray, splits: int, random: np.random.Generator) -> float:
    """Correlation over objects of the means of two halves of the words, its mean over random halves, stepped up to all
    words (Spearman 1910; Brown 1910).

    x: (n_objects, n_words), at least three objects and two words. nan if a half has equal means.
    """
    n_words = x.shape[1]
    correlations = []
    for _ in range(splits):
        order = random.permutation(n_words)
        halves = [x[:, half].mean(axis=1) for half in (order[: n_words // 2], order[n_words // 2 : 2 * (n_words // 2)])]
        correlations.append(_correlation(*halves))
    return float(spearman_brown(np.mean(correlations)))


def spearman_brown(correlation: float, parts: int = 2) -> float:
    """The reliability of a whole from the correlation of its parts, halves by default."""
    return parts * correlation / (1 + (parts - 1) * correlation)


def parallel_forms(x: np.ndarray) -> float:
    """Correlation over objects of their means in two forms, averaged over all pairs of forms.

    x: (n_objects, n_words, n_forms), at least two forms.
    """
    means = x.mean(axis=1)
    first, second = np.triu_indices(means.shape[1], 1)
    return float(np.mean([_correlation(means[:, a], means[:, b]) for a, b in zip(first, second, strict=True)]))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def components(x: np.ndarray) -> Components:
    """Variance components of the crossed design by expected mean squares (Brennan 2001, Table 3.3); a negative estimate
    counts as 0.

    x: (n_objects, n_words, n_forms), at least two objects and two words; with one form, objects × words.
    """
    n, k, m = x.shape
    if m == 1:
        objects, residual = _mean_squares(x[:, :, 0])
        words, _ = _mean_squares(x[:, :, 0].T)
        variances = [(objects - residual) / k, (words - residual) / n, 0, residual, 0, 0, 0]
        return Components(*(max(float(variance), 0.0) for variance in variances))
    squares = _three_way(x)
    o, w, f, ow, o_by_f, wf, owf = (squares[key] for key in Components._fields)
    variances = [  # of expected mean squares, solved for each variance
        (o - ow - o_by_f + owf) / (k * m),
        (w - ow - wf + owf) / (n * m),
        (f - o_by_f - wf + owf) / (n * k),
        (ow - owf) / m,
        (o_by_f - owf) / k,
        (wf - owf) / n,
        owf,
    ]
    return Components(*(max(float(variance), 0.0) for variance in variances))


def _three_way(x: np.ndarray) -> dict[str, float]:
    """Mean squares of a fully crossed design without repetitions, by the names of `Components`."""
    axes = dict(zip("owf", range(3), strict=True))
    effects: dict[str, np.ndarray] = {"": x.mean(keepdims=True)}
    squares = {}
    for name in Components._fields:
        averaged = tuple(axis for letter, axis in axes.items() if letter not in name)
        # subtract the mean and every effect of a subset of its factors
        inside = [effects[effect] for effect in effects if set(effect) < set(name)]
        effects[name] = x.mean(axis=averaged, keepdims=True) - sum(inside)
        repeated = np.prod([x.shape[axis] for axis in averaged])
        freedom = np.prod([x.shape[axes[letter]] - 1 for letter in name])
        squares[name] = float(repeated * (effects[name] ** 2).sum() / freedom)
    return squares


def generalizability(variances: Components, n_words: int, n_forms: int) -> float:
    """Share of the variance of objects' means, over this number of words and forms, that is between objects."""
    error = variances.ow / n_words + variances.of / n_forms + variances.owf / (n_words * n_forms)
    return variances.o / (variances.o + error) if variances.o + error else float("nan")


def words_needed(variances: Components, n_forms: int, enough: float = ENOUGH) -> int | None:
    """The number of words needed for a reliability of `enough` with this number of forms; None if no number
    suffices."""
    allowed = variances.o * (1 - enough) / enough - variances.of / n_forms
    if allowed <= 0:
        return None
    needed = (variances.ow + variances.owf / n_forms) / allowed
    # rounding must not add a word
    return max(int(np.ceil(round(needed, 9))), 1) if needed <= _MOST_WORDS else None


def rank_stability(x: np.ndarray, replicates: int, random: np.random.Generator) -> tuple[float, float]:
    """Mean of Kendall's tau between the order of objects by resampled words and by all words, and the share of
    resamples that keep the whole order.

    x: (n_objects, n_words), at least two objects.
    """
    from scipy.stats import kendalltau, rankdata

    k = x.shape[1]
    means = x.mean(axis=1)
    # one after the other: all at once, 100,000 words take gigabytes
    drawn = np.stack([x[:, random.integers(k, size=k)].mean(axis=1) for _ in range(replicates)], axis=1)
    same = (np.argsort(drawn, axis=0, kind="stable") == np.argsort(means, kind="stable")[:, None]).all(axis=0)
    # tau depends on the order alone, and few objects have few orders
    orders, place = np.unique(rankdata(drawn, axis=0), axis=1, return_inverse=True)
    taus = np.array([kendalltau(means, order).statistic for order in orders.T])[place]
    return float(np.mean(taus)), float(same.mean())
