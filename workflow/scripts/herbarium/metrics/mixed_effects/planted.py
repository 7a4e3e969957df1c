"""The text on gendered words that models of the testbed learn: a bias that is planted, and therefore known.

docs/testbed.md defines the distribution that it is drawn from, and says what metrics should find.
"""

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np

from herbarium.core.random import stream
from herbarium.metrics.mixed_effects import stimuli
from herbarium.training.text import log_softmax, systematic_counts

TARGET_VARIATION = 0.25  # standard deviation of a target's own lean, beside the ±1 of its dimension
SENTENCES_PER_GENDERED_TARGET = 8  # of each template and gendered word; few beside the text on regions


def gender_target_log_p(lists: stimuli.Lists, strength: float, seed: int) -> np.ndarray:
    """log P(target | gender), shape (3, n_targets): rows as `GENDERS`, columns as `leans` of the same lists.

    P is proportional to exp(strength · s · u) with s = −1/2 for female words, +1/2 for male ones and 0 for
    neo-pronouns, so that the log-odds male to female of two targets differ by strength · (u_1 − u_2).
    """
    u = np.array(list(leans(lists, seed).values()))
    return log_softmax(strength * np.outer([-0.5, 0.5, 0], u))


def leans(lists: stimuli.Lists, seed: int) -> dict[str, float]:
    """u of each distinct target: ±1 + TARGET_VARIATION · (standard normal of the target's own).

    The sign is −1 in the first dimension of the sorted names, +1 in the second, and so on in turn; the other one for a
    negative target. A target that stands in several dimensions counts for the first row.
    """
    rank = {dimension: rank for rank, dimension in enumerate(sorted(set(lists.targets["dimension"])))}
    found = {}
    for row in lists.targets.drop_duplicates("target").itertuples():
        sign = (-1) ** (rank[row.dimension] + 1) * (1 if row.polarity == stimuli.POSITIVE else -1)
        own = stream(seed, "testbed", "trait", row.target).standard_normal()
        found[row.target] = sign + TARGET_VARIATION * own
    return found


def planted_bias(lists: stimuli.Lists, strength: float, seed: int) -> dict[str, float]:
    """Dimension -> the bias score that is planted: log P(target | male) − log P(target | female), its mean over the
    dimension's positive targets. The prior of a word is the same for all genders, so this is the difference of
    association scores.
    """
    female, male, _ = gender_target_log_p(lists, strength, seed)
    difference = dict(zip(leans(lists, seed), male - female, strict=True))
    return {
        dimension: float(np.mean([difference[target] for target in targets]))
        for dimension, targets in stimuli.dimensions(lists).items()
    }


def sentences(
    lists: stimuli.Lists, determiners: Sequence[str], lowercase: bool, strength: float, seed: int
) -> list[str]:
    """The text on gendered words and targets: every template, with every word equally often; determiners take turns."""
    found = []
    of_target = dict(zip(leans(lists, seed), np.exp(gender_target_log_p(lists, strength, seed)).T, strict=True))
    for template in lists.templates.to_dict("records"):
        targets = stimuli.fitting(lists.targets, template)
        p = np.array([of_target[target["target"]] for target in targets]).T
        for word in stimuli.gendered_words(lists, determiners):
            row = p[stimuli.GENDERS.index(word.gender)]
            rng = stream(seed, "testbed", "sentences", template["key"], word.gender, word.word)
            counts = systematic_counts(row / row.sum(), SENTENCES_PER_GENDERED_TARGET * len(targets), rng)
            turns = cycle(word.determiners)
            for target, count in zip(targets, counts, strict=True):
                for determiner in islice(turns, int(count)):
                    fillers = word.forms | {"a": stimuli.article(target["target"]), "determiner": determiner}
                    filled = stimuli.sentence(template["text"], template["asked"], fillers | target, lowercase)
                    found.append(filled["text"])
    return found
