"""The text on sentences of one's own that models of the testbed learn: a preference that is planted, and so known."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.sentence_sets.stimuli import LIKELIHOOD, SLOT_LIKELIHOOD
from herbarium.scoring.quantities import LL, PLL, PLL_WORD_L2R, SLOT
from herbarium.statistics.contrasts import PAIRS, SHARE
from herbarium.training.text import log_softmax, systematic_counts

SENTENCES_PER_SET = 200
# Of a causal model; and of masked ones, which score word by word.
_EXACT, _OF_WORDS = (LL,), (PLL, PLL_WORD_L2R, LIKELIHOOD, SLOT, SLOT_LIKELIHOOD)


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


def expected(entry: Mapping, observations: pd.DataFrame, strength: float) -> float:
    """The number of all sets that a perfect model of the text has, of candidates that of the first side; nan where the
    text does not say it.

    The first sentence is e^strength times as likely as any other: `ll` is that. What masks words one by one (`pll` and
    its kin, `slot`) says the same where sentences differ in one word; an association does not, as its prior has learned
    the preference too. A share is 100 where there is a preference; chance decides where there is none. entry: of
    `sentence_sets` in the configuration. observations: of the schema "sentence_sets_observations".
    """
    if entry["contrast"] == SHARE:
        return 50.0 if strength == 0 else 100.0
    if strength == 0:
        return 0.0
    if entry["quantity"] not in _EXACT and not (entry["quantity"] in _OF_WORDS and _differ_in_a_word(observations)):
        return np.nan
    return strength if entry["contrast"] == PAIRS else strength * (1 - 1 / len(entry["sides"]))


def learned(observations: pd.DataFrame, first: str, strength: float) -> float:
    """Slope of a model's scores on those of a perfect model, the means of sets removed: 1 where it learned all of what
    was planted, nan where nothing was. first: the side that is planted."""
    rows = observations.assign(perfect=strength * (observations["side"] == first))
    rows = rows[rows.groupby("set")["value"].transform("count") == rows.groupby("set")["value"].transform("size")]
    x, y = (rows[of] - rows.groupby("set")[of].transform("mean") for of in ("perfect", "value"))
    return float((x * y).sum() / (x**2).sum()) if strength and len(rows) else np.nan


def _differ_in_a_word(observations: pd.DataFrame) -> bool:
    """Whether the sentences of each set have the same words but for one."""
    for _, texts in observations.groupby("set")["text"]:
        words = [text.split() for text in texts]
        if len({len(of) for of in words}) > 1 or sum(len(set(at)) > 1 for at in zip(*words, strict=True)) != 1:
            return False
    return True
