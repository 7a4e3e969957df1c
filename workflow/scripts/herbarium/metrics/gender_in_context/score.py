"""Gender in the vectors of words in context (Zhao et al. 2019; Zhao 2021, Section 3.2): arrays in, arrays out.

A pair is a word in two sentences that differ in the gender of other words. `x` and `y`, (n_pairs, dimensions), are its
vectors in the first and in the second sentence; `word`, (n_pairs,), is the index of the word.
"""

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from herbarium.metrics.gender_in_context.crossed import word_means
from herbarium.metrics.gender_in_context.names import LINEAR
from herbarium.statistics import randomisation
from herbarium.statistics.inference import least_p_value

# The number of permutations of stereotypes; all of them if there are no more.
ARRANGEMENTS = 20_000
DRAWS = 9_999


# --- the subspace of differences ---


def explained(differences: np.ndarray, n: int) -> np.ndarray:
    """Shares, (n,), of the squared differences that lie along each of their first n principal directions.

    differences: (n_pairs, dimensions), not centred: the order of subtraction must not matter, and the common part is of
    interest. The first shares are larger with fewer pairs, whatever these are: they can only be compared with others
    from the same number of pairs. nan if nothing differs.
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
    of_word = word_means(differences, word)
    return of_word @ of_word.T


def flip_p_values(products: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """p-values of no common direction of words, in each layer alone and among all layers, (n_layers,) each.

    products: (n_layers, n_words, n_words) of `by_word`. If gender moves each word in its own direction, or not at all,
    the sides of a word are exchangeable; a large sum of products is evidence against this. Among all layers the largest
    share in common is used (Westfall and Young 1993, single step). Flips are those of `randomisation.signs`.
    """
    traces, flips = np.trace(products, axis1=1, axis2=2)[:, None], randomisation.signs(products.shape[1], random)
    with np.errstate(invalid="ignore"):
        shares = np.stack([np.einsum("ij,ij->i", flips @ product, flips) for product in products]) / traces
    observed = shares[:, :1] * (1 - 1e-9)
    exceeded = shares >= observed, np.fmax.reduce(shares) >= observed
    return tuple(np.where(traces[:, 0] > 0, as_far.mean(axis=1), np.nan) for as_far in exceeded)


# --- how well the gender of the sentence can be predicted from the word ---


class Told(NamedTuple):
    """Whether the side of each sentence was predicted correctly, (n_pairs, 2) of bool, by a classifier that had not
    seen it; and the accuracy with each ν, (n_nu,)."""

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
    """Labels predicted by ν-support vector machines, with cross-validation in which no group is in two folds.

    products: (2 n_pairs, 2 n_pairs) of `kernel`, the first sentences of all pairs before the second ones. labels:
    (2 n_pairs,) of 0 and 1. groups: (n_pairs,), pairs or words. The ν for a fold's labels is the one that does best in
    the other folds, so that no label influences its own prediction.
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
    """Labels of `test`; the more frequent one of `train` if nothing else is available."""
    from sklearn.svm import NuSVC

    # a control task may leave a fold's training texts with unequal classes, or one
    n_of = np.bincount(labels[train], minlength=2)
    if n_of.min():
        machine = NuSVC(nu=min(nu, 2 * n_of.min() / n_of.sum()), kernel="precomputed")
        with contextlib.suppress(ValueError):  # vectors of the two classes that are equal leave it without a solution
            machine.fit(products[np.ix_(train, train)], labels[train])
            return machine.predict(products[np.ix_(test, train)])
    return np.full(len(test), n_of.argmax())


# --- whether words lie where stereotypes have them ---


def p_values(positions: np.ndarray, is_first: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p-values of the stereotype difference in each layer, alone and among all layers, (n_layers,) each.

    positions: (n_layers, n_words), in any unit. Under the null hypothesis, the stereotypes of words are exchangeable;
    statistics are Welch's t, and for the second p-value the largest of all layers under the same permutation (Westfall
    and Young 1993, single step), so that layers that agree cost nothing. All permutations are enumerated if there are
    at most `ARRANGEMENTS`, else `DRAWS` of them and the words' own.
    """
    n, k = len(is_first), int(is_first.sum())
    is_exact = math.comb(n, k) <= ARRANGEMENTS
    dealt = list(_all(n, k)) if is_exact else [is_first, *(random.permutation(is_first) for _ in range(DRAWS))]
    drawn, observed = (np.abs(_t(positions, np.array(assignment))) for assignment in (dealt, [is_first]))
    observed = observed * (1 - 1e-9)
    return (drawn >= observed).mean(axis=1), (drawn.max(axis=0) >= observed).mean(axis=1)


def least_stereotype_p_value(n: int, k: int) -> float:
    """The least p-value that n words, k of them of the first side, can have: with as many of either side, exchanging
    the sides changes no |t|."""
    arrangements = math.comb(n, k)
    return least_p_value(arrangements if arrangements <= ARRANGEMENTS else 1 + DRAWS, 2 if n == 2 * k else 1)


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
    # a split into two kinds without any variance is the most extreme
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num((means[0] - means[1]) / error, nan=0.0, posinf=np.inf, neginf=-np.inf)
