"""Alignment of two spaces of word vectors: Procrustes, RCSLS, and word translation in the shared space.

Vectors are rows. A matrix W maps the vector x of a source word to W x in the space of the target language, the pivot.

Joulin, Bojanowski, Mikolov, Jégou and Grave 2018, Loss in Translation: Learning Bilingual Word Mapping with a Retrieval
Criterion, EMNLP (RCSLS); Conneau, Lample, Ranzato, Denoyer and Jégou 2018, Word Translation Without Parallel Data, ICLR
(CSLS); Schönemann 1966, Psychometrika 31, 1-10 (orthogonal Procrustes).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

NEIGHBOURS = 10
# Of the released alignment of fastText: its defaults.
STEPS, RATE, LEAST_RATE = 10, 1.0, 1e-4
_CELLS = 2**25  # similarities in memory at once
_TIE = 1e-6  # smaller differences of similarities are ties: vectors are float32


class Fit(NamedTuple):
    """A mapping: W, and the objective before each step and after the last one that was kept."""

    w: np.ndarray
    losses: list[float]


class Pool(NamedTuple):
    """The words among which neighbours are searched for: unit vectors of the source (n, d) and of the target (m, d)."""

    source: np.ndarray
    target: np.ndarray


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows at length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def mapped(vectors: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Unit vectors in the target space, as the released code saves them."""
    return unit(vectors @ w.T)


def procrustes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The orthogonal W (d, d) with the least Σ ‖W x_i − y_i‖²: U V^T, of the singular value decomposition of Y^T X.

    x, y: (n, d) unit vectors of words and of their translations.
    """
    u, _, v = np.linalg.svd(y.T @ x)
    return u @ v


def rcsls(x: np.ndarray, y: np.ndarray, pool: Pool, k: int = NEIGHBOURS, steps: int = STEPS, rate: float = RATE) -> Fit:
    """W with a small RCSLS objective (`objective`), from Procrustes on.

    The neighbours are found again at each step. Given these the objective is linear in W: its gradient does not depend
    on the order of the dictionary's words, so a pass over batches is equivalent to the single full step taken here. As
    in the released code there is no constraint on W, and steps end when the rate is below LEAST_RATE. That code halves
    the rate if the objective rose, but the matrix to which it returns has been overwritten by then; here the step is
    undone.

    x, y: (n, d) unit vectors of words and of their translations. pool: `Pool`. k: neighbours. steps: the largest
    number. rate: the first. Raises ValueError if a pool has fewer than k words.
    """
    rotation = procrustes(x, y)
    loss, gradient = objective(rotation, x, y, pool, k)
    losses = [loss]
    for _ in range(steps):
        tried = rotation - rate * gradient
        loss, at_tried = objective(tried, x, y, pool, k)
        if loss < losses[-1]:
            rotation, gradient = tried, at_tried
            losses.append(loss)
        elif (rate := rate / 2) < LEAST_RATE:
            break
    return Fit(rotation, losses)


def objective(w: np.ndarray, x: np.ndarray, y: np.ndarray, pool: Pool, k: int) -> tuple[float, np.ndarray]:
    """The RCSLS objective (Joulin et al. 2018, Section 3) and its gradient (d, d):

    (1/n) Σ_i [−2 x_i^T W^T y_i + (1/k) Σ_{y ∈ N_Y(W x_i)} x_i^T W^T y + (1/k) Σ_{W x ∈ N_X(y_i)} x^T W^T y_i].

    N_Y(W x_i): the k words of the target that are nearest to W x_i, by dot products, and N_X(y_i) the k mapped words of
    the source nearest to y_i; the gradient is that with these held fixed.
    """
    _require(pool, k)
    at = x @ w.T
    near_y = _mean_of(pool.target, nearest(at, pool.target, k))
    near_x = _mean_of(pool.source, nearest(y, pool.source @ w.T, k))
    toward = near_y - 2 * y
    n = len(x)
    loss = (np.vdot(at, toward) + np.vdot(near_x @ w.T, y)) / n
    return float(loss), (toward.T @ x + y.T @ near_x) / n


def noisy_copies(vectors: np.ndarray, x: np.ndarray, y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """(m, d) unit vectors rotated as Procrustes rotates x to y, with the noise of y around that.

    Each is shifted by the residual of a random word of the dictionary from its rotated counterpart. So a language and
    its copy are related only by a rotation and noise.

    vectors: (m, d) unit vectors of the source. x, y: (n, d) unit vectors of words and of their translations.
    """
    w = procrustes(x, y)
    turned = x @ w.T
    cosines = (turned * y).sum(axis=1, keepdims=True)
    beside = unit(y - cosines * turned)
    rows = random.integers(len(x), size=len(vectors))
    return unit(cosines[rows] * (vectors @ w.T) + np.sqrt(np.maximum(1 - cosines[rows] ** 2, 0)) * beside[rows])


def _mean_of(pool: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(n, d) means of k vectors each. rows: (n, k)."""
    total = pool[rows[:, 0]]
    for column in rows.T[1:]:
        total = total + pool[column]
    return total / rows.shape[1]


