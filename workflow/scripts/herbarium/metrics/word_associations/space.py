"""The vectors of words in one layer of a source."""

from collections.abc import Iterable, Sequence

import numpy as np


class Space:
    """The vectors of words in one layer of a source, (n, d), and the number of tokens of each word; nan for words
    without a vector, or with one of length 0, which has no direction."""

    def __init__(self, words: Sequence[str], values: np.ndarray, n_tokens: np.ndarray):
        is_there = np.linalg.norm(values, axis=1) > 0
        self.values = np.where(is_there[:, None], values, np.nan)
        self.at = {word: place for place, word in enumerate(words)}
        self.known = {word for word, has in zip(words, is_there, strict=True) if has}
        self.n_tokens = dict(zip(words, n_tokens.tolist(), strict=True))

    def of(self, words: Iterable[str]) -> np.ndarray:
        return self.values[[self.at[word] for word in words]]

    def differences(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """(n_pairs, d): for each pair the first word minus the second."""
        return self.of(a for a, _ in pairs) - self.of(b for _, b in pairs)

    def has(self, words: Iterable[str]) -> np.ndarray:
        """(n,) of bool."""
        return np.array([word in self.known for word in words], dtype=bool)
