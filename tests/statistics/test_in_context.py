"""What vectors of words say of something else in their sentence: controls, and errors of what was told."""

import numpy as np
import pytest

from herbarium.statistics import in_context


@pytest.mark.parametrize("n_kinds", [2, 4])
def test_control_labels_are_of_words_as_many_of_each_kind(n_kinds):
    word = np.tile(np.repeat(list("abcdefgh"), 3), 2)
    labels = in_context.control_labels(word, n_kinds, np.random.default_rng(0))
    of_word = [set(labels[word == one]) for one in "abcdefgh"]
    assert all(len(labels_of_word) == 1 for labels_of_word in of_word)
    assert np.bincount([labels_of_word.pop() for labels_of_word in of_word]).tolist() == [8 // n_kinds] * n_kinds


def test_errors_of_what_was_told_are_clustered_in_words_and_widened_for_shared_training():
    values = np.array([1.0, 1, 1, 0, 0, 0, 1, 0, 1])
    word = np.repeat(["a", "b", "c"], 3)
    mean = in_context.of_told(values, word, folds=5)
    sums = np.array([3, 0, 2]) - 3 * values.mean()
    assert mean.estimate == pytest.approx(5 / 9)
    assert mean.variance == pytest.approx(3 / 2 * (sums**2).sum() / 81 * (1 + 3 / 2))
    assert mean.df == 2
