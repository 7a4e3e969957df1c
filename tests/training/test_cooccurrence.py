"""Counting of co-occurrences: against a slow literal count, and by hand."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.training.cooccurrence import END, cooccurrences, encoded, words

pytestmark = pytest.mark.slow  # counts literally

TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12).map(" ".join), min_size=1, max_size=8)


def literal(texts, min_count, window):
    """X as Pennington et al. (2014) define it, pair by pair."""
    counts = Counter(word for text in texts for word in text.split())
    x = defaultdict(float)
    for text in texts:
        kept = [word for word in text.split() if counts[word] >= min_count]
        for i, word in enumerate(kept):
            for j, other in enumerate(kept):
                if i != j and abs(i - j) <= window:
                    x[word, other] += 1 / abs(i - j)
    return x


@settings(deadline=None)  # the first one compiles
@given(texts=TEXTS, min_count=st.integers(1, 3), window=st.integers(1, 5))
def test_is_the_literal_count(texts, min_count, window):
    expected = literal(texts, min_count, window)
    if not any(n >= min_count for n in Counter(" ".join(texts).split()).values()):
        with refused(None, min_count, "`min_count`"):
            encoded(texts, min_count)
        return
    corpus = encoded(texts, min_count)
    row, column, x = cooccurrences(corpus, window)
    assert (row.dtype, column.dtype, x.dtype) == (np.int32, np.int32, np.float64)
    counts = {(corpus.words[i], corpus.words[j]): value for i, j, value in zip(row, column, x, strict=True)}
    assert len(counts) == len(x)
    assert counts.keys() == expected.keys()
    for pair, value in counts.items():
        assert value == pytest.approx(expected[pair])
        assert value == pytest.approx(counts[pair[::-1]])


def test_by_hand():
    corpus = encoded(["A b, a.", "b!"], 1)
    assert corpus.words == ["a", "b"]
    assert corpus.counts.tolist() == [2, 2]
    assert corpus.ids.tolist() == [0, 1, 0, END, 1, END]
    row, column, x = cooccurrences(corpus, 2)
    # a-b twice at distance 1, a-a once at distance 2, from either side
    assert {(i, j): value for i, j, value in zip(row, column, x, strict=True)} == {
        (0, 0): 1.0,
        (0, 1): 2.0,
        (1, 0): 2.0,
    }


def test_the_vocabulary_is_in_order_of_frequency_then_of_the_word():
    corpus = encoded(["d c b b", "e a e b"], 1)
    assert corpus.words == ["b", "e", "a", "c", "d"]
    assert corpus.counts.tolist() == [3, 2, 1, 1, 1]


def test_a_rare_word_counts_for_no_distance():
    """As in the released code, it is gone before distances are taken."""
    corpus = encoded(["a rare b", "a b"], 2)
    assert corpus.words == ["a", "b"]
    assert cooccurrences(corpus, 1).x.tolist() == [2, 2]


def test_no_window_reaches_into_another_text():
    assert len(cooccurrences(encoded(["a", "b", "a", "b"], 1), 5).x) == 0


def test_words_are_in_lower_case_without_marks():
    assert words("“Die Ärztin’s” co-worker, 3 times: O_K") == [
        *("die", "ärztin", "s", "co", "worker", "3", "times", "o_k"),
    ]
