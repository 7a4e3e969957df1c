"""Are the vectors still good ones? Word similarity and analogies (Zhao 2021, Table 3.2), which bias does not matter to.

Similarity: the rank correlation of cosines with people's scores. Analogy: "A is to B as C is to ?" is answered by the
word whose vector is nearest to w_B - w_A + w_C (Mikolov et al. 2013), A, B and C excluded. Zhao (2021) prints
w_A - w_B + w_C, which answers "B is to A as C is to ?".
"""

import numpy as np

from herbarium.metrics.word_associations.projection import fisher
from herbarium.statistics.correlation import spearman
from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import spread
from herbarium.vectors.directions import unit

_EQUAL = 1e-9
_BLOCK = 20_000_000  # cosines at once


def similarities(vectors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(n,) cosines of pairs of words. vectors: (n_words, d). pairs: (n, 2) places of words."""
    of = unit(vectors)
    return (of[pairs[:, 0]] * of[pairs[:, 1]]).sum(axis=1)


def similarity(cosines: np.ndarray, scores: np.ndarray, pairs: np.ndarray) -> Mean:
    """Fisher's z of the rank correlation (Spearman) of cosines with people's scores, (n,) each, with its error over
    words.

    pairs: (n, 2) places of words. Pairs with a word in common go together: each word is left out with its pairs, and
    what single pairs have, which go with either of their words, is taken off once.
    """

    def without(rows: np.ndarray) -> float:
        return fisher(float(spearman(cosines[rows], scores[rows])), len(rows))

    n = len(cosines)
    by_word = spread(np.array([without(~(pairs == word).any(axis=1)) for word in np.unique(pairs)]))[0]
    by_pair = spread(np.array([without(np.arange(n) != pair) for pair in range(n)]))[0]
    variance = max(by_word.variance - by_pair.variance, by_pair.variance)
    return Mean(without(np.ones(n, dtype=bool)), variance, by_word.df)


def answered(vectors: np.ndarray, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each question whether its answer is the nearest word, and whether another one is equally near: a failure, both
    (n,) of bool.

    vectors: (n_words, d) of all candidates. questions: (n, 4) places of A, B, C and the answer.
    """
    of, n = unit(vectors), len(vectors)
    nearest, tied = np.zeros(len(questions), dtype=bool), np.zeros(len(questions), dtype=bool)
    size = max(1, _BLOCK // n)
    for first in range(0, len(questions), size):
        a, b, c, answer = (block := questions[first : first + size]).T
        near = unit(of[b] - of[a] + of[c]) @ of.T
        rows = np.arange(len(block))
        right = near[rows, answer].copy()
        near[rows[:, None], block] = -np.inf  # the answer too, which is held against the others
        most = near.max(axis=1)
        nearest[first : first + size] = right > most + _EQUAL
        tied[first : first + size] = np.abs(right - most) <= _EQUAL
    return nearest, tied


def units(questions: np.ndarray) -> np.ndarray:
    """(n, 2) the numbers of the two pairs of each question: every pair of a section is asked with every other, so that
    questions are no independent observations."""
    both = np.concatenate([questions[:, :2], questions[:, 2:]])
    number = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return number.reshape(2, -1).T
