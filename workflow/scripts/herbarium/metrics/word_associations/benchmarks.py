"""Are the vectors still good? Word similarity and analogies (Zhao 2021, Table 3.2), for which bias does not matter.

Similarity: the rank correlation of cosines with human scores. Analogy: "A is to B as C is to ?" is answered by the word
whose vector is nearest to w_B - w_A + w_C (Mikolov et al. 2013), A, B and C excluded. Zhao (2021) prints
w_A - w_B + w_C, which answers "B is to A as C is to ?".
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from herbarium.metrics.word_associations.projection import fisher
from herbarium.statistics.correlation import spearman
from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import spread
from herbarium.vectors.directions import unit

Block = tuple[Sequence[Hashable], np.ndarray]

_EQUAL = 1e-9
_COSINES, _WORDS = 20_000_000, 20_000  # of a block at most


def similarities(vectors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(n,) cosines of pairs of words. vectors: (n_words, d). pairs: (n, 2) places of words."""
    unit_vectors = unit(vectors)
    return (unit_vectors[pairs[:, 0]] * unit_vectors[pairs[:, 1]]).sum(axis=1)


def similarity(cosines: np.ndarray, scores: np.ndarray, pairs: np.ndarray) -> Mean:
    """Fisher's z of the rank correlation (Spearman) of cosines with human scores, (n,) each, with its error over words.

    pairs: (n, 2) indices of words. Pairs that share a word are dependent: each word is left out with its pairs, and the
    contribution of single pairs, which are left out with either of their words, is subtracted once.
    """

    def without(rows: np.ndarray) -> float:
        return fisher(float(spearman(cosines[rows], scores[rows])), len(rows))

    n = len(cosines)
    by_word = spread(np.array([without(~(pairs == word).any(axis=1)) for word in np.unique(pairs)]))[0]
    by_pair = spread(np.array([without(np.arange(n) != pair) for pair in range(n)]))[0]
    variance = max(by_word.variance - by_pair.variance, by_pair.variance)
    return Mean(without(np.ones(n, dtype=bool)), variance, by_word.df)


def targets(vectors: np.ndarray, questions: np.ndarray) -> np.ndarray:
    """(n, d), of length 1: where the answer to each question should be. vectors: (n_words, d). questions: (n, 4)
    indices of A, B, C and the answer."""
    unit_vectors = unit(vectors)
    a, b, c, _ = questions.T
    return unit(unit_vectors[b] - unit_vectors[a] + unit_vectors[c])


class Others(NamedTuple):
    """words, cosines: (n,), for each question the nearest word that is not one of its four, and its cosine; None and
    -inf if there is none. n_words: the total number of words."""

    words: np.ndarray
    cosines: np.ndarray
    n_words: int


def nearest_others(targets: np.ndarray, questions: Sequence[Sequence[Hashable]], blocks: Iterable[Block]) -> Others:
    """The words with which the answers are compared.

    targets: (n, d) of `targets`. questions: A, B, C and the answer of each, as words. blocks: all candidates in blocks,
    so that they need not be in memory together: words, and their vectors of length 1, (n_words, d).
    """
    places = defaultdict(list)
    for place, question in enumerate(questions):
        for word in question:
            places[word].append(place)
    words_found, most, n_words = np.full(len(targets), None), np.full(len(targets), -np.inf), 0
    for words, vectors in blocks:
        n_words += len(words)
        near = targets @ vectors.T
        for row, word in enumerate(words):
            if word in places:
                near[places[word], row] = -np.inf
        best = near.argmax(axis=1)
        cosines = near[np.arange(len(near)), best]
        is_nearer = cosines > most
        most[is_nearer] = cosines[is_nearer]
        words_found[is_nearer] = [words[row] for row in best[is_nearer]]
    return Others(words_found, most, n_words)


def block_size(n_questions: int) -> int:
    """The largest number of words in a block."""
    return min(_WORDS, max(1, _COSINES // n_questions))


def decided(answers: np.ndarray, others: np.ndarray, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """For each question whether its answer is the nearest word, and whether another one is equally near (a failure),
    both (n,) of bool. answers, others: (n,) cosines. rounding: cosines that do not differ by more are equal."""
    return answers > others + rounding, np.abs(answers - others) <= rounding


def answered(vectors: np.ndarray, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`decided`, among some words.

    vectors: (n_words, d) of all candidates. questions: (n, 4) indices of A, B, C and the answer.
    """
    unit_vectors, wanted, n, size = unit(vectors), targets(vectors, questions), len(vectors), block_size(len(questions))
    blocks = ((range(first, min(first + size, n)), unit_vectors[first : first + size]) for first in range(0, n, size))
    others = nearest_others(wanted, questions.tolist(), blocks)
    return decided((wanted * unit_vectors[questions[:, 3]]).sum(axis=1), others.cosines, _EQUAL)


def units(questions: np.ndarray) -> np.ndarray:
    """(n, 2) the numbers of the two pairs of each question: every pair of a section is combined with every other, so
    that questions are not independent observations."""
    both = np.concatenate([questions[:, :2], questions[:, 2:]])
    number = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return number.reshape(2, -1).T
