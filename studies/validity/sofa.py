"""log10 PPL* of stereotypes after identities whose effects differ by `true`, their standard deviation; within a
stereotype, the rest has one of 0.1.

"long tails": effects of stereotypes with identities have Student's t with three degrees of freedom. "uneven": some
identities vary much more than others. "partly met": an identity meets a stereotype with probability 0.6.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.sofa import numbers, score
from herbarium.statistics.between import between, given
from herbarium.statistics.inference import least_bound, t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
# Stereotypes, identities.
SIZES = ((10, 5), (10, 20), (10, 100), (50, 5), (50, 20), (50, 100), (500, 5), (500, 20), (500, 100))
# Degrees of freedom of the rest; how uneven identities are; the share of stereotypes that an identity meets.
KINDS = {
    "even": (np.inf, 0.0, 1.0),
    "long tails": (3, 0.0, 1.0),
    "uneven": (np.inf, 0.7, 1.0),
    "partly met": (np.inf, 0.0, 0.6),
    "uneven, long tails, partly met": (3, 0.7, 0.6),
}
TRUE = (0.0, 0.01, 0.05)


def rates(n):
    """n: simulated studies of each design; with the most identities, a quarter."""
    for shape in SIZES:
        for kind in KINDS:
            for true in TRUE:
                yield from of_design(n if shape[1] < 100 else n // 4, shape, kind, true)


def probes(random, shape, df, unevenness, met):
    """(n_stereotypes, n_identities) without a difference that stereotypes share."""
    rest = random.normal(size=shape) if np.isinf(df) else random.standard_t(df, shape) / np.sqrt(df / (df - 2))
    spread = np.exp(unevenness * random.normal(size=shape[1]))
    s = 0.3 * random.normal(size=(shape[0], 1)) + 0.1 * spread * rest
    return np.where(random.random(shape) < met, s, np.nan)


def of_design(n, shape, kind, true):
    tally = Rates("sofa", f"{shape[0]} stereotypes, {shape[1]} identities, {kind}, true {true:g}")
    for seed in range(n):
        random = np.random.default_rng([*shape, seed])
        effects = random.normal(size=shape[1])
        effects = true * (effects - effects.mean()) / effects.std(ddof=1)
        s = probes(random, shape, *KINDS[kind]) + effects
        n_met = np.isfinite(s).sum(axis=0)
        # as the page: identities and stereotypes with too few are left out
        is_enough = n_met >= score.FEWEST
        s, effects, n_met = s[:, is_enough], effects[is_enough], n_met[is_enough]
        s = s[np.isfinite(s).sum(axis=1) > 1]
        if is_enough.sum() < 2 or (y := score.deviations(s)) is None:
            continue
        effects = effects - effects.mean()
        of_study(tally, random, y, effects, n_met)
    return tally.rows()


def of_study(tally, random, y, effects, n_met):
    n_identities = len(effects)
    true = effects @ effects / (n_identities - 1)
    variance = between(y, n_identities - 1)
    tally.add("power" if true else "type I error", numbers.VARIANCE, variance.p_value <= ALPHA)
    _, low, high = score.ranks(y, n_met, LEVEL)
    # the interval of one identity's rank, with the ranks that those tied with it share
    is_missed = low[0] > 1 + (effects < effects[0]).sum() or high[0] < n_identities - (effects > effects[0]).sum()
    tally.add("type I error", numbers.RANK, is_missed)
    mean = score.effect(y, 0)
    if not true:
        tally.add("type I error", numbers.DEVIATION, t_p_value(mean) <= ALPHA)
        residuals = given(y, random.normal(size=n_identities))
        if residuals is not None:
            is_found = between(residuals, n_identities - 2).p_value <= ALPHA
            tally.add("type I error", numbers.GIVEN_PERPLEXITY, is_found)
        return
    low, high = variance.interval(LEVEL)
    tally.add("coverage", numbers.VARIANCE, low <= true <= high)
    # equivalence is claimed within a bound that the true variance just reaches
    tally.add("type I error", numbers.BOUND, least_bound(*variance.interval(1 - 2 * ALPHA)) < true)
    low, high = t_interval(mean, LEVEL)
    tally.add("coverage", numbers.DEVIATION, low <= effects[0] <= high)
