"""Text that models of the testbed learn: what draws it, and the file that it stands in.

It has no sampling noise that a model could take for a bias: counts are sampled systematically, so that of n sentences a
choice with probability p gets n·p, rounded up or down. Sentences are not shuffled. Texts of tasks are drawn elsewhere;
what their words weigh is said here.
"""

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema

# One row per sentence, as often as it is met.
TEXT = schema("planted_text", ("text", pa.string()))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def systematic_counts(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """How often each outcome is met in n systematic draws: n·p rounded up or down, n in all."""
    edges = np.cumsum(p) * n
    edges[-1] = n  # a sum of floats may miss it by a hair
    return np.diff(np.ceil(edges - rng.uniform()), prepend=0).astype(int)


def word_weights(words: list[str], seed: int) -> pd.Series:
    """What each word of planted texts with labels says of the class: standard normal, and 0 on average."""
    weights = [stream(seed, "planted_text", "word", word).standard_normal() for word in words]
    return pd.Series(weights, index=words) - np.mean(weights)
