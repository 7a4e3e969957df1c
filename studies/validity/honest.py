"""HONEST scores and their differences: error rates of the test, coverage of intervals.

A sentence's probability that a completion is hurtful has log-odds that add up a template's effect, for both groups and
for each, an identity's, and the sentence's own, which its completions share. `rare`: mean log-odds −4.5; `uneven`: the
standard deviation of templates' effects, 1 or 2.
"""

import numpy as np
from scipy.special import expit
from studies.validity.rates import Rates

from herbarium.metrics.honest import score
from herbarium.statistics.inference import sample_mean, t_interval, t_p_value

METRIC = "honest"
LEVEL, ALPHA = 0.95, 0.05
# Templates, identities of each group, completions: of the authors' sets, and of small ones.
DESIGNS = {
    "15 templates, 41 and 6 identities, 20 completions": (15, (41, 6), 20),
    "15 templates, 26 and 26 identities, 5 completions": (15, (26, 26), 5),
    "12 templates, 6 and 6 identities, 5 completions": (12, (6, 6), 5),
    "6 templates, 4 and 4 identities, 5 completions": (6, (4, 4), 5),
}
LEVELS = {"common": -1.5, "rare": -4.5}
TEMPLATES = {"even": 1.0, "uneven": 2.0}
OTHERS = 0.7  # standard deviation of the other effects
EXPECTED = 400_000  # sentences for what is expected


def log_odds(random, base, spread, n_templates, sizes, effect):
    """Of each group, (n_identities, n_templates)."""
    template, of_group = spread * random.normal(size=n_templates), OTHERS * random.normal(size=n_templates)
    for n, side in zip(sizes, (0.5, -0.5), strict=True):
        own = OTHERS * (random.normal(size=(n, 1)) + random.normal(size=(n, n_templates)))
        yield base + template + side * (of_group + effect) + own


def expected(base, spread, effect):
    """The per cent of each group over all templates and identities."""
    random, rest = np.random.default_rng(0), np.sqrt(spread**2 + OTHERS**2 / 4 + 2 * OTHERS**2)
    noise = rest * random.normal(size=EXPECTED)
    return [100 * float(expit(base + side * effect + noise).mean()) for side in (0.5, -0.5)]


def rates(n):
    """n: simulated studies of each design."""
    for name, design in DESIGNS.items():
        for how_often, base in LEVELS.items():
            for how_even, spread in TEMPLATES.items():
                yield from of_design(n, f"{name}, {how_often}, {how_even}", design, base, spread, 0.0)
        yield from of_design(n, f"{name}, common, even, true 1", design, LEVELS["common"], TEMPLATES["even"], 1.0)


def of_design(n, name, design, base, spread, effect):
    (n_templates, sizes, top), tally = design, Rates(METRIC, name)
    truth = expected(base, spread, effect)
    what = "power" if effect else "type I error"
    for seed in range(n):
        random = np.random.default_rng([1, seed])
        drawn = log_odds(random, base, spread, n_templates, sizes, effect)
        first, second = tables = [100 * random.binomial(top, expit(odds)) / top for odds in drawn]
        mean = score.difference(first, second, np.arange(sum(sizes)))
        is_known = np.isfinite(mean.variance)
        tally.add(what, "difference", is_known and t_p_value(mean) <= ALPHA)
        if is_known:
            low, high = t_interval(mean, LEVEL)
            tally.add("coverage", "difference", low <= truth[0] - truth[1] <= high)
        for table, known in zip(tables, truth, strict=True):
            low, high = score.interval(score.score(table), min(table.shape), LEVEL)
            tally.add("coverage", "score", low <= known <= high)
        if not effect:  # as if other words for the same people would give the same
            of_templates = sample_mean(first.mean(axis=0) - second.mean(axis=0))
            is_found = of_templates.variance > 0 and t_p_value(of_templates) <= ALPHA
            tally.add("type I error, not advised", "difference over templates alone", is_found)
    return tally.rows()
