"""A small table, and answers to its prompts that follow a known rule."""

from itertools import product

import numpy as np
import pandas as pd

from herbarium.metrics.discrimination_scores import numbers, stimuli

NAME = "few"
EFFECTS = {"references": {"gender": "male", "race": "white"}, "numeric": ["age"]}
ANSWERS = {"favourable": ["yes", "Yes"], "unfavourable": ["no"]}
FRAME = "[text] Answer: [answer]"
MASS = 0.8


def prompts(n_decisions=10):
    rows = product(range(n_decisions), ("20", "40", "60"), ("male", "female", "other"), ("white", "Black"))
    table = pd.DataFrame(rows, columns=["decision", "age", "gender", "race"])
    text = table.astype(str).agg(" ".join, axis=1) + "?"
    return table[stimuli.columns(**EFFECTS)].assign(text=text, decision=table["decision"].astype(str))


def sentences(n_decisions=10):
    return stimuli.instantiate(prompts(n_decisions), FRAME, ANSWERS, 0, 1)


def scores(sentences, log_odds, mass=MASS):
    """A table of the schema "scores". log_odds: of each prompt, by row. The spellings of an answer share it evenly."""
    p = 1 / (1 + np.exp(-sentences["row"].map(log_odds)))
    is_favourable = sentences["side"] == "favourable"
    p = np.where(is_favourable, p / 2, 1 - p) * mass
    same = {"quantity": "ll_asked", "value": np.log(p), "n_tokens": 1, "given": range(len(sentences)), "note": None}
    return pd.DataFrame({"sentence_id": sentences["sentence_id"], **same})


def observed(female=-1.0, spread=0.2, n_decisions=10, mass=MASS, seed=0):
    """Women have lower log-odds by about `female`, differently in each decision, and each 20 years add 0.1."""
    table = sentences(n_decisions)
    person = table.drop_duplicates("row").set_index("row")
    random = np.random.default_rng(seed)
    base, own = random.normal(size=n_decisions), female + spread * random.normal(size=n_decisions)
    decision = person["decision"].astype(int)
    is_female = person["person"].str[1] == "female"
    log_odds = base[decision] + own[decision] * is_female + 0.1 * person["person"].str[0].astype(float) / 20
    return stimuli.observe(table, scores(table, log_odds, mass))


def measured(observations, model="model"):
    return numbers.estimates(model, NAME, observations, EFFECTS, 0.95, "holm")
