"""Texts with a prefix in front, as a classifier reads them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.scoring import classifiers, tokenization
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# A classifier's features of texts: `feature` is `classifiers.features` of the text `example` with the prefix.
FEATURES = schema("features", ("example", pa.int32()), ("prefix", pa.int32()), ("feature", pa.list_(pa.float32())))
# Characters of texts that are tokenized and run together: more fill the passes better, fewer need less memory.
_BLOCK = 2**24


def perturbed(
    tokenizer: "PreTrainedTokenizerFast",
    texts: Sequence[str],
    prefixes: pd.DataFrame,
    max_tokens: int,
    lowercase: bool,
) -> Iterator[tuple[pd.DataFrame, Encoded]]:
    """Every text with every prefix, block by block, as `chosen` returns them.

    prefixes: rows `prefix, name, text`: its number, the name in it, and the sentence, which is empty for the original
    texts.
    """
    at_once = prefixes_a_block(texts, prefixes)
    for first in range(0, len(prefixes), at_once):
        block = prefixes.iloc[first : first + at_once]
        instances = pd.DataFrame(
            {
                "example": np.tile(np.arange(len(texts)), len(block)),
                "prefix": np.repeat(block["prefix"].to_numpy(), len(texts)),
            }
        )
        yield chosen(tokenizer, texts, block, instances, max_tokens, lowercase)


def prefixes_a_block(texts: Sequence[str], prefixes: pd.DataFrame) -> int:
    """The number of prefixes with which all texts are tokenized and run together."""
    return max(1, _BLOCK // (sum(map(len, texts)) + len(texts) * prefixes["text"].str.len().max()))


def chosen(
    tokenizer: "PreTrainedTokenizerFast",
    texts: Sequence[str],
    prefixes: pd.DataFrame,
    instances: pd.DataFrame,
    max_tokens: int,
    lowercase: bool,
) -> tuple[pd.DataFrame, Encoded]:
    """The wanted texts, each with its prefix: rows `example, prefix, n_tokens, truncated`, and their tokens.

    prefixes: as for `perturbed`. instances: rows `example, prefix`. A text is cut at its end to `max_tokens`, including
    special ones; `n_tokens` is what is left.
    """
    if lowercase:
        texts = [text.lower() for text in texts]
        prefixes = prefixes.assign(name=prefixes["name"].str.lower(), text=prefixes["text"].str.lower())
    of_number = dict(zip(prefixes["prefix"], prefixes[["text", "name"]].itertuples(index=False), strict=True))
    wanted = zip(instances["prefix"], instances["example"], strict=True)
    whole, spans = zip(*(_joined(*of_number[prefix], texts[example]) for prefix, example in wanted), strict=True)
    bounds = np.array(spans).reshape(-1, 4)
    fillers = {"name": (bounds[:, 0], bounds[:, 1]), "text": (bounds[:, 2], bounds[:, 3])}
    encoded, truncated = classifiers.cut(tokenization.encode(tokenizer, list(whole), fillers), max_tokens)
    return instances[["example", "prefix"]].assign(n_tokens=encoded.lengths, truncated=truncated), encoded


def _joined(prefix: str, name: str, text: str) -> tuple[str, tuple[int, int, int, int]]:
    """A prefix and a text joined, and the positions of the name and the text; start -1 if there is no name."""
    if not prefix:
        return text, (-1, -1, 0, len(text))
    at, start = prefix.index(name), len(prefix) + 1
    return f"{prefix} {text}", (at, at + len(name), start, start + len(text))
