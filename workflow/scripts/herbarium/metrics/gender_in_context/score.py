"""Gender in the vectors of words in context (Zhao et al. 2019; Zhao 2021, Section 3.2): arrays in, arrays out.

A pair is a word in two sentences that differ in the gender of other words. `x` and `y`, (n_pairs, dimensions), are its
vectors in the first and in the second sentence; `word`, (n_pairs,), says which word it is.
"""

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from herbarium.metrics.gender_in_context.names import LINEAR
from herbarium.statistics import randomisation
from herbarium.statistics.inference import Mean

# So many ways to deal out stereotypes are looked at; all of them where there are no more.
ARRANGEMENTS = 20_000
DRAWS = 9_999


# --- the subspace of differences ---


def explained(differences: np.ndarray, n: int) -> np.ndarray:
    """Shares, (n,), of the squared differences that lie along each of their first n principal directions.

    differences: (n_pairs, dimensions), not centred: of which sentence the other is subtracted must not matter, and what
    all have in common is what is looked for. The first shares are larger the fewer pairs there are, whatever they are
    of: they say something beside others of as many pairs. nan where nothing differs.
    """
    squares = np.linalg.svd(differences, compute_uv=False) ** 2
    shares = np.full(n, np.nan)
    if total := squares.sum():
        shares[: len(squares)] = squares[:n] / total
        shares[len(squares) :] = 0
    return shares


# --- whether differences have a direction in common ---


def by_word(differences: np.ndarray, word: np.ndarray) -> np.ndarray:
    """Products, (n_words, n_words), of the mean differences of words."""
    means = _means(differences, word)
    return means @ means.T


