"""The vectors of words in one layer of a source."""

from collections.abc import Iterable, Sequence

import numpy as np


class Space:
    """The vectors of words in one layer of a source, (n, d), and of how many tokens each word is; nan of words that
    have none, or one of length 0, which points nowhere."""

    def __init__(self, words: Sequence[str], values: np.ndarray, n_tokens: np.ndarray):
        is_there = np.linalg.norm(values, axis=1) > 0
        self.values = np.where(is_there[:, None], values, np.nan)
        self.at = {word: place for place, word in enumerate(words)}
        self.known = {word for word, has in zip(words, is_there, strict=True) if has}
        self.n_tokens = dict(zip(words, n_tokens.tolist(), strict=True))

    def of(self, words: Iterable[str]) -> np.ndarray:
        return self.values[[self.at[word] for word in words]]

    def differences(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """(n_pairs, d): of each pair the first word less the second."""
        return self.of(a for a, _ in pairs) - self.of(b for _, b in pairs)

    def has(self, words: Iterable[str]) -> np.ndarray:
        """(n,) of bool."""
        return np.array([word in self.known for word in words], dtype=bool)
