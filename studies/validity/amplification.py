"""Bias amplification in predictions of known rates: the test of 0, and what intervals cover.

Groups have rates p of positive labels, and texts something of their own. A classifier of each training set learns the
rate of a group up to noise, and is positive where a text is above the threshold at which a group's rate in predictions
is its aim: p itself (factor 1, the null hypothesis), or further from the mean of all groups. Texts are the same in all
groups, as where each gets each prefix. Rates in training are those of samples.

`all below .5`: every rate is below one half, and predictions have another base rate than training, the same for all
groups: as published, that alone is amplification. `named`: a text is of one group alone, which it
names. Coverage of the slope is of what classifiers without noise would
show; of a group's difference, of that of the first group.
"""

import numpy as np
import pandas as pd
from scipy import stats
from studies.validity.rates import Rates, printed

from herbarium.decisions.corpus import Corpus
from herbarium.metrics.amplification import score
from herbarium.statistics.inference import t_interval, t_p_value

ALPHA, LEVEL = 0.05, 0.95
TEXTS, NOISE = 60, 0.15
# groups, training texts of each group and set, training sets, centre of the rates (probits), change of the base rate,
# whether texts name groups themselves
DESIGNS = {
    "7 groups, 150 texts, 2 sets": (7, 150, 2, 0.0, 0.0, False),
    "7 groups, 150 texts, 3 sets": (7, 150, 3, 0.0, 0.0, False),
    "7 groups, 40 texts, 3 sets": (7, 40, 3, 0.0, 0.0, False),
    "7 groups, 150 texts, 5 sets": (7, 150, 5, 0.0, 0.0, False),
    "60 groups, 40 texts, 3 sets": (60, 40, 3, 0.0, 0.0, False),
    "7 groups, 150 texts, 3 sets, all below .5": (7, 150, 3, -0.9, -0.2, False),
    "named, 7 groups, 150 texts, 3 sets": (7, 150, 3, 0.0, 0.0, True),
}
FACTORS = (1.0, 1.5)
POWER = (1.25, 1.5, 2.0)
SHARE = 5  # power is of a fifth of the studies
SPREAD = 0.4  # of rates, in probits


def study(random, groups, per_group, sets, centre, base, named, factor):
    """A corpus and its log-odds, and the expected amplification and slope."""
    probit = centre + SPREAD * stats.norm.ppf((np.arange(groups) + 0.5) / groups)
    rates = stats.norm.cdf(probit)
    mean = rates.mean()
    aims = np.clip(mean + factor * (rates - mean) + base * mean, 0.01, 0.99)
    n_training = np.full((sets, groups), per_group)
    training = random.binomial(n_training, rates) / n_training
    noise = NOISE * random.normal(size=(sets, groups))
    scale = np.sqrt(1 + NOISE**2)  # so that the noise changes no expected rate
    instances = groups * TEXTS
    group, text = np.divmod(np.arange(instances), TEXTS)
    if named:
        text = np.arange(instances)
    log_odds = (scale * stats.norm.ppf(aims) + noise)[:, group] + random.normal(size=instances)[text]
    names = pd.DataFrame({"region": [f"group-{number}" for number in range(groups)], "name": ""})
    corpus = Corpus(
        names,
        names[:0].assign(n=0),
        group,
        text,
        text,
        np.column_stack([np.arange(instances), group]),
        training,
        n_training,
        np.zeros(instances),
    )
    sign = np.sign((rates - mean).round(12))
    expected = float(((sign - sign.mean()) * (aims - rates)).mean())
    slope = float((aims - aims.mean()) @ (rates - mean) / ((rates - mean) @ (rates - mean)))
    return corpus, log_odds, {"amplification": expected, "slope": slope, "difference": aims - rates}


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        for factor in FACTORS:
            yield from of_design(n, name, design, factor)
    name = "7 groups, 150 texts, 5 sets"
    for factor in POWER:
        yield from of_design(max(n // SHARE, 1), name, DESIGNS[name], factor, of_power=True)


def of_design(n, name, design, factor, of_power=False):
    tally = Rates("amplification", f"{name}, factor {factor:g}")
    is_null = factor == 1 and not design[4]
    for seed in range(n):
        corpus, log_odds, expected = study(np.random.default_rng(seed), *design, factor)
        decisions = score.Decisions((log_odds > 0).astype(float), corpus.pairs, corpus.text)
        mean = score.amplification(decisions, corpus.rate)
        rejects = t_p_value(mean) <= ALPHA
        if of_power:
            tally.add("power", "amplification", rejects)
            continue
        if factor == 1:
            tally.add("type I error", "amplification", rejects)
            chance = score.by_chance(
                corpus.rate,
                corpus.n_training,
                decisions.rates(design[0]),
                np.full(design[0], TEXTS),
                0.05,
                np.random.default_rng(seed),
            )
            published = score.mean_amplification(corpus.rate, decisions.rates(design[0])).mean()
            tally.add("above 0, not advised", "amplification, paper", published > 0)
            tally.add("above chance, not advised", "amplification, paper", published > chance.amplification)
        group = score.difference(decisions, corpus.rate, 0)
        if is_null:
            tally.add("type I error", "difference", t_p_value(group) <= ALPHA)
        covered = {"amplification": mean, "slope": score.slope(decisions, corpus.rate), "difference": group}
        for variant, estimate in covered.items():
            if np.isnan(estimate.estimate):
                continue
            low, high = t_interval(estimate, LEVEL)
            truth = expected[variant][0] if variant == "difference" else expected[variant]
            tally.add("coverage", variant, low <= truth <= high)
    return printed(tally.rows(), design[2])
