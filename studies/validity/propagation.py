"""Correlations over countries, on the design of the full study: 247 countries of six continents.

Both sides differ between continents (`between`: that share of their variance) and depend on a name's length and on a
second thing that names have (`shared`: how much, in standard deviations of what is the country's own). `true`: the
correlation of what is left, 0 under the null hypothesis.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.propagation import score
from herbarium.statistics import correlation

CONTINENTS = np.repeat(np.arange(6), [58, 54, 53, 41, 27, 14])
STRATA = correlation.Strata(CONTINENTS)
N = len(CONTINENTS)
LEVEL, ALPHA = 0.95, 0.05
PERMUTATIONS, REPLICATES = 499, 500
DESIGNS = [(0.0, 0.0), (0.2, 0.0), (0.35, 0.0), (0.5, 0.0), (0.2, 0.5), (0.5, 0.5)]
POWER = (0.1, 0.2, 0.3, 0.4, 0.5)
# Reliabilities of the measure, over words, and of the effect, over training sets; and the correlation without errors.
RELIABLE = [(0.8, 0.8, 0.0), (0.8, 0.8, 0.3), (0.5, 0.5, 0.3), (0.8, 0.5, 0.6)]
WORDS, SETS = 12, 3


def sides(random, between, shared, true):
    """Two sides, and what names have: (n,) each."""
    length, other = random.integers(1, 6, N), random.normal(size=N)
    noise = random.multivariate_normal([0, 0], [[1, true], [true, 1]], size=N)
    of_continent = random.normal(size=(6, 2))[CONTINENTS]
    both = np.sqrt(between) * of_continent + np.sqrt(1 - between) * noise
    return *(both + shared * (length / 2 + other / 2 - 1.5)[:, None]).T, [length, other]


def truth(between, shared, true):
    """What `within` estimates without error: its value for a hundred times as many countries."""
    random = np.random.default_rng(0)
    x, y, given = zip(*(sides(random, between, shared, true) for _ in range(100)), strict=True)
    return float(correlation.within(np.stack(x), np.stack(y), STRATA, np.stack(given, axis=1)).mean())


def rates(n):
    """n: simulated studies of each design."""
    for between, shared in DESIGNS:
        yield from of_design(n, between, shared, 0.0)
    for true in POWER:
        yield from of_design(n, 0.2, 0.5, true)
    for of_measure, of_effect, true in RELIABLE:
        yield from of_errors(n, of_measure, of_effect, true)


def of_design(n, between, shared, true):
    tally = Rates("propagation", f"between {between:g}, shared {shared:g}, true {true:g}")
    wanted = truth(between, shared, true) if true else 0.0
    for seed in range(n):
        random = np.random.default_rng(seed)
        x, y, given = sides(random, between, shared, true)
        orders = STRATA.orders(N, PERMUTATIONS, random)
        is_found = correlation.within_p_value(x, y, STRATA, given, orders) <= ALPHA
        if true:
            tally.add("power", score.PRIMARY, is_found)
        else:
            tally.add("type I error", score.PRIMARY, is_found)
            if not shared:
                inside = correlation.within_p_value(x, y, STRATA, [], orders)
                tally.add("type I error", "within_effect", inside <= ALPHA)
            together = correlation.p_value(float(correlation.spearman(x, y)), N)
            tally.add("type I error, withdrawn", "spearman_effect", together <= ALPHA)
        places = STRATA.draws(N, REPLICATES, random)
        drawn = correlation.within(x[places], y[places], STRATA, [covariate[places] for covariate in given])
        bounds = correlation.interval(drawn, LEVEL)
        tally.add("coverage", score.PRIMARY, bounds["ci_low"] <= wanted <= bounds["ci_high"])
    return tally.rows()


def of_errors(n, of_measure, of_effect, true):
    """The correlation with its errors taken out, against that of sides without errors."""
    design = f"between 0.2, shared 0.5, true {true:g}, reliabilities {of_measure:g} and {of_effect:g}"
    tally = Rates("propagation", design)
    wanted = truth(0.2, 0.5, true) if true else 0.0
    for seed in range(n):
        random = np.random.default_rng(seed)
        x, y, given = sides(random, 0.2, 0.5, true)
        share = 1 - 0.2  # of the variance, what is inside continents and of no name
        spread = [
            np.sqrt(k * share * (1 - reliability) / reliability)
            for k, reliability in ((WORDS, of_measure), (SETS, of_effect))
        ]
        by_word = x[:, None] + spread[0] * random.normal(size=(N, WORDS))
        by_set = y[:, None] + spread[1] * random.normal(size=(N, SETS))
        x, y = by_word.mean(axis=1), by_set.mean(axis=1)
        places = STRATA.draws(N, REPLICATES, random)
        drawn = correlation.within(x[places], y[places], STRATA, [covariate[places] for covariate in given])
        inside = {"estimate": float(correlation.within(x, y, STRATA, given))} | correlation.interval(drawn, LEVEL)
        *_, row = score._reliable(inside, by_word, by_set, given, STRATA, random)
        if "estimate" in row:
            tally.add("coverage", "disattenuated_effect", row["ci_low"] <= wanted <= row["ci_high"])
    return tally.rows()
