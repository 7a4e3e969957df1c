"""Co-occurrences: how often the words of texts stand near each other, as Pennington et al. (2014), "GloVe: Global
Vectors for Word Representation", EMNLP, count them.

Two words of a text that are `distance` words apart, at most `window`, co-occur 1 / distance times, in either direction.
Words outside the vocabulary are left out before distances are taken, as in the released code (`vocab_count`,
`cooccur`); no window reaches into another text.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema

# One row per word, most frequent first; and one per nonzero entry of X, by rows of that table.
VOCABULARY = schema("vocabulary", ("word", pa.string()), ("count", pa.int64()))
COOCCURRENCES = schema("cooccurrence", ("row", pa.int32()), ("column", pa.int32()), ("x", pa.float64()))
_WORD = re.compile(r"\w+")
_END = "\n"  # ends a text; not a word
END = -1  # the same in `Encoded`


class Encoded(NamedTuple):
    """Texts as rows of their vocabulary.

    words: the vocabulary, most frequent first, equally frequent ones in order of their characters. counts: (n_words,)
    int64. ids: (n_tokens + n_texts,) int32, rows of `words`, with END after each text; words outside the vocabulary
    are left out.
    """

    words: list[str]
    counts: np.ndarray
    ids: np.ndarray


class Cooccurrences(NamedTuple):
    """The nonzero entries of the matrix X: X[row, column] = x; X is symmetric.

    row, column: (n,) int32, rows of the vocabulary: by `row`, and within it in the order in which its columns first
    occur.
    x: (n,) float64.
    """

    row: np.ndarray
    column: np.ndarray
    x: np.ndarray


def words(text: str) -> list[str]:
    """The words of a text: its runs of letters, digits and underscores, in lower case."""
    return _WORD.findall(text.lower())


def encoded(texts: Iterable[str], min_count: int) -> Encoded:
    """The vocabulary of texts, and the texts in it. min_count: less frequent words are outside the vocabulary.

    Raises HerbariumError if no word is left.
    """
    rows = defaultdict(None, {_END: 0})
    rows.default_factory = rows.__len__
    met = array("i")
    for text in texts:
        met.extend(map(rows.__getitem__, words(text)))
        met.append(0)
    met = np.frombuffer(met, dtype=np.intc)
    counts = np.bincount(met, minlength=len(rows))
    known = np.array(list(rows), dtype=object)
    frequent = np.flatnonzero(counts >= min_count)
    frequent = frequent[frequent != 0]
    if not len(frequent):
        raise HerbariumError(
            f"None of the {len(rows) - 1:,} different words of the texts occurs {min_count} times: use more texts, or "
            "a smaller `min_count`."
        )
    frequent = frequent[np.lexsort([known[frequent], -counts[frequent]])]
    is_kept = np.zeros(len(rows), dtype=bool)
    is_kept[[0, *frequent]] = True
    row_of = np.full(len(rows), END, dtype=np.int32)
    row_of[frequent] = np.arange(len(frequent))
    return Encoded(known[frequent].tolist(), counts[frequent], row_of[met[is_kept[met]]])


def cooccurrences(texts: Encoded, window: int) -> Cooccurrences:
    """How often the words of a vocabulary co-occur. window: number of words on either side."""
    return Cooccurrences(*_count(texts.ids, texts.counts, 1 / np.arange(1, window + 1)))


@njit(nogil=True)
def _count(ids, counts, weights):
    """Word by word, the words around all its occurrences are added up in one row of X, whose nonzero entries are kept.
    They are counted first, so that nothing is larger than what is returned.

    weights: (window,), for distances 1, 2, …
    """
    n_words, window = len(counts), len(weights)
    starts = np.zeros(n_words + 1, np.int64)
    starts[1:] = np.cumsum(counts)
    next_place = starts[:-1].copy()
    places = np.empty(starts[-1], np.int64)
    for place in range(len(ids)):
        if ids[place] >= 0:
            places[next_place[ids[place]]] = place
            next_place[ids[place]] += 1

    n, met_by = 0, np.full(n_words, -1, np.int32)
    for row in range(n_words):
        for place in places[starts[row] : starts[row + 1]]:
            first, end = _around(ids, place, window)
            for at in range(first, end):
                if at != place:
                    n += met_by[ids[at]] != row
                    met_by[ids[at]] = row

    rows, columns, x = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    of_row, met = np.zeros(n_words), np.empty(n_words + 1, np.int32)
    n = 0
    for row in range(n_words):
        n_met = 0
        for place in places[starts[row] : starts[row + 1]]:
            first, end = _around(ids, place, window)
            for at in range(first, end):
                if at != place:
                    column = ids[at]
                    met[n_met] = column
                    n_met += of_row[column] == 0  # without a branch, which would be mispredicted half the time
                    of_row[column] += weights[abs(at - place) - 1]
        for column in met[:n_met]:
            rows[n], columns[n], x[n] = row, column, of_row[column]
            of_row[column] = 0
            n += 1
    return rows, columns, x


@njit
def _around(ids, place, window):
    """The beginning and end of the window around a position, within its text."""
    first, end = place, place + 1
    while first > 0 and place - first < window and ids[first - 1] >= 0:
        first -= 1
    while end < len(ids) and end - place <= window and ids[end] >= 0:
        end += 1
    return first, end
