"""Similarity and analogies, by hand and literally."""

import numpy as np
import pytest
from scipy import stats

from herbarium.metrics.word_associations import benchmarks

RANDOM = np.random.default_rng(0)


def test_similarity_is_spearmans_correlation():
    vectors, scores = RANDOM.normal(size=(12, 5)), RANDOM.uniform(size=20)
    pairs = np.array([RANDOM.choice(12, 2, replace=False) for _ in range(20)])
    cosines = benchmarks.similarities(vectors, pairs)
    lengths = np.linalg.norm(vectors, axis=1)
    slow = [vectors[i] @ vectors[j] / lengths[i] / lengths[j] for i, j in pairs.tolist()]
    np.testing.assert_allclose(cosines, slow)
    result = benchmarks.similarity(cosines, scores, pairs)
    # of a pair that is there twice, the two are the same but for the last bit
    assert np.tanh(result.estimate) == pytest.approx(stats.spearmanr(cosines, scores).statistic)
    assert result.variance > 0


def test_a_word_in_many_pairs_makes_less_certain():
    """Five words that are in eight pairs each, and bring all that the two sides have in common."""
    of_word = np.repeat(RANDOM.normal(size=5), 8)
    x, y = of_word + 0.3 * RANDOM.normal(size=(2, 40))
    apart = np.arange(80).reshape(40, 2)
    shared = np.column_stack([np.repeat(np.arange(5), 8), 5 + np.arange(40)])
    assert benchmarks.similarity(x, y, shared).variance > 2 * benchmarks.similarity(x, y, apart).variance


def answered_literally(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    values = []
    for a, b, c, answer in questions:
        target = unit[b] - unit[a] + unit[c]
        scores = {word: float(unit[word] @ target) for word in range(len(vectors)) if word not in (a, b, c)}
        values.append(max(scores, key=scores.get) == answer)
    return values


def test_analogies_are_answered_by_the_nearest_word_but_the_three():
    vectors = RANDOM.normal(size=(9, 3))
    questions = np.array([RANDOM.choice(9, 4, replace=False) for _ in range(60)])
    right, tied = benchmarks.answered(vectors, questions)
    assert right.tolist() == answered_literally(vectors, questions.tolist())
    assert right.any()
    assert not right.all()
    assert not tied.any()


def test_king_and_queen():
    """man : woman as king : ?, w_B - w_A + w_C; the thesis prints it the other way about."""
    vectors = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 2], [0, 1, 2], [2, -1, 2]])
    right, _ = benchmarks.answered(vectors, np.array([[0, 1, 2, 3], [0, 1, 2, 4]]))
    assert right.tolist() == [True, False]
    right, tied = benchmarks.answered(vectors[[0, 1, 2, 3, 3]], np.array([[0, 1, 2, 3]]))
    assert (right.tolist(), tied.tolist()) == ([False], [True])  # a tie is a failure
    questions = np.array([[0, 1, 2, 3], [2, 3, 0, 1], [0, 1, 4, 5]])
    assert benchmarks.units(questions).tolist() == [[0, 1], [1, 0], [0, 2]]
