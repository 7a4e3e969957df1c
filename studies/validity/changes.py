"""Changes from one model to another: over several trainings; of the excess variance of names; of contrasts by unit;
which of two models is further from no bias; and bounds between which further trainings lie, beside the published mean
of some.

Trainings: what the metric draws is the same for all pairs of models, and each training adds something of its own,
`between` times as large. `true`: the change, in standard errors of what the metric draws; of the excess variance in
squared log-odds; of contrasts in standard deviations of a unit. Further from no bias: three models are compared with
one another; an error is any verdict on two that are equally far from no bias, or the wrong one.
"""

from itertools import combinations

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.downstream import names
from herbarium.statistics import agreement, contrasts
from herbarium.statistics.changes import as_changes, by_mean, change
from herbarium.statistics.inference import Mean, sample_mean, t_interval, t_p_value
from herbarium.statistics.sets import Sets
from herbarium.statistics.within_sets import PAIRS, SHARE
from herbarium.study.changes import UNDECIDED, combined, over_trainings

LEVEL, ALPHA = 0.95, 0.05
TRAININGS = (2, 3, 5)
BETWEEN = (0.0, 1.0, 3.0)
POWER = (1.0, 2.0, 3.0, 4.0)
PUBLISHED = (1, 5)  # trainings that a published figure is a mean of
N_SETS, N_NONSENSE = 3, 30
TOGETHER = 0.8  # correlation of two models' values of a unit
# Biases of three models, in standard deviations of a unit: alike; on both sides of no bias; none; and different.
BIASES = ((0.5, 0.5, 0.5), (-0.3, 0.3, 0.3), (0.0, 0.0, 0.0), (0.2, 0.5, 0.8), (-0.2, 0.5, 0.8))


def trainings(random, n, between, true, units=30):
    drawn = random.normal(size=units)  # the same for all pairs of models
    noise = between * random.normal(size=n)
    variance = drawn.var(ddof=1) / units
    estimates = true / np.sqrt(units) + drawn.mean() + noise / np.sqrt(units)
    return over_trainings(estimates, np.full(n, variance), np.full(n, units - 1.0))


def spread(random, n_names, before, after):
    """The change of excess variance where names have a variance of .2, regions in each model besides `before` and
    `after`, and training sets one of .1."""

    def y(n, base, variance):
        mu = base + np.sqrt(variance) * random.normal(size=n)
        return mu + np.sqrt(0.1) * random.normal(size=(N_SETS, n))

    # a name does something in both models alike
    regions, nonsense = (np.sqrt(0.2) * random.normal(size=n) for n in (n_names, N_NONSENSE))
    sides = [(y(n_names, regions, side), y(N_NONSENSE, nonsense, 0.0)) for side in (before, after)]
    return names.change_of_spread(*sides)


def of_sets(random, n, contrast, true):
    before, after = random.normal(size=(2, n, 2))
    after[:, 0] += true
    sentence_sets = [Sets(("he", "she"), values, np.full(n, ""), np.arange(n), True) for values in (before, after)]
    return contrasts.differences(*sentence_sets, contrast)[0][1]


def further_from_null(random, units, biases, draw):
    """Whether an error was made among the verdicts on all pairs, and the share of pairs that have a verdict."""
    shared, own = draw(random, units), draw(random, (len(biases), units))
    values = np.sqrt(TOGETHER) * shared + np.sqrt(1 - TOGETHER) * own + np.array(biases)[:, None]
    rows, names = [], "abc"
    for first, second in combinations(range(len(biases)), 2):
        sides = [by_mean(sample_mean(values[model]), LEVEL) for model in (first, second)]
        pair = (names[first], names[second]) * 2
        rows.append(change(pair, "toy", "mean", *sides, sample_mean(values[second] - values[first])))
    table = combined(as_changes(rows).astype({"worst": float}), [], [])
    size = dict(zip(names, np.abs(biases), strict=True))
    is_decided = table["further"] != UNDECIDED
    decided = table[is_decided]
    other = decided["first"].where(decided["further"] == decided["second"], decided["second"])
    is_wrong = decided["further"].map(size).to_numpy() <= other.map(size).to_numpy()
    return is_wrong.any(), is_decided.mean()


def of_three_models(n, units, biases, tails, draw):
    tally = Rates("changes", f"{units} units, {tails}, biases {', '.join(f'{bias:g}' for bias in biases)}")
    decided = []
    for seed in range(n):
        is_wrong, share = further_from_null(np.random.default_rng([7, seed]), units, biases, draw)
        tally.add("type I error", "further from no bias", is_wrong)
        decided.append(share == 1)
    if len(set(np.abs(biases))) == len(biases):
        for is_decided in decided:
            tally.add("power", "further from no bias, all pairs", is_decided)
    return tally.rows()


def further(n, count, runs):
    """Whether a published mean of trainings lies between the bounds of ours, all being alike."""
    tally = Rates("changes", f"{count} trainings, published mean of {runs}")
    for seed in range(n):
        random = np.random.default_rng([7, seed])
        ours = agreement.over_trainings([{"paper": estimate} for estimate in random.normal(size=count)], runs)
        inside = ours["paper_low"] <= random.normal(size=runs).mean() <= ours["paper_high"]
        tally.add("coverage", "further trainings", inside)
    return tally.rows()


def rates(n):
    """n: simulated studies of each design."""
    for count in TRAININGS:
        for between in BETWEEN:
            name = f"{count} trainings, {between:g} between"
            yield from of_design(n, "over trainings", name, 0.0, trainings, count, between, 0.0)
    for true in POWER:
        scaled = true / np.sqrt(30)
        yield from of_design(n, "over trainings", "5 trainings, 1 between", scaled, trainings, 5, 1.0, true)
    for n_names in (20, 200):
        for strength in (0.0, 0.5):
            name = f"{n_names} names, excess {strength:g} before"
            yield from of_design(n, "excess variance", name, 0.0, spread, n_names, strength, strength)
        fall = f"{n_names} names, excess 0.5 to 0.25"
        yield from of_design(n, "excess variance", fall, -0.25, spread, n_names, 0.5, 0.25)
    for units in (10, 50):
        yield from of_design(n, "difference", f"{units} pairs", 0.0, of_sets, units, PAIRS, 0.0)
    for units in (50, 200):
        yield from of_design(n, "share", f"{units} pairs", 0.0, of_sets, units, SHARE, 0.0)
    tails = {
        "normal": lambda random, size: random.normal(size=size),
        "heavy tails": lambda random, size: random.standard_t(3, size=size) / np.sqrt(3),
    }
    for units in (4, 10, 30, 100):
        for name, draw in tails.items():
            for biases in BIASES:
                yield from of_three_models(n, units, biases, name, draw)
    for count in TRAININGS:
        for runs in PUBLISHED:
            yield from further(n, count, runs)


def of_design(n, variant, name, true, draw, *more):
    tally = Rates("changes", f"{name}, true {true:.3g}")
    for seed in range(n):
        mean = draw(np.random.default_rng([7, seed]), *more)
        if not mean.std_error > 0:
            continue
        p, (low, high) = (
            (t_p_value(mean), t_interval(mean, LEVEL))
            if isinstance(mean, Mean)
            else (mean.p_value(), mean.interval(LEVEL))
        )
        tally.add("type I error" if true == 0 else "power", variant, p <= ALPHA)
        tally.add("coverage", variant, low <= true <= high)
    return tally.rows()
