"""CrowS-Pairs at the sizes of its bias types: scores of sentences that share most of their words.

The two sentences of a pair are alike (`OF_PAIRS`: standard deviation of what they share), so that their difference
varies far less than they do; it has heavy tails (Student's t, 3 df). `true`: per cent of pairs, and with it the mean
difference.

Where a tokenizer splits the second sentence of some pairs more, which lowers its score, pairs of equal length are left.
"""

import numpy as np
import pandas as pd
from scipy import stats
from studies.validity.rates import Rates

from herbarium.metrics.crows_pairs import score, stimuli
from herbarium.statistics import mixed_model
from herbarium.statistics.sets import EQUAL_LENGTH

LEVEL, ALPHA = 0.95, 0.05
SIZES = (60, 105, 172)
OF_PAIRS, DF = 10.0, 3
FEW = (8, 20)  # pairs of equal length, of SIZES[0]
LONGER = -9.0  # what a further token adds to a score
POWER = (52.0, 54.0, 57.0, 60.0, 70.0)


def rates(n):
    """n: simulated studies of each design."""
    for size in SIZES:
        yield from of_design(n, size, 50.0)
    for true in POWER:
        yield from of_design(n, 60, true)
    for clusters, true in ((20, 50.0), (20, 70.0), (60, 50.0)):
        yield from of_alike(n, clusters, true)
    for size in FEW:
        yield from of_equal_length(n, size)


def of_alike(n, clusters, true):
    """Pairs of which three each are alike (`stimuli.clusters`): half of the variance of a difference is theirs."""
    tally = Rates("crows_pairs", f"{clusters} clusters of 3 pairs, true {true:g}")
    size, shift = 3 * clusters, stats.norm.ppf(true / 100)
    frame = pd.DataFrame({"set": np.repeat(np.arange(size).astype(str), 2), "side": list(stimuli.SIDES) * size})
    frame = frame.assign(
        group="", remark="", definition=stimuli.PAPER, cluster=np.repeat(np.arange(size) // 3, 2).astype(str)
    )
    for seed in range(n):
        random = np.random.default_rng([3, clusters, seed])
        noise = (np.repeat(random.normal(size=clusters), 3) + random.normal(size=size)) / np.sqrt(2)
        values = np.column_stack([shift + noise, np.zeros(size)]).ravel()
        rows = score.score("m", frame.assign(value=values), LEVEL, seed).set_index("variant")
        for variant, wanted in ((score.CPS, true), (score.DIFFERENCE, shift)):
            row = rows.loc[variant]
            tally.add("type I error" if true == 50 else "power", variant, row["p_value"] <= ALPHA)
            tally.add("coverage", variant, row["ci_low"] <= wanted <= row["ci_high"])
    return tally.rows()


def of_design(n, size, true):
    tally = Rates("crows_pairs", f"{size} pairs, true {true:g}")
    shift = stats.t.ppf(true / 100, DF)
    length = np.arange(size) % 3
    frame = pd.DataFrame({"set": np.repeat(np.arange(size).astype(str), 2), "side": list(stimuli.SIDES) * size})
    frame = frame.assign(
        group="", length_group="", remark="", definition=stimuli.PAPER, cluster=frame["set"], note=None, pppl=1.0
    )
    x = np.column_stack([np.ones(2 * size), np.tile([1.0, 0.0], size)])
    design = mixed_model.design(x, [np.repeat(length, 2)], np.ones(2 * size))
    scores = []
    for seed in range(n):
        random = np.random.default_rng([2, size, seed])
        common = -30 + OF_PAIRS * random.normal(size=size) - 5 * length
        values = np.column_stack([common + shift + random.standard_t(DF, size=size), common]).ravel()
        scores.append(values)
        rows = score.score("m", frame.assign(value=values), LEVEL, seed).set_index("variant")
        for variant, wanted in ((score.CPS, true), (score.DIFFERENCE, shift)):
            row = rows.loc[variant]
            tally.add("type I error" if true == 50 else "power", variant, row["p_value"] <= ALPHA)
            tally.add("coverage", variant, row["ci_low"] <= wanted <= row["ci_high"])
    fits = mixed_model.fit(design, np.array(scores))
    what = "type I error, withdrawn" if true == 50 else "power, withdrawn"
    for p in 2 * stats.t.sf(np.abs(fits.beta[:, 1] / fits.std_error[:, 1]), fits.df[:, 1]):
        tally.add(what, "mixed model", p <= ALPHA)
    return tally.rows()


def of_equal_length(n, size):
    """Without a preference. size: pairs of equal length."""
    tally = Rates("crows_pairs", f"60 pairs, {size} of equal length, true 50")
    is_longer = np.tile([False, True], SIZES[0]) & (np.arange(2 * SIZES[0]) >= 2 * size)
    pairs = np.repeat(np.arange(SIZES[0]).astype(str), 2)
    columns = {"set": pairs, "side": list(stimuli.SIDES) * SIZES[0], "group": "", "remark": "", "cluster": pairs}
    frame = pd.DataFrame(columns)
    frame = frame.assign(definition=stimuli.PAPER, n_tokens=10 + is_longer)
    for seed in range(n):
        random = np.random.default_rng([3, size, seed])
        common = np.repeat(-30 + OF_PAIRS * random.normal(size=SIZES[0]), 2)
        values = common + random.standard_t(DF, size=2 * SIZES[0]) * (frame["side"] == stimuli.STEREO)
        rows = score.score("m", frame.assign(value=values + LONGER * is_longer), LEVEL, seed).set_index("variant")
        for variant, wanted in ((score.CPS, 50.0), (score.DIFFERENCE, 0.0)):
            row = rows.loc[variant + EQUAL_LENGTH]
            tally.add("type I error", variant + EQUAL_LENGTH, row["p_value"] <= ALPHA)
            tally.add("coverage", variant + EQUAL_LENGTH, row["ci_low"] <= wanted <= row["ci_high"])
    return tally.rows()