def flip_p_values(products: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """p-values that words have no direction in common, in each layer alone and among all layers, (n_layers,) each.

    products: (n_layers, n_words, n_words) of `by_word`. Where gender moves each word in a direction of its own, or
    none, the sides of a word are exchangeable; a large sum of products says that they are not. Among all layers the
    largest share in common is looked at (Westfall and Young 1993, single step). Flips are those of
    `randomisation.signs`.
    """
    own, flips = np.trace(products, axis1=1, axis2=2)[:, None], randomisation.signs(products.shape[1], random)
    with np.errstate(invalid="ignore"):
        shares = np.stack([np.einsum("ij,ij->i", flips @ of, flips) for of in products]) / own
    observed = shares[:, :1] * (1 - 1e-9)
    found = shares >= observed, np.fmax.reduce(shares) >= observed
    return tuple(np.where(own[:, 0] > 0, as_far.mean(axis=1), np.nan) for as_far in found)


# --- how well the gender of the sentence can be told from the word ---


class Told(NamedTuple):
    """Whether the side of each sentence was told, (n_pairs, 2) of bool, from a classifier that had not seen it; and the
    accuracy with each ν, (n_nu,)."""

    is_right: np.ndarray
    by_nu: np.ndarray


def kernel(x: np.ndarray, name: str) -> np.ndarray:
    """Products of vectors, (n, n): `linear`, or `rbf` with 1/γ the number of dimensions times the variance of all
    coordinates, the default of scikit-learn. Vectors are centred, which changes no linear classifier."""
    x = x - x.mean(axis=0)
    if name == LINEAR:
        return x @ x.T / max((x**2).sum(axis=1).mean(), np.finfo(float).tiny)
    return np.exp(-cdist(x, x, "sqeuclidean") / max(x.shape[1] * x.var(), np.finfo(float).tiny))


def told(
    products: np.ndarray, labels: np.ndarray, groups: np.ndarray, nu: Sequence[float], folds: int, seed: int
) -> Told:
    """Labels told by ν-support vector machines, by cross-validation in which no group is in two folds.

    products: (2 n_pairs, 2 n_pairs) of `kernel`, the first sentences of all pairs before the second ones. labels:
    (2 n_pairs,) of 0 and 1. groups: (n_pairs,), pairs or words. Which ν tells a fold's labels is the one that does best
    in the other folds, so that no label has a say in how it is told.
    """
    from sklearn.model_selection import GroupKFold

    groups = np.tile(groups, 2)
    n_folds = min(folds, len(np.unique(groups)))
    split = GroupKFold(n_folds, shuffle=True, random_state=seed).split(labels, labels, groups)
    fold, is_right = np.empty(len(labels), dtype=int), np.empty((len(nu), len(labels)), dtype=bool)
    for number, (train, test) in enumerate(split):
        fold[test] = number
        for row, value in enumerate(nu):
            is_right[row, test] = _predicted(products, labels, train, test, value) == labels[test]
    chosen = np.empty(len(labels), dtype=bool)
    for number in range(n_folds):
        best = is_right[:, fold != number].mean(axis=1).argmax()
        chosen[fold == number] = is_right[best, fold == number]
    return Told(chosen.reshape(2, -1).T, is_right.mean(axis=1))


def _predicted(products: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray, nu: float) -> np.ndarray:
    """Labels of `test`; the more frequent one of `train` where there is nothing else to go by."""
    from sklearn.svm import NuSVC

    # a control task may leave a fold's training texts with unequal classes, or one
    n_of = np.bincount(labels[train], minlength=2)
    if n_of.min():
        machine = NuSVC(nu=min(nu, 2 * n_of.min() / n_of.sum()), kernel="precomputed")
        with contextlib.suppress(ValueError):  # vectors of the two classes that are equal leave it without a solution
            machine.fit(products[np.ix_(train, train)], labels[train])
            return machine.predict(products[np.ix_(test, train)])
    return np.full(len(test), n_of.argmax())


# --- where words stand that stereotypes give to one side ---


def positions(x: np.ndarray, y: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words, and where each stands, (n_words,), on the direction from the second to the first side.

    The direction is the mean over words of what the sides differ by; 1 is its length, so what a sentence's gender does
    to a word. A word stands where the mean of its vectors does, which are of both sides as often: no position depends
    on how often either is met. nan where the sides have equal vectors.
    """
    names, direction = np.unique(word), _means(x - y, word).mean(axis=0)
    squared = direction @ direction
    return names, _means((x + y) / 2, word) @ direction / squared if squared else np.full(len(names), np.nan)


def _means(values: np.ndarray, word: np.ndarray) -> np.ndarray:
    """(n_words, dimensions) of vectors, (n_pairs, dimensions): the mean of each word."""
    names, number = np.unique(word, return_inverse=True)
    summed = np.zeros((len(names), values.shape[1]))
    np.add.at(summed, number, values)
    return summed / np.bincount(number)[:, None]


def difference(position: np.ndarray, is_first: np.ndarray) -> Mean:
    """How much further to the first side words stand that stereotypes give to it, with Welch's error. position:
    (n_words,) of `positions`; is_first: (n_words,) of bool."""
    first, second = position[is_first], position[~is_first]
    parts = np.array([of.var(ddof=1) / len(of) for of in (first, second)])
    variance = parts.sum()
    df = variance**2 / (parts**2 / [len(first) - 1, len(second) - 1]).sum() if variance else np.inf
    return Mean(float(first.mean() - second.mean()), float(variance), float(df))


def p_values(positions: np.ndarray, is_first: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p-values of `difference` in each layer, alone and among all layers, (n_layers,) each.

    positions: (n_layers, n_words). Which words stereotypes give to the first side is exchangeable among words where it
    means nothing; statistics are Welch's t, and in the second p-value the largest of all layers under the same
    exchange (Westfall and Young 1993, single step), so that layers that say the same cost nothing. Every exchange is
    looked at where they are `ARRANGEMENTS` at most, else `DRAWS` of them and the words' own.
    """
    n, k = len(is_first), int(is_first.sum())
    is_exact = math.comb(n, k) <= ARRANGEMENTS
    dealt = list(_all(n, k)) if is_exact else [is_first, *(random.permutation(is_first) for _ in range(DRAWS))]
    drawn, own = (np.abs(_t(positions, np.array(of))) for of in (dealt, [is_first]))
    own = own * (1 - 1e-9)
    return (drawn >= own).mean(axis=1), (drawn.max(axis=0) >= own).mean(axis=1)


def _all(n: int, k: int) -> Iterator[np.ndarray]:
    for chosen in itertools.combinations(range(n), k):
        yield np.isin(np.arange(n), chosen)


def _t(positions: np.ndarray, is_first: np.ndarray) -> np.ndarray:
    """Welch's t, (n_layers, n_arrangements). is_first: (n_arrangements, n_words)."""
    parts, means = [], []
    centred = positions - positions.mean(axis=1, keepdims=True)  # or the variance of far positions is noise
    for chosen in (is_first, ~is_first):
        n = chosen.sum(axis=1)
        mean = centred @ chosen.T / n
        variance = ((centred**2) @ chosen.T / n - mean**2) * n / (n - 1)
        means.append(mean)
        parts.append(np.maximum(variance, 0) / n)
    error = np.sqrt(parts[0] + parts[1])
    # a split into two kinds that are each alike is as far as can be
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num((means[0] - means[1]) / error, nan=0.0, posinf=np.inf, neginf=-np.inf)
