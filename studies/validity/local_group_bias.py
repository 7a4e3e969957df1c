"""Searches for clusters with a gap: the permutation null of LOGAN and of K-Means beside it.

Texts have features of four dimensions, in which a hidden half of them lies apart; a classifier is right in .75 of all,
in the hidden half less often. Either each text stands there with both regions (`pairs`), where half of all errors are
of the text, whatever the region; or once, with a country inside or outside a continent (`against the rest`); or once,
in a group of its own (`own groups`), where the second group is smaller, writes more of the hidden half and more
positive texts. `gap`: how much less often the second group is right in the hidden half, 0 under the null hypothesis.
"""

import numpy as np
import pandas as pd
from studies.validity.rates import Rates

from herbarium.metrics.local_group_bias import numbers

TEXTS, DIMENSIONS, APART = 60, 4, 1.5
RIGHT, HARDER, OF_TEXT = 0.75, 0.15, 0.5
ALPHA = 0.05
SETTINGS = {"strength": 5, "permutations": 19, "restarts": 1}  # few, to be quick: the test is as exact as with many
POSITIVE = np.array([0.3, 0.6])  # share of positive texts by group
SECOND = np.array([0.2, 0.5])  # share of the second group in the easy half and in the hidden half
KINDS = {"pairs": numbers.MATCHED, "against the rest": numbers.DRAWN, "own groups": numbers.GIVEN}
SHARE = 5  # power is of a fifth of the studies
POWER = (0.1, 0.2, 0.3, 0.4, 0.5)
TESTED = ("bcr", "largest_gap")


def study(random, design, gap):
    """A comparison, its instances and their features."""
    matched = design == numbers.MATCHED
    n = TEXTS if matched else 2 * TEXTS
    hidden = random.uniform(size=n) < 0.5
    centre = APART * hidden[:, None] * np.eye(1, DIMENSIONS)
    features = centre + random.normal(size=(n, DIMENSIONS))
    common = random.uniform(size=n)
    example = np.tile(np.arange(n), 2) if matched else np.arange(n)
    group = np.repeat([0, 1], n) if matched else random.permutation(n) % 2
    own_noise = random.uniform(size=len(example))
    chance = np.where(random.uniform(size=len(example)) < OF_TEXT, common[example], own_noise)
    label = np.arange(n)[example] % 2
    if design == numbers.GIVEN:
        group = (random.uniform(size=n) < SECOND[hidden.astype(int)]).astype(int)
        label = (random.uniform(size=n) < POSITIVE[group]).astype(int)
    right = chance < RIGHT - HARDER * hidden[example] - gap * hidden[example] * group
    text = np.where(right, label, 1 - label)
    instances = pd.DataFrame({"example": example, "prefix": group, "group": group, "label": label})
    instances = instances.assign(log_odds=2.0 * text - 1, text=[f"word{text_number}" for text_number in example])
    noise = 0.3 * random.normal(size=(len(example), DIMENSIONS))
    name = {numbers.MATCHED: "a against b", numbers.DRAWN: "a against the rest", numbers.GIVEN: "writer: a, b"}[design]
    return (
        numbers.Comparison(name, instances[["example", "prefix", "group"]], design),
        instances,
        features[example] + noise,
    )


def rates(n):
    """n: simulated studies of each design."""
    for kind in KINDS:
        yield from of_design(n, kind, 2, 0.0)
    for gap in POWER:
        yield from of_design(max(n // SHARE, 1), "pairs", 2, gap)
    yield from of_design(max(n // SHARE, 1), "own groups", 2, POWER[-1])


def of_design(n, kind, clusters, gap):
    tally = Rates("local_group_bias", f"{kind}, {clusters} clusters, gap {gap:g}")
    settings = numbers.Settings(clusters=clusters, **SETTINGS)
    for seed in range(n):
        measured = numbers.measure("m", "t", *study(np.random.default_rng(seed), KINDS[kind], gap), settings, seed, [])
        rows = measured.numbers.set_index(["definition", "variant"])["p_value"]
        for definition in ("paper", "released"):
            for variant in (f"{test}{suffix}" for test in TESTED for suffix in ("", "_k_means")):
                what = "power" if gap else "type I error"
                tally.add(what, f"{variant}, {definition}", rows[definition, variant] <= ALPHA)
    return tally.rows()
