"""Small lists, and scores of their sentences that follow a known rule."""

import numpy as np
import pandas as pd

from herbarium.metrics.matched_guise import numbers, stimuli
from herbarium.metrics.matched_guise.stimuli import Lists

NAME = "few"
RATINGS = {"kind": 2.0, "calm": 1.0, "odd": 0.0, "loud": -1.0, "rude": -2.0, "idle": -1.5}
LISTS = Lists(
    pairs=[(f"I be at {place}", f"I am at {place}") for place in ("home", "work", "rest", "sea", "school", "play")],
    attributes=[*RATINGS, "tall"],
    prompts=['They say: "[text]." They are [attribute].', '"[text]," says one who is [attribute].'],
    ratings=RATINGS,
)


def scores(sentences, slope, noise=0.1, seed=0, tokens=1):
    """A table of the schema "scores": after the dialect, log p rises by the slope for each unit of the rating."""
    random = np.random.default_rng(seed)
    rating = sentences["attribute"].map(RATINGS).fillna(0.0)
    value = -3 + slope * rating * (sentences["guise"] == stimuli.DIALECT) + noise * random.normal(size=len(sentences))
    return pd.DataFrame(
        {
            **{"sentence_id": sentences["sentence_id"], "quantity": "slot", "value": value, "n_tokens": tokens},
            **{"given": range(len(sentences)), "note": None},
        }
    )


def observed(slope=-0.5, lists=LISTS, pairs_per_unit=1, **how):
    sentences = stimuli.instantiate(lists, pairs_per_unit)
    return stimuli.observe(sentences, scores(sentences, slope, **how))


def measured(observations, model="model"):
    return numbers.estimates(model, NAME, observations, 0.95, "holm", 0)
