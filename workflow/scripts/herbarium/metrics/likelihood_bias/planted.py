"""The text on descriptors for models of the testbed: some are more frequent than others, and so less surprising."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.likelihood_bias import numbers, score
from herbarium.metrics.likelihood_bias.stimuli import Sentences
from herbarium.models.kinds import Kind
from herbarium.training.text import Text, log_softmax, masked_log_p, systematic_counts, text

# The frequency of a descriptor in a template with a noun, on average over those of its axis.
SENTENCES = 6


def log_p(axis: str, descriptors: list[str], strength: float, seed: int) -> np.ndarray:
    """log P(descriptor | axis, template, noun), (n_descriptors,): proportional to strength times a standard normal
    number of the descriptor."""
    likes = [stream(seed, "testbed", "likelihood_bias", axis, name).standard_normal() for name in descriptors]
    return log_softmax(strength * np.array([likes]))[0]


def plant(sentences: Sentences, strength: float, seed: int) -> Text:
    """The text from which a model learns which descriptors are frequent."""
    return text(drawn(sentences, strength, seed))


def drawn(sentences: Sentences, strength: float, seed: int) -> Iterator[str]:
    """Each template with each noun equally often, its descriptors by `log_p`."""
    random = stream(seed, "testbed", "likelihood_bias", "counts")
    for (axis, _, _), rows in sentences.groupby(["axis", "template", "noun"], sort=False):
        p = np.exp(log_p(axis, list(rows["descriptor"]), strength, seed))
        for sentence, count in zip(rows["text"], systematic_counts(p, SENTENCES * len(p), random), strict=True):
            yield from [sentence] * int(count)


def perfect(observations: pd.DataFrame, strength: float, seed: int, kind: str) -> pd.Series:
    """The log-perplexity that a perfect model of the text gives each sentence, if every word is a token.

    A causal model gives a sentence its share of the text; a masked one a word its share of the sentences that have the
    other words. observations: of the schema "likelihood_bias_observations".
    """
    choices = observations.groupby(["axis", "template", "noun"], sort=False)["descriptor"]
    log_share = choices.transform(lambda names: log_p(names.name[0], list(names), strength, seed)).astype(float)
    log_share += np.log(choices.transform("size") / len(observations))
    if kind == Kind.causal:
        return -log_share / observations["n_tokens"]
    return -masked_log_p(observations["text"], log_share) / observations["n_tokens"]


def expected(observations: pd.DataFrame, perfect_values: pd.Series) -> dict[str, float]:
    """The variance between descriptors of each axis in a perfect model."""
    rows = observations.assign(value=perfect_values.where(observations["value"].notna()))
    return {axis: variance(of_axis) for axis, of_axis in rows.groupby("axis", sort=False)}


def variance(of_axis: pd.DataFrame) -> float:
    cells = numbers.cube(of_axis)
    effects = score.deviations(numbers.as_array(cells)).mean(axis=(0, 1)) if cells.size else np.zeros(0)
    return float(effects @ effects / (len(effects) - 1)) if len(effects) > 1 else np.nan


def learned(observations: pd.DataFrame, perfect_values: pd.Series, strength: float) -> float:
    """Slope of a model's log-perplexities on those of a perfect one, means over descriptors removed: 1 if it learned
    all of what was planted, nan if nothing was."""
    rows = observations.assign(perfect=perfect_values).dropna(subset="value")
    means = rows.groupby(["axis", "template", "noun"])[["value", "perfect"]].transform("mean")
    x, y = rows["perfect"] - means["perfect"], rows["value"] - means["value"]
    return float((x * y).sum() / (x**2).sum()) if strength and len(rows) else np.nan
