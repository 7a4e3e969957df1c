"""Log perplexity of texts of different lengths, which differ in how hard they are, and its change.

`true`: the mean change of a token's log-probability, in nats.
"""

import numpy as np
import pandas as pd
from studies.validity.rates import Rates

from herbarium.metrics.perplexity import score
from herbarium.statistics.inference import t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
TEXTS = (10, 50, 200)
POWER = (0.02, 0.05, 0.1, 0.2)
MEAN = 3.0  # of a token's minus log-probability, in all texts


def texts(random, n):
    """(n_texts,) sums of log-probabilities, and tokens: from 4 to 64, long texts a little harder."""
    n_tokens = random.integers(4, 65, n)
    hardness = MEAN + 0.5 * random.normal(size=n)
    return -n_tokens * hardness - np.sqrt(n_tokens) * random.normal(size=n), n_tokens


def scores(value, n_tokens):
    return pd.DataFrame({"sentence_id": range(len(value)), "value": value, "n_tokens": n_tokens, "note": None})


def rates(n):
    """n: simulated studies of each design."""
    for size in TEXTS:
        yield from of_design(n, size, 0.0)
    for true in POWER:
        yield from of_design(n, 50, true)


def of_design(n, size, true):
    tally = Rates("perplexity", f"{size} texts, true {true:g}")
    for seed in range(n):
        random = np.random.default_rng([size, seed])
        value, n_tokens = texts(random, size)
        low, high = t_interval(score.log_perplexity(value, n_tokens), LEVEL)
        tally.add("coverage", score.LOG, low <= MEAN <= high)
        lost = n_tokens * (true + 0.2 * random.normal(size=size))
        of_models = {"a": scores(value, n_tokens), "b": scores(value - lost, n_tokens)}
        row = score.changes([("a", "b", "a", "b")], "texts", of_models, LEVEL, 1.1).iloc[0]
        mean = score.Mean(row["estimate"], row["std_error"] ** 2, row["df"])
        tally.add("type I error" if true == 0 else "power", "change", t_p_value(mean) <= ALPHA)
        low, high = t_interval(mean, LEVEL)
        tally.add("coverage", "change", low <= true <= high)
    return tally.rows()
