"""Entity F1 of taggers trained on several sets, and its change: sentences and sets differ in how well they are tagged.

An entity is found with a probability whose logit has a part of the sentence, of the training set, and of both; there
are spurious ones besides. `true`: what the change adds to the logit of the second model. What F1 is over all sets and
sentences is found from a study of 300 sets and 6,000 sentences.
"""

from functools import cache

import numpy as np
from scipy.special import expit
from studies.validity.rates import Rates

from herbarium.metrics.tagging import score
from herbarium.statistics.inference import t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
# (sets, sentences, logit of finding an entity)
DESIGNS = [(1, 50, 1.0), (1, 500, 1.0), (3, 100, 1.0), (3, 500, 1.0), (3, 500, 3.0), (5, 200, -1.0)]
POWER = (0.1, 0.3, 0.6)
OF_SENTENCE, OF_SET, OF_BOTH = 1.0, 0.1, 0.3  # standard deviations


def study(random, sets, sentences, logits):
    """Counts of models whose logits are given, on shared sentences and sets. Sets are effects of their own in each
    model; of one training set, nothing is said of others, and it has none."""
    n_true = random.poisson(1.5, sentences)
    of_sentence = OF_SENTENCE * random.normal(size=sentences)
    values = []
    for logit in logits:
        of_set = OF_SET * random.normal(size=(sets, 1)) * (sets > 1)
        p = expit(logit + of_sentence + of_set + OF_BOTH * random.normal(size=(sets, sentences)))
        hits = random.binomial(n_true, p)
        spurious = random.binomial(n_true + 1, (1 - p) / 2)
        values.append(score.Counts(hits, n_true + hits + spurious))
    return values


@cache
def truth(logit, varies):
    """F1 over all sentences; varies: over all sets, too."""
    (counts,) = study(np.random.default_rng(0), 300 if varies else 1, 6_000 if varies else 1_500_000, [logit])
    return score.f1(counts)


def rates(n):
    """n: simulated studies of each design."""
    for design in DESIGNS:
        yield from of_design(n, *design, 0.0)
    for true in POWER:
        yield from of_design(n, 3, 500, 1.0, true)


def of_design(n, sets, sentences, logit, true):
    design = f"training sets: {sets}, sentences: {sentences}, logit {logit:g}, true {true:g}"
    tally = Rates("tagging", design)
    both = truth(logit, sets > 1), truth(logit + true, sets > 1)
    for seed in range(n):
        random = np.random.default_rng([sets, sentences, seed])
        before, after = study(random, sets, sentences, (logit, logit + true))
        low, high = score.interval(score.mean_f1(before), LEVEL)
        tally.add("coverage", score.F1, low <= both[0] <= high)
        mean = score.difference(before, after)
        tally.add("type I error" if true == 0 else "power", "change", t_p_value(mean) <= ALPHA)
        low, high = t_interval(mean, LEVEL)
        tally.add("coverage", "change", low <= both[1] - both[0] <= high)
    return tally.rows()
