"""Preferences between subjects and what interventions keep of them: error rates of tests, coverage of intervals.

Each subject has a strength for each attribute (`stable`), which all templates share, and one that a template has alone
(`alone`); every answer has noise. C is linear in them, so that what is kept is known. `kept`: by what an intervention
multiplies the strengths, and how far single interventions differ in that.
"""

import itertools

import numpy as np
from studies.validity.rates import Rates

from herbarium.metrics.interventions import score
from herbarium.metrics.interventions.score import Answers
from herbarium.statistics.inference import t_interval, t_p_value

LEVEL, ALPHA = 0.95, 0.05
# Subjects, attributes, templates and interventions.
DESIGNS = {
    "6 subjects, 2 templates": (6, 2, 2, 4),
    "8 subjects, 4 templates": (8, 6, 4, 8),
    "12 subjects, 4 templates": (12, 6, 4, 8),
}
FEW = (2, 3, 4, 5, 6)  # interventions of a type
ALONE, NOISE, BETWEEN = 0.5, 0.5, 0.2


def places(subjects, attributes, templates, interventions):
    pairs = np.array(list(itertools.combinations(range(subjects), 2)))
    shape = (len(pairs), attributes, templates, interventions)
    pair, attribute, template, intervention = np.indices(shape).reshape(4, -1)
    return pairs[pair, 0], pairs[pair, 1], attribute, template, intervention


def answers(random, design, stable, kept=1.0, between=0.0):
    """stable: (n_subjects, n_attributes) the strengths that templates share."""
    first, second, attribute, template, intervention = keys = places(*design)
    alone = ALONE * random.normal(size=(*stable.shape, design[2]))
    factor = kept + between * random.normal(size=design[3])
    c = factor[intervention] * (stable[first, attribute] - stable[second, attribute])
    c += alone[first, attribute, template] - alone[second, attribute, template]
    return Answers(c + NOISE * random.normal(size=len(c)), *keys)


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        yield from of_preference(n, name, design, 0.0)
        yield from of_preference(n, name, design, 0.5)
        for kept in (1.0, 0.4):
            yield from of_kept(n, name, design, kept)
        yield from of_mu(n, name, design)
    for n_interventions in FEW:
        yield from of_few(n, n_interventions)


def of_preference(n, name, design, true):
    """What templates share: E C·C' is twice the variance of the strengths."""
    tally = Rates("interventions", f"{name}, true {true:g}")
    for seed in range(n):
        random = np.random.default_rng([1, seed])
        given_answers = answers(random, (*design[:3], 1), true * random.normal(size=design[:2]))
        low, high = t_interval(score.shared(given_answers), LEVEL)
        tally.add("coverage", "preference", low <= 2 * true**2 <= high)
    return tally.rows()


def of_kept(n, name, design, kept):
    tally = Rates("interventions", f"{name}, kept {kept:g}")
    for seed in range(n):
        random = np.random.default_rng([2, seed])
        stable = random.normal(size=design[:2])
        without = answers(random, (*design[:3], 1), stable)
        given_answers, control = (answers(random, design, stable, factor, BETWEEN) for factor in (kept, 1.0))
        if not t_interval(score.shared(without), LEVEL)[0] > 0:  # not printed
            continue
        low, high = t_interval(score.kept(given_answers, without), LEVEL)
        tally.add("coverage", "kept", low <= kept <= high)
        difference = score.kept_difference(given_answers, control, without)
        low, high = t_interval(difference, LEVEL)
        tally.add("type I error" if kept == 1 else "power", "kept difference", t_p_value(difference) <= ALPHA)
        tally.add("coverage", "kept difference", low <= kept - 1 <= high)
    return tally.rows()


def of_few(n, n_interventions):
    """The test with few interventions: withdrawn below `score.FEWEST_INTERVENTIONS`."""
    rows = of_kept(n, f"8 subjects, {n_interventions} interventions", (8, 6, 4, n_interventions), 1.0)
    is_withdrawn = n_interventions < score.FEWEST_INTERVENTIONS
    for row in rows:
        if row["variant"] == "kept difference":
            yield row | ({"what": f"{row['what']}, withdrawn", "holds": ""} if is_withdrawn else {})


def of_mu(n, name, design):
    """μ of one model, beside what it is on average; and its change between two models of the same strengths."""
    tally, means, changes = Rates("interventions", name), [], []
    for seed in range(n):
        random = np.random.default_rng([3, seed])
        stable = random.normal(size=design[:2])
        before, after = (answers(random, (*design[:3], 1), stable) for _ in range(2))
        means.append(score.by_leaving_out(score.mu, before))
        difference = score.by_leaving_out(lambda a, b: score.mu(b) - score.mu(a), before, after)
        changes.append(t_p_value(difference) <= ALPHA)
    expected = np.mean([mean.estimate for mean in means])
    for mean, is_found in zip(means, changes, strict=True):
        low, high = t_interval(mean, LEVEL)
        tally.add("coverage", "mu", low <= expected <= high)
        tally.add("type I error", "change of mu", is_found)
    return tally.rows()
