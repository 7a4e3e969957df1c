"""The text on ethnic targets for models of the testbed: its bias is planted, and therefore known.

docs/testbed.md defines its distribution, and says what metrics should find.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.categorical_bias import stimuli
from herbarium.regions.leans import RANK
from herbarium.training.text import log_softmax, systematic_counts

SENTENCES_PER_TARGET = 4  # sentences of each template and attribute per target


def attribute_target_log_p(attributes: Iterable[str], targets: Iterable[str], strength: float, seed: int) -> np.ndarray:
    """log P(target | attribute), shape (n_attributes, n_targets): P ∝ exp(strength · b_a · a_t / √RANK).

    attributes, targets: keys; a bias belongs to these in every language. b and a are standard normal and depend only on
    the seed and the key. strength: 0 makes every row uniform.
    """
    b, a = (
        np.array([stream(seed, "testbed", what, key).standard_normal(RANK) for key in keys])
        for what, keys in (("attribute", attributes), ("target", targets))
    )
    return log_softmax(strength * b @ a.T / np.sqrt(RANK))


def log_p_prime(lists: stimuli.Lists, strength: float, seed: int) -> pd.DataFrame:
    """log P' that the planted distribution implies, attributes by targets: log P(target | attribute), minus its prior.

    The prior is P(target) over all attributes, which are equally frequent in the text.
    """
    keys = lists.attributes["key"], lists.targets["key"]
    log_p = attribute_target_log_p(*keys, strength, seed)
    return pd.DataFrame(log_p - np.log(np.exp(log_p).mean(axis=0)), *keys)


def sentences(lists: stimuli.Lists, strength: float, seed: int) -> list[str]:
    """The text on targets and attributes of one list: every template, with every attribute equally often.

    strength: 0 makes all targets equally frequent with every attribute. Equal input gives equal text, in the same
    order.
    """
    attributes, targets = (table.to_dict("records") for table in (lists.attributes, lists.targets))
    p = np.exp(attribute_target_log_p(lists.attributes["key"], lists.targets["key"], strength, seed))
    text = []
    for template in lists.templates.itertuples():
        for attribute, row in zip(attributes, p, strict=True):
            rng = stream(seed, "testbed", "sentences", template.text, attribute["key"])
            counts = systematic_counts(row, SENTENCES_PER_TARGET * len(targets), rng)
            for target, count in zip(targets, counts, strict=True):
                if count:
                    text += [stimuli.sentence(template.text, {**attribute, **target})["text"]] * int(count)
    return text
