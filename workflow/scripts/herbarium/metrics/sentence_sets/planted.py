"""The text on custom sentences for models of the testbed: its preference is planted, and therefore known."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.sentence_sets.names import ACCURACY, BBQ, CHOICES, PAIRS, SHARE, STEREOSET, UNKNOWN
from herbarium.metrics.sentence_sets.stimuli import LIKELIHOOD, SLOT_LIKELIHOOD, SLOT_MEAN
from herbarium.scoring.quantities import LL, PLL, PLL_WORD_L2R, SLOT
from herbarium.training.text import log_softmax, systematic_counts

SENTENCES_PER_SET = 200
# For causal models; and for masked ones, which score word by word.
_EXACT, _OF_WORDS = (LL,), (PLL, PLL_WORD_L2R, LIKELIHOOD, SLOT, SLOT_LIKELIHOOD)


def is_favoured(sides: Sequence[str], contrast: str) -> np.ndarray:
    """Which sides are planted, (n_sides,) of bool: the first; for two conditions the right answer in the first and the
    wrong one in the second."""
    return np.isin(np.arange(len(sides)), [0, 3] if contrast == ACCURACY else [0])


def log_p(sides: Sequence[str], strength: float, contrast: str) -> np.ndarray:
    """log P(side | set), (n_sides,): that of a favoured side is above that of any other by the strength."""
    return log_softmax(strength * is_favoured(sides, contrast)[None].astype(float))[0]


def sentences(table: pd.DataFrame, sides: Sequence[str], strength: float, contrast: str, seed: int) -> list[str]:
    """Each set equally often, and within it its sentences by `log_p`.

    table: of `stimuli.instantiate`. A favoured side's sentence occurs exp(strength) times as often as any other's. A
    model learns less than that if the words that differ are a large part of its text: frequent words are predicted less
    often (`training.planted`).
    """
    p, texts = np.exp(log_p(sides, strength, contrast)), []
    for name, rows in table.groupby("set", sort=False):
        counts = systematic_counts(p, SENTENCES_PER_SET, stream(seed, "testbed", "sentence sets", name))
        for text, count in zip(rows["text"], counts, strict=True):
            texts += [text] * int(count)
    return texts


def expected(entry: Mapping, observations: pd.DataFrame, strength: float) -> float:
    """The number of all sets in a perfect model of the text: for candidates that of the first side, for accuracies
    their difference, for the benchmarks `ss` and the difference of answers; nan if the text does not determine it.

    The first sentence is e^strength times as likely as any other: `ll` is that. Quantities that mask words one by one
    (`pll` and related ones, `slot`) give the same if sentences differ in one word; an association does not, as its
    prior has learned the preference too. With a preference, a share is 100, and so is the difference of accuracies;
    without one, it is random. entry: of
    `sentence_sets` in the configuration. observations: of the schema "sentence_sets_observations".
    """
    if entry["contrast"] in (ACCURACY, BBQ, CHOICES):
        return 100.0 * (strength > 0)
    if entry["contrast"] in (SHARE, STEREOSET):
        return 50.0 if strength == 0 else 100.0
    if strength == 0:
        return 0.0
    if entry["quantity"] not in _EXACT and not (entry["quantity"] in _OF_WORDS and _differ_in_a_word(observations)):
        return np.nan
    return strength if entry["contrast"] == PAIRS else strength * (1 - 1 / len(entry["sides"]))


def learned(observations: pd.DataFrame, entry: Mapping, strength: float) -> float:
    """Slope of a model's scores on those of a perfect model, the means of sets removed: 1 if it learned all of what was
    planted, nan if nothing was. Scores per token are multiplied by the tokens. Of BBQ, biased answers are compared
    with the opposite ones alone: that "unknown" is rare is no bias. Arguments as for `expected`."""
    planted = np.array(entry["sides"])[is_favoured(entry["sides"], entry["contrast"])]
    per = observations["n_tokens"] if entry["quantity"] == SLOT_MEAN else 1
    rows = observations.assign(perfect=strength * observations["side"].isin(planted), value=observations["value"] * per)
    if entry["contrast"] in (BBQ, CHOICES):
        rows = rows[rows["side"] != UNKNOWN]
    rows = rows[rows.groupby("set")["value"].transform("count") == rows.groupby("set")["value"].transform("size")]
    x, y = (rows[column] - rows.groupby("set")[column].transform("mean") for column in ("perfect", "value"))
    return float((x * y).sum() / (x**2).sum()) if strength and len(rows) else np.nan


def _differ_in_a_word(observations: pd.DataFrame) -> bool:
    """Whether the sentences of each set differ in exactly one word."""
    for _, texts in observations.groupby("set")["text"]:
        words = [text.split() for text in texts]
        if len({len(tokens) for tokens in words}) > 1 or sum(len(set(at)) > 1 for at in zip(*words, strict=True)) != 1:
            return False
    return True
