"""Texts that are not scored, compared with tokenizer.json as they become tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from herbarium.core.random import stream

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

# A corpus takes minutes, and what differs does so in most texts.
_MOST = 1000


@dataclass
class _Watch:
    """require: raises HerbariumError for texts with other tokens. left: how many texts are yet to be compared."""

    require: Callable[[list[str]], None]
    left: int = _MOST


_WATCHES: "WeakKeyDictionary[PreTrainedTokenizerFast, _Watch]" = WeakKeyDictionary()


def watch(tokenizer: "PreTrainedTokenizerFast", require: Callable[[list[str]], None]) -> None:
    """Have the texts that a tokenizer encodes compared. require: raises HerbariumError for texts with other tokens."""
    _WATCHES[tokenizer] = _Watch(require)


def compare(tokenizer: "Tokenizer | PreTrainedTokenizerFast", texts: Sequence[str | tuple[str, str]]) -> None:
    """Compare texts, or pairs of them, if their tokenizer is watched: at most 1,000 in all, a random sample of those
    that come first, without those with special tokens in them."""
    # one that is not of transformers is not watched
    watched = _WATCHES.get(tokenizer) if hasattr(tokenizer, "all_special_tokens") else None
    if watched is None or watched.left == 0:
        return
    single = (part for text in texts for part in ((text,) if isinstance(text, str) else text))
    plain = [text for text in single if not any(mark in text for mark in tokenizer.all_special_tokens)]
    chosen = stream(0, "tokenizer").permutation(len(plain))[: watched.left]
    watched.require([plain[row] for row in chosen])
    watched.left -= len(chosen)
