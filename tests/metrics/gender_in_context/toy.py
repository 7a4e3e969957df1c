"""Vectors whose gender direction is known, as a source would give them."""

import numpy as np
import pandas as pd

from herbarium.metrics.gender_in_context import numbers
from herbarium.metrics.gender_in_context.names import GENDER
from herbarium.vectors.tables import Vectors

SIDES = ["feminine", "masculine"]
LAYERS = ["0", "1"]
SETTINGS = numbers.Settings([0.3, 0.6, 0.9], 4, 500, 0.95, "holm", 7)
SWAPS = (GENDER, "the → a", "and → but")


def design(n_words=8, n_pairs=3, swaps=SWAPS):
    """Half of the words lean to either side; what differs is seen in all pairs but the first."""
    pairs = np.arange(n_words * n_pairs)
    rows = pd.MultiIndex.from_product([pairs, swaps, (0, 1)], names=["pair", "swap", "side"]).to_frame(index=False)
    number = rows["pair"] // n_pairs
    return rows.assign(word="w" + number.astype(str), stereotype=(number % 2).astype("Int8"), is_seen=rows["pair"] > 0)


def vectors(sentences, gender=1.0, lean=1.0, seed=0):
    """In layer 0 nothing depends on the sentence; in layer 1 the first side of gender moves words along one axis, each
    neutral swap along another of its own, and words lean along the first."""
    random = np.random.default_rng(seed)
    base = {word: random.normal(size=6) for word in sentences["word"].unique()}
    sentence = {pair: 0.3 * random.normal(size=6) for pair in sentences["pair"].unique()}
    axis = {swap: np.eye(6)[place] for place, swap in enumerate(sentences["swap"].unique())}
    values = np.empty((len(sentences), 2, 6))
    for row, (pair, swap, side, word, stereotype) in enumerate(
        sentences.fillna({"stereotype": 1})[["pair", "swap", "side", "word", "stereotype"]].itertuples(index=False)
    ):
        lean_of = (lean if stereotype == 0 else -lean) * gender / 2 * np.eye(6)[0]
        values[row, 0] = base[word]
        values[row, 1] = base[word] * (np.arange(6) > 0) + lean_of + sentence[pair] + 0.1 * random.normal(size=6)
        values[row, 1] += (0.5 - side) * gender * axis[swap]
    n = len(sentences)
    return Vectors(LAYERS, values.astype(np.float32), np.ones(n, dtype=int), np.array([None] * n, dtype=object))


def measured(source="strong", gender=1.0, lean=1.0, sentences=None, is_causal=False):
    sentences = design() if sentences is None else sentences
    pairs, note = numbers.pairs(
        sentences, vectors(sentences, gender, lean), is_causal, SETTINGS.max_pairs, SETTINGS.seed
    )
    return numbers.measure(source, "few", pairs, note, LAYERS, SIDES, SETTINGS)
