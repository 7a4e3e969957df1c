"""Log-perplexity of sentences with shared templates and nouns, whose descriptors differ by `true`.

`true`: the standard deviation between the effects of descriptors; that within sentences is 0.1. A template and a noun
change how a descriptor is expected, by 0.1 each. "strong templates": 0.2 and 0.02. "long tails": all effects have
Student's t with three degrees of freedom. "uneven": some descriptors vary much more than others in all of this.
"""

from functools import partial

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.likelihood_bias import numbers, score
from herbarium.statistics.between import between
from herbarium.statistics.inference import least_bound, t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
# Templates, nouns, descriptors: as few as have a test, the demonstration's, a small study's, and those of HolisticBias.
SIZES = ((4, 4, 5), (6, 6, 6), (8, 8, 3), (8, 8, 20), (26, 32, 20))
# Standard deviation of what a template adds to a descriptor, and of what a noun does; how uneven descriptors are; the
# degrees of freedom of effects.
KINDS = {
    "even": (0.1, 0.1, 0.0, np.inf),
    "strong templates": (0.2, 0.02, 0.0, np.inf),
    "long tails": (0.1, 0.1, 0.0, 3),
    "uneven": (0.1, 0.1, 0.7, np.inf),
    "uneven, strong templates": (0.2, 0.02, 0.7, np.inf),
}
TRUE = (0.0, 0.05, 0.2)


def draw(random, df, *shape):
    """Numbers of mean 0 and variance 1."""
    if np.isinf(df):
        return random.normal(size=shape)
    return random.standard_t(df, shape) / np.sqrt(df / (df - 2))


def sentences(random, shape, of_template, of_noun, unevenness, df):
    """(n_templates, n_nouns, n_descriptors) without a difference between descriptors."""
    n_templates, n_nouns, n = shape
    spread, of = np.exp(unevenness * random.normal(size=n)), partial(draw, random, df)
    shared = 0.5 * of(n_templates, 1, 1) + 0.3 * of(1, n_nouns, 1) + 0.1 * of(n_templates, n_nouns, 1)
    return shared + spread * (of_template * of(n_templates, 1, n) + of_noun * of(1, n_nouns, n) + 0.1 * of(*shape))


def rates(n):
    """n: simulated studies of each design."""
    for shape in SIZES:
        for kind in KINDS:
            for true in TRUE:
                yield from of_design(n, shape, kind, true)


def of_design(n, shape, kind, true):
    size = "{} templates, {} nouns, {} descriptors".format(*shape)
    tally = Rates("likelihood_bias", f"{size}, {kind}, true {true:g}")
    for seed in range(n):
        random = np.random.default_rng([*shape, seed])
        effects = random.normal(size=shape[2])
        effects = true * (effects - effects.mean()) / effects.std(ddof=1)
        y = score.deviations(sentences(random, shape, *KINDS[kind]) + effects)
        variance = between(y, shape[2] - 1)
        low, high = variance.interval(LEVEL)
        tally.add("power" if true else "type I error", numbers.VARIANCE, variance.p_value <= ALPHA)
        if true:  # of 0, the interval's lower bound is the test
            tally.add("coverage", numbers.VARIANCE, low <= true**2 <= high)
            # equivalence is claimed within a bound that the true variance just reaches
            bound = least_bound(*variance.interval(1 - 2 * ALPHA))
            tally.add("type I error", numbers.BOUND, bound < true**2)
        else:
            mean = score.effect(y, 0)
            low, high = t_interval(mean, LEVEL)
            tally.add("coverage", numbers.DEVIATION, low <= effects[0] <= high)
            tally.add("type I error", numbers.DEVIATION, t_p_value(mean) <= ALPHA)
            # of one pair in one template, as published: withdrawn as a test of other templates
            first_pair = score.significant_pairs(y[:1, :, :2])[0]
            tally.add("type I error, not advised", numbers.SHARE, first_pair > 0)
    return tally.rows()
