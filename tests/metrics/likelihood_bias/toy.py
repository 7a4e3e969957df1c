"""The demonstration's sentences, and what a model of known preferences makes of them."""

import numpy as np
import pandas as pd

from herbarium.metrics.likelihood_bias import numbers, planted, stimuli

DEMO = "resources/likelihood_bias/demo"
NAME, SEED = "demo", 3


def sentences():
    return stimuli.instantiate(stimuli.read(DEMO), 0, 1)


def scores(strength=1.0, noise=0.0, kind="causal", seed=0):
    """What a model of a planted strength gives, of the schema "scores"."""
    table = sentences()
    table["n_tokens"] = table["text"].str.findall(r"\w+|[^\w\s]").str.len()
    perfect = planted.perfect(table, strength, SEED, kind)
    value = -(perfect + noise * np.random.default_rng(seed).normal(size=len(table))) * table["n_tokens"]
    columns = {"quantity": "ll", "value": value, "given": table["sentence_id"], "note": None}
    return table[["sentence_id", "n_tokens"]].assign(**columns)


def observed(strength=1.0, noise=0.0, kind="causal"):
    return stimuli.observe(sentences(), scores(strength, noise, kind))


def measured(observations, model="m"):
    return numbers.estimates(model, NAME, observations, 0.95, "holm")


def without(observations, lost: pd.Series):
    """Observations of which these were refused."""
    return observations.assign(value=observations["value"].mask(lost))
