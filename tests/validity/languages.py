"""inBias and what becomes of it in another space: error rates of tests, coverage of intervals.

Words are random vectors of DIMENSIONS. Seeds have ±`gender` of a direction beside what each has alone; each occupation
has a lean on it, of which `mean` is that of all and `spread` how far single ones differ. Both forms of an occupation
share most of a vector. Pairs and seeds are drawn anew in each study. Other spaces have the directions at
other lengths, as RCSLS makes them.
"""

from collections import defaultdict

import numpy as np
from tests.validity.rates import Rates

from herbarium.metrics.languages import score
from herbarium.statistics.inference import stabilised_interval, t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
DIMENSIONS = 50
DESIGNS = {"30 pairs, 8 seeds": (30, 8), "60 pairs, 12 seeds": (60, 12), "250 pairs, 10 seeds": (250, 10)}
# What vectors hold: of seeds, and of occupations.
WORLDS = {
    "no gender": {"gender": 0.0, "mean": 0.0, "spread": 0.0},
    "gender, no lean": {"gender": 1.0, "mean": 0.0, "spread": 0.0},
    "gender, leans of mean 0": {"gender": 1.0, "mean": 0.0, "spread": 0.6},
    "gender, a lean": {"gender": 1.0, "mean": 0.4, "spread": 0.3},
}
OWN_OF_FORM = 0.3  # what a form has alone, of the length of a word


def words(random, n_pairs, n_seeds, gender, mean, spread):
    """Vectors of the masculine and feminine forms, and of the seeds of both genders."""

    def noise(n):
        return random.normal(size=(n, DIMENSIONS)) / np.sqrt(DIMENSIONS)

    direction = np.eye(DIMENSIONS)[0]
    topics, seeds = noise(n_pairs), noise(n_seeds)
    lean = mean + spread * random.normal(size=(n_pairs, 1))
    # the feminine form lies less far on its side than the masculine one on its own, by twice the lean
    forms = [topics + OWN_OF_FORM * noise(n_pairs) + (sign * gender + lean) * direction for sign in (1, -1)]
    return *forms, *(seeds + OWN_OF_FORM * noise(n_seeds) + sign * gender * direction for sign in (1, -1))


def spaces(random, design, world):
    """Gaps in three spaces: a first one; one in which other directions have other lengths, of which nothing follows for
    a gap on average; and one in which that of gender is longer."""
    of = words(random, *design, **world)
    halves = np.repeat([1.3, 0.7], DIMENSIONS // 2)
    one, other = (np.concatenate([[1.0], lengths[1:]]) for lengths in (halves, np.roll(halves, DIMENSIONS // 2)))
    one[-1] = other[-1] = 1.0
    longer = one.copy()
    longer[0] = 1.5
    return [score.gaps(*(vectors * lengths for vectors in of)) for lengths in (one, other, longer)]


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        for world, strengths in WORLDS.items():
            yield from of_world(n, f"{name}, {world}", design, strengths)


def of_world(n, name, design, world):
    found, all_of = Rates("languages", name), defaultdict(list)
    for seed in range(n):
        random = np.random.default_rng([1, seed])
        before, alike, longer = spaces(random, design, world)
        p = score.seeds_p_value(before, random)
        found.add("power" if world["gender"] else "type I error", "shared", p <= ALPHA)
        mean, at_null = score.shared_mean(before)
        all_of["shared"].append((mean.estimate, stabilised_interval(mean, at_null, LEVEL)))
        lean, changed = score.lean(before), score.change(score.in_bias, before, alike)
        found.add("power" if world["mean"] else "type I error", "lean", t_p_value(lean) <= ALPHA)
        found.add("type I error", "inbias_change", t_p_value(changed) <= ALPHA)
        means = {
            "lean": lean,
            "inbias": score.jackknife(score.in_bias, before),
            "inbias_released": score.jackknife(score.in_bias_released, before),
            "inbias_change": score.change(score.in_bias, before, longer),
        }
        for variant, mean in means.items():
            all_of[variant].append((mean.estimate, t_interval(mean, LEVEL)))
    for variant, of in all_of.items():
        true = np.mean([estimate for estimate, _ in of])
        for _, (low, high) in of:
            found.add("coverage", variant, low <= true <= high)
    return found.rows()
