"""Vectors of biographies of known occupations and genders, and probes that are trained on them.

`shown`: how far the chance that a text has anything of its occupation rises with the share of its gender there;
`gender`: how far texts of women and men are apart in every occupation alike, so that a probe can take an occupation's
share for a hint; `apart`: how far occupations are. Balanced probes learn as `score.balancing` has it.

And predictions as of fine-tuned models, without a model: texts differ in how easily their occupation is told, and
training sets in how well; `between`: how far, in log-odds, in each occupation and gender by itself, and as far again in
all of them together.
"""

import numpy as np
from studies.validity.rates import Rates, printed

from herbarium.metrics.biographies import learning, numbers, score
from herbarium.statistics.inference import adjust, t_interval, t_p_value

LEVEL, ALPHA, C, ITERATIONS = 0.95, 0.05, 1.0, 200
DIMENSIONS, NOISE = 10, 1.0
DESIGNS = ((4, 80, 3), (8, 80, 3), (8, 80, 1), (16, 60, 3))  # occupations, texts of each to test with, training sets
EFFECTS = ((1.0, 0.0, 0.0), (3.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 1.0))  # apart, shown, gender
BALANCED = (8, 80, 3)
FINETUNED = ((8, 80, 2), (8, 80, 3), (8, 80, 5))
BETWEEN = ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0))  # between, shown
EASY = 1.0  # standard deviation of texts, in log-odds
TRAIN = 3  # texts to train on for each to test with


def shares(n):
    return np.linspace(0.2, 0.8, n)


def places(n):
    return np.random.default_rng(n).normal(size=(n, DIMENSIONS)) / np.sqrt(DIMENSIONS)


def texts(random, n, n_each, apart, shown, gender):
    """Vectors, (n · n_each, dimensions), occupations, and which are of men."""
    label = np.repeat(np.arange(n), n_each)
    is_man = np.concatenate([np.arange(n_each) >= round(share * n_each) for share in shares(n)])
    chance = 0.7 + np.where(is_man, -1, 1) * shown * (shares(n)[label] - 0.5) / 2
    is_shown = random.uniform(size=len(label)) < chance
    x = 3 * apart * places(n)[label] * is_shown[:, None] + NOISE * random.normal(size=(len(label), DIMENSIONS))
    x[:, 0] += np.where(is_man, gender, -gender)
    return x, label, is_man


def rates(n):
    """n: simulated studies of each design."""
    for design in DESIGNS:
        for effect in EFFECTS:
            yield from of_design(n, *design, *effect)
    for effect in EFFECTS:
        yield from of_design(n, *BALANCED, *effect, is_balanced=True)
    yield from finetuned(n)


def finetuned(n):
    for design in FINETUNED:
        for effect in BETWEEN:
            yield from of_finetuned(n, *design, *effect)


def of_design(n, n_occupations, n_each, n_sets, apart, shown, gender, is_balanced=False):
    tally = Rates(
        numbers.METRIC,
        f"{n_occupations} occupations of {n_each} texts, {n_sets} sets; apart {apart:g}, shown {shown:g}, "
        f"gender {gender:g}{', balanced' if is_balanced else ''}",
    )
    means = []
    is_null = not (shown or gender)
    for seed in range(n):
        random = np.random.default_rng([n_occupations, n_each, n_sets, seed])
        x, label, is_man = texts(random, n_occupations, TRAIN * n_each, apart, shown, gender)
        asked, tested, of_man = texts(random, n_occupations, n_each, apart, shown, gender)
        of_set = learning.parts(2 * label + is_man, n_sets, random)
        weight = score.balancing(2 * label + is_man, of_set) if is_balanced else None
        right = score.told(x, label, of_set, asked, C, ITERATIONS, weight).predicted == tested
        what = "type I error" if is_null else "power"
        means.append(of_study(tally, what, right, 2 * tested + of_man, n_occupations, random))
    add_coverage(tally, means, is_null)
    return tally.rows()


def of_finetuned(n, n_occupations, n_each, n_sets, between, shown):
    tally = Rates(
        numbers.METRIC,
        f"as fine-tuned: {n_occupations} occupations of {n_each} texts, {n_sets} sets; between {between:g}, shown "
        f"{shown:g}",
    )
    means, cells = [], 2 * n_occupations
    for seed in range(n):
        random = np.random.default_rng([n_occupations, n_each, n_sets, seed])
        _, label, is_man = texts(random, n_occupations, n_each, 0.0, 0.0, 0.0)
        cell = 2 * label + is_man
        of_cell = 1 + np.where(is_man, -2, 2) * shown * (shares(n_occupations)[label] - 0.5)
        of_set = between * (random.normal(size=(n_sets, cells)) + random.normal(size=(n_sets, 1)))
        log_odds = of_cell + EASY * random.normal(size=len(cell)) + of_set[:, cell]
        right = random.uniform(size=log_odds.shape) < 1 / (1 + np.exp(-log_odds))
        means.append(of_numbers(right, cell, n_occupations))
        what = "power" if shown else "type I error"
        tally.add(what, numbers.SLOPE, t_p_value(means[-1][numbers.SLOPE]) <= ALPHA)
        of_gaps = [score.weighted(right, cell, score.gap_weights(one, n_occupations)) for one in range(n_occupations)]
        p = adjust(np.array([t_p_value(mean) for mean in of_gaps]), "holm")
        tally.add(what, numbers.GAP, np.nanmin(p) <= ALPHA)
    add_coverage(tally, means, not shown)
    return printed(tally.rows(), n_sets)


def of_study(tally, what, right, cell, n_occupations, random):
    """Adds to `tally` which tests by exchange reject; gives the mean of each number that has an interval."""
    weights = score.slope_weights(shares(n_occupations))
    gaps = score.gaps(right, cell, n_occupations)
    drawn = score.exchanged(right, cell, n_occupations, random)
    of_gaps = gaps.mean(axis=0), drawn.mean(axis=1)
    p = score.p_value(*(np.abs(of_gap @ weights) for of_gap in of_gaps))
    tally.add(what, numbers.SLOPE, p <= ALPHA)
    p = score.p_value(np.abs(gaps).mean(), np.abs(drawn).mean(axis=(1, 2)))
    tally.add(what, numbers.DIFF, p <= ALPHA)
    p = adjust(score.p_value(*map(np.abs, of_gaps)), "holm")
    tally.add(what, numbers.GAP, p.min() <= ALPHA)
    return of_numbers(right, cell, n_occupations)


def of_numbers(right, cell, n_occupations):
    """The mean of each number that has an interval."""
    weights = np.repeat(score.slope_weights(shares(n_occupations)), 2) * np.tile([1, -1], n_occupations)
    sizes = np.bincount(cell, minlength=2 * n_occupations) / len(cell)
    women = sizes * np.tile([1, 0], n_occupations)
    return {
        numbers.SLOPE: score.weighted(right, cell, weights),
        numbers.GAP: score.weighted(right, cell, score.gap_weights(0, n_occupations)),
        numbers.ACCURACY: score.weighted(right, cell, sizes),
        numbers.WOMEN: score.weighted(right, cell, women / women.sum()),
    }


def add_coverage(tally, means, is_null):
    for variant in means[0]:
        # of no effect a gap is 0 for all occupations; else the mean over studies is what an interval should cover
        is_known = is_null and variant in (numbers.SLOPE, numbers.GAP)
        expected = 0.0 if is_known else np.mean([mean[variant].estimate for mean in means])
        for mean in means:
            low, high = t_interval(mean[variant], LEVEL)
            tally.add("coverage", variant, low <= expected <= high)
