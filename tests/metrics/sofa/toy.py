"""The demonstration's probes, and what a model of known preferences makes of them."""

import numpy as np
import pandas as pd

from herbarium.metrics.sofa import lists, numbers, planted, stimuli

DEMO = "resources/sofa/demo.csv"
NAME, SEED = "demo", 3


def sentences(table=None):
    return lists.instantiate(lists.read(DEMO) if table is None else table, 0, 1)


def scores(table, log_ppl):
    """Of the schema "scores". log_ppl: of each sentence, log10; nan if it was refused."""
    n_tokens = table["text"].str.findall(r"\w+|[^\w\s]").str.len()
    columns = {"quantity": "ll", "value": -log_ppl * np.log(10) * n_tokens, "given": table["sentence_id"], "note": None}
    return table[["sentence_id"]].assign(n_tokens=n_tokens, **columns).drop_duplicates("sentence_id")


def observed(strength=1.0, noise=0.0, kind="causal", seed=0):
    """Observations of a model that has learned a planted text, with noise of this standard deviation."""
    table = sentences()
    observations = stimuli.observe(table, scores(table, pd.Series(1.0, table.index)))
    perfect = planted.perfect(observations, strength, SEED, kind)
    return observations.assign(value=perfect + noise * np.random.default_rng(seed).normal(size=len(perfect)))


def measured(observations, model="m"):
    return numbers.estimates(model, NAME, observations, 0.95, "holm")


def without(observations, lost: pd.Series):
    """Observations of which these were refused."""
    return observations.assign(value=observations["value"].mask(lost))


def varied(noise=0.05, strength=2.0):
    """As observed, with perplexities and lengths of identities alone that differ."""
    observations = observed(strength, noise)
    length = observations["identity"].str.len() % 3 + 1
    return observations.assign(n_identity_tokens=length, identity_value=2 + 0.1 * length)
