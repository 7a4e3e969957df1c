"""Files of word vectors in the text format of word2vec, fastText and GloVe: a word and its numbers on each line, with
or without a first line that gives the number of words and dimensions."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from herbarium.core import unpacking
from herbarium.core.errors import HerbariumError

_FORMAT = "a word and its numbers, separated by spaces"


class Found(NamedTuple):
    """vectors: of the words that were found, (dimensions,) each. n_words: lines with a word in the whole file.
    dimensions: numbers per line."""

    vectors: dict[str, np.ndarray]
    n_words: int
    dimensions: int


def read(path: str | Path, wanted: Collection[str] | None, first: int | None = None) -> Found:
    """The vectors of some words in a file; for a word that occurs twice, the first. None: of all words.

    first: only read this many lines with a word, the most frequent words of a file that is sorted by frequency.
    Raises HerbariumError, with the line, if a line that is needed is not a word and its numbers.
    """
    vectors: dict[str, np.ndarray] = {}
    n_words = dimensions = 0
    for number, word, line, dimensions in islice(_rows(path), first):
        n_words += 1
        if (wanted is None or word in wanted) and word not in vectors:
            vectors[word] = _numbers(line, dimensions, path, number)
    return Found(vectors, n_words, dimensions)


def blocks(path: str | Path, size: int) -> Iterator[tuple[list[str], np.ndarray]]:
    """All words of a file and their vectors, (n, dimensions) of float32, `size` words at a time, so that no file is too
    large; a word that occurs twice is returned twice. Raises HerbariumError as `read` does."""
    rows = _rows(path)
    while block := list(islice(rows, size)):
        vectors = [_numbers(line, dimensions, path, number) for number, _, line, dimensions in block]
        yield [word for _, word, _, _ in block], np.stack(vectors)


def require(path: str | Path) -> None:
    """Raise HerbariumError if a file does not begin like one of word vectors."""
    read(path, None, first=1)


def _rows(path: str | Path) -> Iterator[tuple[int, str, bytes, int]]:
    """For each line with a word: its number, the word, the line, and how many numbers it has."""
    dimensions = None
    for number, line in _lines(path):
        if dimensions is None:
            if number == 1 and _is_header(line):
                continue
            dimensions = _dimensions(line, path, number)
        # from the right: in some published files, words have spaces
        yield number, line.rsplit(b" ", dimensions)[0].decode("utf-8", "replace"), line, dimensions
    if dimensions is None:
        raise HerbariumError(f"{path}: the file has no line with {_FORMAT}.")


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    try:
        with unpacking.opened(path) as file:
            for number, line in enumerate(file, start=1):
                if line := line.strip(b" \n\r"):
                    yield number, line
    except OSError as error:
        raise HerbariumError(f"{path}: the file of word vectors cannot be read ({error}).") from error


def _is_header(line: bytes) -> bool:
    return len(line.split()) == 2 and all(part.isdigit() for part in line.split())


def _dimensions(line: bytes, path: str | Path, number: int) -> int:
    """The number of numbers at the end of the first line with a word."""
    parts = line.split(b" ")
    if len(parts) < 2 or not _is_number(parts[-1]):
        raise HerbariumError(f"{path}, line {number}: it should be {_FORMAT}.")
    n = next((n for n, part in enumerate(reversed(parts)) if not _is_number(part)), len(parts) - 1)
    return min(n, len(parts) - 1)


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def _numbers(line: bytes, dimensions: int, path: str | Path, number: int) -> np.ndarray:
    parts = line.rsplit(b" ", dimensions)[1:]
    try:
        vector = np.array(parts, dtype=np.float32)
    except ValueError:
        vector = np.empty(0, dtype=np.float32)
    if len(vector) != dimensions or not np.isfinite(vector).all():
        raise HerbariumError(f"{path}, line {number}: it should be {_FORMAT}, {dimensions} as in the first line.")
    return vector
