"""Matched guise: type I errors and coverage of attributes' associations, of their mean, and of their slope on ratings.

A difference is the sum of effects of the unit, of the attribute, of the unit's own slope on ratings, and of both
together. `true`: the slope on standardised ratings.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.matched_guise import score
from herbarium.statistics.inference import adjust, sample_mean, t_interval, t_p_value
from herbarium.statistics.randomisation import sign_flip

LEVEL, ALPHA = 0.95, 0.05
UNIT, ATTRIBUTE, SLOPE, BOTH = 0.5, 0.3, 0.3, 0.6  # standard deviations
# Units and attributes; the standard deviations; how normal numbers become effects; attributes that share an effect.
USUAL = {"sd": (UNIT, ATTRIBUTE, SLOPE, BOTH), "shape": "normal", "alike": 1}
DESIGNS = {
    "12 units, 8 attributes": {"size": (12, 8)},
    "12 units, 37 attributes": {"size": (12, 37)},
    "100 units, 37 attributes": {"size": (100, 37)},
    "6 units, 6 attributes": {"size": (6, 6)},
    "6 units, 37 attributes": {"size": (6, 37)},
    "100 units, 6 attributes": {"size": (100, 6)},
    "12 units, 8 attributes, heavy tails": {"size": (12, 8), "shape": "heavy"},
    "12 units, 37 attributes, heavy tails": {"size": (12, 37), "shape": "heavy"},
    "12 units, 37 attributes, skewed ratings": {"size": (12, 37), "shape": "skewed"},
    "12 units, 37 attributes, units alike": {"size": (12, 37), "sd": (0.1, ATTRIBUTE, 0.0, BOTH)},
    "12 units, 37 attributes, attributes alike": {"size": (12, 37), "sd": (UNIT, 0.0, SLOPE, BOTH)},
    "12 units, 37 attributes, large interaction": {"size": (12, 37), "sd": (UNIT, 0.1, 0.1, 2.0)},
}
CORRELATED = {"12 units, 36 attributes in pairs of synonyms": {"size": (12, 36), "alike": 2}}


def drawn(random, shape, *size):
    """Effects of mean 0 and variance 1; heavy tails are Student's with 3 degrees of freedom."""
    return random.standard_t(3, size) / np.sqrt(3) if shape == "heavy" else random.normal(size=size)


def study(random, size, sd, shape, alike, true):
    """Differences, (n_units, n_attributes), and the ratings."""
    n, k = size
    ratings = np.exp(random.normal(size=k)) if shape == "skewed" else random.normal(size=k)
    shared = np.repeat(drawn(random, shape, k // alike), alike)
    if alike > 1:
        ratings = np.repeat(ratings[::alike], alike) + 0.3 * random.normal(size=k)
    unit, attribute, slope, both = sd
    effects = unit * drawn(random, shape, n, 1) + attribute * shared + both * drawn(random, shape, n, k)
    slopes = true + slope * drawn(random, shape, n, 1)
    return effects + slopes * score.standardised(ratings), ratings


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        for true in (0.0, 0.3):
            yield from of_design(n, name, USUAL | design, true)
    for name, design in CORRELATED.items():
        yield from of_design(n, name, USUAL | design, 0.0, ", not advised")
    for size in ((3, 37), (4, 37), (5, 37), (12, 3), (12, 4)):
        given = np.all(np.array(size) >= (score.FEWEST_UNITS, score.FEWEST_ATTRIBUTES))
        name = "{} units, {} attributes".format(*size)
        yield from of_design(n, name, USUAL | {"size": size}, 0.0, "" if given else ", withdrawn")
    yield from of_attributes(n)


def of_design(n, name, design, true, behind=""):
    tally = Rates("matched_guise", f"{name}, true {true:g}")
    for seed in range(n):
        differences, ratings = study(np.random.default_rng([11, seed]), true=true, **design)
        slope = score.slope(differences, ratings)
        low, high = t_interval(slope, LEVEL)
        tally.add(f"coverage{behind}", "slope", low <= true <= high)
        if true:
            tally.add("power", "slope", t_p_value(slope) <= ALPHA)
            continue
        mean = score.mean(differences)
        low, high = t_interval(mean, LEVEL)
        tally.add(f"coverage{behind}", "mean", low <= 0 <= high)
        for variant, found in (("slope", slope), ("mean", mean)):
            tally.add(f"type I error{behind}", variant, t_p_value(found) <= ALPHA)
        _, p = score.correlation(differences, ratings)
        tally.add("type I error, not advised", "correlation, as published", p <= ALPHA)
    return tally.rows()


def of_attributes(n):
    """The association of single attributes: the first has none; and of a family without any."""
    for name, n_units, shape in (
        *((f"{n_units} units", n_units, "normal") for n_units in (6, 12, 100)),
        ("12 units, heavy tails", 12, "heavy"),
        ("100 units, heavy tails", 100, "heavy"),
    ):
        tally = Rates("matched_guise", f"{name}, 8 attributes without association")
        for seed in range(n):
            random = np.random.default_rng([12, seed])
            differences = UNIT * drawn(random, shape, n_units, 1) + BOTH * drawn(random, shape, n_units, 8)
            p = [sign_flip(values, random) for values in differences.T]
            low, high = t_interval(sample_mean(differences[:, 0]), LEVEL)
            tally.add("type I error", "association", p[0] <= ALPHA)
            tally.add("type I error", "association, any of a family", (adjust(np.array(p), "holm") <= ALPHA).any())
            tally.add("coverage", "association", low <= 0 <= high)
        yield from tally.rows()
