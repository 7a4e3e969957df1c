"""Text that models of the testbed learn: how it is drawn, and its file.

It has no sampling noise that a model could learn as a bias: counts are sampled systematically, so that a choice with
probability p occurs in n·p of n sentences, rounded up or down. Sentences are not shuffled. Texts of tasks are drawn
elsewhere; the weights of their words are defined here.
"""

from collections.abc import Iterable
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.random import stream
from herbarium.core.store import schema

# One row per sentence, as often as it occurs.
TEXT = schema("planted_text", ("text", pa.string()))
Text = Annotated[pd.DataFrame, Table(steps.TEXT, TEXT)]


def text(sentences: Iterable[str]) -> Text:
    """The file of a text."""
    return pd.DataFrame({"text": list(sentences)})


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def systematic_counts(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each outcome occurs in n systematic draws: n·p rounded up or down, n in all."""
    edges = np.cumsum(p) * n
    edges[-1] = n  # a sum of floats may miss it slightly
    return np.diff(np.ceil(edges - rng.uniform()), prepend=0).astype(int)


def masked_log_p(texts: pd.Series, log_share: pd.Series) -> pd.Series:
    """The pseudo-log-likelihood that a perfect masked model of a text gives its sentences, if every word is a token:
    each word has its share of the sentences that have the other words.

    texts: the different sentences. log_share: of each in the text, natural.
    """
    share, total = np.exp(log_share), pd.Series(0.0, texts.index)
    words = texts.str.findall(r"\w+|[^\w\s]")
    for place in range(words.str.len().max()):
        has_word = words.str.len() > place
        others = words[has_word].map(lambda text, at=place: (*text[:at], "", *text[at + 1 :]))
        given = share[has_word].groupby(others).transform("sum")
        total += (log_share[has_word] - np.log(given)).reindex(texts.index, fill_value=0.0)
    return total


def word_weights(words: list[str], seed: int) -> pd.Series:
    """How much each word of planted texts with labels indicates the class: standard normal, with mean 0."""
    weights = [stream(seed, "planted_text", "word", word).standard_normal() for word in words]
    return pd.Series(weights, index=words) - np.mean(weights)
