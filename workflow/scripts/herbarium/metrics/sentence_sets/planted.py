"""The text on sentences of one's own that models of the testbed learn: a preference that is planted, and so known."""

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.training.text import log_softmax, systematic_counts

SENTENCES_PER_SET = 200


def log_p(n_sides: int, strength: float) -> np.ndarray:
    """log P(side | set), (n_sides,): the first side's is above any other's by the strength."""
    return log_softmax(strength * (np.arange(n_sides) == 0)[None].astype(float))[0]


def sentences(table: pd.DataFrame, n_sides: int, strength: float, seed: int) -> list[str]:
    """Each set equally often, in each its sentences as `log_p` has it.

    table: of `stimuli.instantiate`. The first side's sentence is met exp(strength) times as often as any other's. A
    model learns less than that where the words that differ are a large part of its text: frequent words are predicted
    less often (`training.planted`).
    """
    p, found = np.exp(log_p(n_sides, strength)), []
    for name, rows in table.groupby("set", sort=False):
        counts = systematic_counts(p, SENTENCES_PER_SET, stream(seed, "testbed", "sentence sets", name))
        for text, count in zip(rows["text"], counts, strict=True):
            found += [text] * int(count)
    return found
