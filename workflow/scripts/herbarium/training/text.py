"""Text that models of the testbed learn: how it is drawn, and its file.

It has no sampling noise that a model could learn as a bias: counts are sampled systematically, so that a choice with
probability p occurs in n·p of n sentences, rounded up or down. Sentences are not shuffled. Texts of tasks are drawn
elsewhere; the weights of their words are defined here.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema

# One row per sentence, as often as it occurs.
TEXT = schema("planted_text", ("text", pa.string()))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def systematic_counts(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each outcome occurs in n systematic draws: n·p rounded up or down, n in all."""
    edges = np.cumsum(p) * n
    edges[-1] = n  # a sum of floats may miss it slightly
    return np.diff(np.ceil(edges - rng.uniform()), prepend=0).astype(int)


def word_weights(words: list[str], seed: int) -> pd.Series:
    """How much each word of planted texts with labels indicates the class: standard normal, with mean 0."""
    weights = [stream(seed, "planted_text", "word", word).standard_normal() for word in words]
    return pd.Series(weights, index=words) - np.mean(weights)
