"""Where the words of two stereotypes lie on the direction of gender, from products of different words only.

The mean difference of words is a noisy direction: its squared length is the squared length of the direction of gender
plus the error of each dimension, so that lengths measured in units of it are too short, the more so the more dimensions
there are. Products of different words have no such error: what belongs to a single word cancels. It is the
cross-validated distance of representational similarity analysis (Walther et al. 2016, NeuroImage 137), with words as
its independent measurements.

m_w is the mean of a word's vectors, equally many from both sides, and d_w the mean of their differences. Both are only
needed as `Products`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from herbarium.statistics.inference import Mean

FEWEST_OF_A_KIND = 3
# The sides are apart if the squared length of the direction is above 0 in a two-sided test at this level.
LEVEL = 0.95
NOT_APART = "the sides are not apart by more than the words' own noise, so there is no unit"


class Products(NamedTuple):
    """along: (n_words, n_words) m_w · d_v, words in rows, directions in columns. alike: (n_words, n_words) d_w · d_v.
    Its diagonals, products of a word with itself, are in no estimate."""

    along: np.ndarray
    alike: np.ndarray


class Kinds(NamedTuple):
    """Which words stereotypes assign to the first and to the second side, (n_words,) of bool each."""

    first: np.ndarray
    second: np.ndarray

    @property
    def fewest(self) -> int:
        return int(min(self.first.sum(), self.second.sum()))


def word_means(values: np.ndarray, word: np.ndarray) -> np.ndarray:
    """(n_words, dimensions) of vectors, (n_pairs, dimensions): the mean of each word."""
    names, number = np.unique(word, return_inverse=True)
    summed = np.zeros((len(names), values.shape[1]))
    np.add.at(summed, number, values)
    return summed / np.bincount(number)[:, None]


def products(x: np.ndarray, y: np.ndarray, word: np.ndarray) -> Products:
    """Products of the words in the order of `np.unique`. x, y: (n_pairs, dimensions), the first and the second side of
    each pair. word: (n_pairs,)."""
    middle, difference = word_means((x + y) / 2, word), word_means(x - y, word)
    return Products((middle - middle.mean(axis=0)) @ difference.T, difference @ difference.T)


def squared_length(alike: np.ndarray) -> Mean:
    """The squared length of the direction of gender: the mean of d_w · d_v over different words, which can be negative,
    with its error over words. alike: (n_words, n_words), at least four words."""
    effect = _effects(alike)
    n = len(effect)
    return Mean(float(effect.mean()), _once((4 * _deviations(effect) ** 2).sum(), _noise_of_length(alike)), n - 1)


def in_units(source_products: Products) -> Products:
    """Products divided by the squared length of the direction; nan if the sides are not apart."""
    length = squared_length(source_products.alike)
    is_apart = length.estimate > stdtrit(length.df, (1 + LEVEL) / 2) * length.std_error
    unit = length.estimate if is_apart else np.nan
    return Products(source_products.along / unit, source_products.alike / unit)


def positions(along: np.ndarray) -> np.ndarray:
    """(n_words,) how much further each word lies towards the first side than all words do on average.

    The mean over words v of (m_w − m_v) · d, where d is the mean difference of all words but w and v. along: (n_words,
    n_words), in the unit of the positions, `in_units`.
    """
    n = len(along)
    along = along - along.mean(axis=0)
    alone = along.diagonal()
    return ((n - 1) * along.sum(axis=1) - n * alone + alone.sum()) / (n * (n - 2))


def difference(source_products: Products, kinds: Kinds) -> Mean:
    """How much further towards the first side the words lie that stereotypes assign to it; its error over words, as
    that of a ratio (delta method), is that of the words' places, of the direction and of its length.

    source_products: `in_units`. kinds: at least FEWEST_OF_A_KIND words each. Degrees of freedom: those of the smaller
    kind.
    """
    estimate = _gap(positions(source_products.along), kinds)
    return Mean(estimate, _variance(source_products.along, estimate * source_products.alike, kinds), kinds.fewest - 1)


def change(before: Products, after: Products, kinds: Kinds) -> Mean:
    """The difference of the differences of two sources, paired by word. before, after: `in_units`, of the same
    words."""
    first, second = (_gap(positions(side.along), kinds) for side in (before, after))
    variance = _variance(after.along - before.along, second * after.alike - first * before.alike, kinds)
    return Mean(second - first, variance, kinds.fewest - 1)


def _gap(position: np.ndarray, kinds: Kinds) -> float:
    return float(position[kinds.first].mean() - position[kinds.second].mean())


def _effects(alike: np.ndarray) -> np.ndarray:
    """(n_words,) the effect of gender on each word along the mean difference of the others."""
    return (alike.sum(axis=1) - alike.diagonal()) / (len(alike) - 1)


def _along_own(along: np.ndarray, kinds: Kinds) -> np.ndarray:
    """(n_words,) how far the other words of the two kinds are apart along the difference of each word."""
    first, second = (
        (along[kind].sum(axis=0) - np.where(kind, along.diagonal(), 0)) / (kind.sum() - kind) for kind in kinds
    )
    return first - second


def _deviations(values: np.ndarray) -> np.ndarray:
    """(n,) whose squares sum to the variance of the mean of (n,) values."""
    n = len(values)
    return (values - values.mean()) / np.sqrt(n * (n - 1))


def _variance(along: np.ndarray, alike: np.ndarray, kinds: Kinds) -> float:
    """The variance of a sum of c_w m_w · d_v − d_w · d_v over different words, c_w the weight of a word in the
    difference of the kinds: each word contributes as a place and as a part of the direction, on which the length
    depends twice. alike: times the difference."""
    of_word = _deviations(_along_own(along, kinds) - 2 * _effects(alike))
    position = positions(along)
    for sign, kind in zip((1, -1), kinds, strict=True):
        of_word[kind] += sign * _deviations(position[kind])
    return _once((of_word**2).sum(), _noise_of_places(along, kinds) + _noise_of_length(alike))


def _once(by_word: float, noise: float) -> float:
    """A variance from the contributions of words: what belongs to a pair of words is in that of both, and is subtracted
    once. At most half of the sum can be."""
    return float(max(by_word - noise, by_word / 2))


def _noise_of_length(alike: np.ndarray) -> float:
    """The variance of the mean of d_w · d_v over different words that belongs to pairs of words, from what the products
    are beyond the sum of two words' effects (centred as by Székely and Rizzo 2014, Ann. Stat. 42, whose sum of squares
    is unbiased)."""
    n = len(alike)
    off = alike - np.diag(alike.diagonal())
    of_word = off.sum(axis=1)
    rest = off - (of_word[:, None] + of_word) / (n - 2) + of_word.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(rest, 0)
    return 2 * float((rest**2).sum()) / (n * (n - 3)) / (n * (n - 1))


def _noise_of_places(along: np.ndarray, kinds: Kinds) -> float:
    """The same of the difference of places, from the places of a kind along the differences of all other words."""
    n, noise = len(along), 0.0
    for kind in kinds:
        cells = along[np.ix_(kind, ~kind)]
        rest = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
        n_places, n_directions = rest.shape
        noise += (rest**2).sum() / ((n_places - 1) * (n_directions - 1)) / (n_places * (n - 1))
    return float(noise)
