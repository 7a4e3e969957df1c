"""Words and their tokens: the first token of a word has its tag, and predicts it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from herbarium.metrics.tagging.sentences import OUTSIDE
from herbarium.scoring import classifiers
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

NONE = -1


def encode(
    tokenizer: "PreTrainedTokenizerFast", sentences: Sequence[Sequence[str]], max_tokens: int, lowercase: bool
) -> tuple[Encoded, list[np.ndarray]]:
    """Sentences, their words separated by spaces, as the input of a tagger; and for each word of a sentence the index
    of its first token, (n_words,), among all tokens: NONE for a word without one, or beyond the tagger's limit.
    """
    shown = [[word.lower() if lowercase else word for word in words] for words in sentences]
    encoded = classifiers.encode(tokenizer, [" ".join(words) for words in shown], max_tokens, lowercase=False)
    return encoded, [_first(encoded, number, words) for number, words in enumerate(shown)]


def _first(encoded: Encoded, number: int, words: Sequence[str]) -> np.ndarray:
    begin, end = encoded.starts[number : number + 2]
    ordinary = begin + np.flatnonzero(~encoded.is_special[begin:end])
    spans = encoded.spans[ordinary]
    lengths = np.array([len(word) for word in words])
    after = np.cumsum(lengths + 1) - 1
    # tokens are in the order of the characters; a byte-level one may begin at the space before its word
    place = np.searchsorted(spans[:, 1], after - lengths, side="right")
    is_there = place < len(ordinary)
    first = np.full(len(words), NONE)
    first[is_there] = ordinary[place[is_there]]
    is_there[is_there] = spans[place[is_there], 0] < after[is_there]
    return np.where(is_there, first, NONE)


def labels(
    encoded: Encoded, first: Sequence[np.ndarray], tags: Sequence[Sequence[str]], classes: Sequence[str], ignored: int
) -> list[np.ndarray]:
    """The classes of each sentence's tokens, (n_tokens,): for a word's first token that of its tag, else ignored."""
    number = {tag: place for place, tag in enumerate(classes)}
    of_all = np.full(len(encoded.token_ids), ignored)
    for places, text_tags in zip(first, tags, strict=True):
        of_own = np.array([number[tag] for tag in text_tags])
        of_all[places[places != NONE]] = of_own[places != NONE]
    return np.split(of_all, encoded.starts[1:-1])


def tags(first: Sequence[np.ndarray], predicted: np.ndarray, classes: Sequence[str]) -> list[list[str]]:
    """The prediction for each word: the class of its first token, O for a word without one. predicted: (n_tokens,)
    classes."""
    return [[OUTSIDE if place == NONE else classes[predicted[place]] for place in places] for places in first]
