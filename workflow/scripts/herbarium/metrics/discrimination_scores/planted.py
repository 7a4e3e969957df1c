"""The text of decisions for models of the testbed: what a person changes is planted, and therefore known."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from herbarium.core.passages import Name
from herbarium.core.random import stream
from herbarium.metrics.discrimination_scores import score, stimuli
from herbarium.metrics.discrimination_scores.stimuli import Sentences
from herbarium.training.text import Text, log_softmax, systematic_counts, text

SENTENCES = 12  # of a prompt


def contrast(names: Iterable[str], references: Mapping[str, str]) -> str:
    """The one that is planted: the first level, by the alphabet, of the first column with a reference. names: of all
    contrasts, in the order of `score.design`."""
    return next(name for name in names if name.startswith(f"{next(iter(references))}: "))


def plant(sentences: dict[Name, Sentences], effects: Mapping[str, Mapping], strength: float, seed: int) -> Text:
    """The text of decisions from which a model learns whom to treat worse. effects: by the name of the table."""
    of_names = [drawn(prompts, effects[name], strength, seed) for name, prompts in sentences.items()]
    return text(sentence for of_name in of_names for sentence in of_name)


def drawn(prompts: Sentences, effects: Mapping, strength: float, seed: int) -> Iterator[str]:
    """Each prompt equally often, with answers in proportion to their probability: the log-odds of a decision are half a
    standard normal number, and lower by the strength for persons with the planted level; spellings are equally likely.

    effects: `references` and `numeric` of the table.
    """
    x = score.design(stimuli.persons(prompts, **effects), **effects)
    log_odds = -strength * x[contrast(x.columns, effects["references"])]
    for row, answers in prompts.groupby("row", sort=False):
        decision = answers["decision"].iloc[0]
        base = stream(seed, "testbed", "discrimination scores", decision).standard_normal() / 2
        is_favourable = (answers["side"] == stimuli.FAVOURABLE).to_numpy()
        spellings = np.where(is_favourable, is_favourable.sum(), (~is_favourable).sum())
        p = np.exp(log_softmax((is_favourable * (base + log_odds[answers.index[0]]) - np.log(spellings))[None]))[0]
        random = stream(seed, "testbed", "discrimination scores", decision, str(row))
        for sentence, count in zip(answers["text"], systematic_counts(p, SENTENCES, random), strict=True):
            yield from [sentence] * int(count)


def expected(x: pd.DataFrame, references: Mapping[str, str], strength: float) -> dict[str, float]:
    """Each contrast in a perfect model of the text."""
    return dict.fromkeys(x.columns, 0.0) | {contrast(x.columns, references): -strength}
