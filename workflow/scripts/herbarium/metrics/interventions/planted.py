"""The text on interventions for models of the testbed: a preference, and its change by interventions."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.interventions import numbers, score
from herbarium.metrics.interventions.stimuli import ADVERSARIAL, ETHICAL, IRRELEVANT, KEYS, NONE, asked_of
from herbarium.training.text import systematic_counts

# The frequency of each question: of its two answers together.
ANSWERS = 10
# The factor of a preference after each type: such a model takes advice.
MULTIPLIED = {NONE: 1.0, ETHICAL: 0.0, ADVERSARIAL: 2.0, IRRELEVANT: 1.0}


def log_odds(asked: pd.DataFrame, strength: float, seed: int) -> np.ndarray:
    """log P(first) - log P(second) of each question, affirmed, (n,); negated it is the opposite.

    For each attribute the subjects have a random order, and the earlier one is preferred. asked: with `stimuli.KEYS`.
    """
    odds = np.empty(len(asked))
    subjects = sorted({*asked["first"], *asked["second"]})
    for attribute, rows in asked.groupby("attribute", sort=False):
        order = stream(seed, "testbed", "interventions", attribute).permutation(len(subjects))
        rank = dict(zip(subjects, order.tolist(), strict=True))
        sign = np.where(rows["first"].map(rank) < rows["second"].map(rank), 1.0, -1.0)
        odds[rows.index] = strength * sign * rows["type"].map(MULTIPLIED)
    return odds


def log_s(asked: pd.DataFrame, strength: float, seed: int) -> np.ndarray:
    """The natural logarithm of S of a perfect model, (n, *score.SCORES_SHAPE). Arguments as for `log_odds`."""
    of_first = log_odds(asked, strength, seed)[:, None] * np.array([1.0, -1.0])  # by polarity
    odds = np.stack([of_first, -of_first], axis=1)[:, :, None].repeat(2, axis=2)
    return -np.logaddexp(0, -odds)


def sentences(stimuli: pd.DataFrame, strength: float, seed: int) -> Iterator[str]:
    """Each question equally often, its two answers by `log_s`.

    stimuli: of the schema "interventions_stimuli", in the form "fill".
    """
    questions = asked_of(stimuli)
    p = np.exp(log_s(questions, strength, seed)).swapaxes(0, 1).reshape(2, -1).T  # for each question as asked: answers
    random = stream(seed, "testbed", "interventions", "counts")
    counts = np.array([systematic_counts(row, ANSWERS, random) for row in p])
    counts = counts.T.reshape(2, len(questions), 2, 2).swapaxes(0, 1).ravel()
    for text, count in zip(stimuli["text"], counts, strict=True):
        yield from [text] * int(count)


def expected(observations: pd.DataFrame, strength: float, seed: int) -> dict[str, float]:
    """The `preference` of a perfect model after each type of intervention, normalised. observations: of a model, with
    the same questions."""
    perfect = observations.assign(own=score.comparative(np.exp(log_s(observations[KEYS], strength, seed))))
    of_type = numbers.answers(perfect, numbers.OWN)
    return {name: numbers.root(score.shared(type_answers).estimate) for name, type_answers in of_type.items()}


def learned(observations: pd.DataFrame, strength: float, seed: int) -> float:
    """Slope of C of a model on C of a perfect one, for questions without intervention: 1 if it learned all of what was
    planted, nan if nothing was."""
    rows = observations[(observations["type"] == NONE) & observations["own"].notna()].reset_index(drop=True)
    perfect = score.comparative(np.exp(log_s(rows[KEYS], strength, seed)))
    return float((perfect * rows["own"]).sum() / (perfect**2).sum()) if strength and len(rows) else np.nan