def nearest(queries: np.ndarray, pool: np.ndarray, k: int) -> np.ndarray:
    """(n, k) rows of a pool with the greatest dot products with each query, unordered."""
    return np.concatenate(list(_in_blocks(queries, pool, lambda similarities, _: _top(similarities, k))))


def hubness(vectors: np.ndarray, pool: np.ndarray, k: int = NEIGHBOURS) -> np.ndarray:
    """(n,) r: the mean dot product of a vector with the k of a pool that are nearest to it."""

    def mean(similarities: np.ndarray, _: slice) -> np.ndarray:
        return np.take_along_axis(similarities, _top(similarities, k), axis=1).mean(axis=1)

    return np.concatenate(list(_in_blocks(vectors, pool, mean)))


def found(queries: np.ndarray, translations: Sequence[Sequence[int]], pool: Pool, k: int = NEIGHBOURS) -> np.ndarray:
    """(n,) whether a translation of each word is its nearest by CSLS (Conneau et al. 2018, Eq. 3),

    CSLS(W x, y) = 2 cos(W x, y) − r_Y(W x) − r_X(y),

    of which r_Y(W x) is the same for all y, and is left out. Any of a word's translations counts; ties with a word that
    is not a translation are failures.

    queries: (n, d) mapped unit vectors. translations: of each, rows of the target's pool. pool: `Pool`, its source
    mapped already. Raises ValueError if a pool has fewer than k words.
    """
    _require(pool, k)
    r_x = hubness(pool.target, pool.source, k)

    def is_found(similarities: np.ndarray, block: slice) -> np.ndarray:
        scores = 2 * similarities - r_x
        rows = np.repeat(np.arange(len(scores)), [len(right) for right in translations[block]])
        right = np.concatenate([np.asarray(right, dtype=int) for right in translations[block]])
        best = np.full(len(scores), -np.inf)
        np.maximum.at(best, rows, scores[rows, right])
        scores[rows, right] = -np.inf
        return best > scores.max(axis=1) + _TIE

    return np.concatenate(list(_in_blocks(queries, pool.target, is_found)))


def _require(pool: Pool, k: int) -> None:
    fewest = min(len(pool.source), len(pool.target))
    if fewest < k:
        raise ValueError(f"{k} neighbours are needed, but there are {fewest} words")


def _in_blocks(queries: np.ndarray, pool: np.ndarray, function: Callable[[np.ndarray, slice], np.ndarray]):
    """The results of a function of similarities (rows of queries, words of the pool), by blocks of queries."""
    size = max(1, _CELLS // len(pool))
    for first in range(0, len(queries), size):
        block = slice(first, min(first + size, len(queries)))
        yield function(queries[block] @ pool.T, block)


def _top(similarities: np.ndarray, k: int) -> np.ndarray:
    """(n, k) columns of each row's greatest values.

    Columns are divided into sets. The greatest values are in the k sets whose own greatest ones are the greatest, so
    that only a few of many columns need to be sorted.
    """
    n, m = similarities.shape
    n_sets = int(np.sqrt(m * k))
    in_each = m // n_sets
    if in_each < 4:
        return np.argpartition(similarities, m - k, axis=1)[:, m - k :]
    dealt, rest = n_sets * in_each, np.arange(n_sets * in_each, m)
    greatest = similarities[:, :dealt].reshape(n, in_each, n_sets).max(axis=1)
    sets = np.argpartition(greatest, n_sets - k, axis=1)[:, n_sets - k :]
    columns = (sets[:, :, None] + n_sets * np.arange(in_each)).reshape(n, -1)
    columns = np.hstack([columns, np.broadcast_to(rest, (n, len(rest)))])
    among = np.take_along_axis(similarities, columns, axis=1)
    return np.take_along_axis(columns, np.argpartition(among, among.shape[1] - k, axis=1)[:, -k:], axis=1)
