"""Profiles of countries by continent, on the design of the full study: countries with a name of one token.

Items are correlated as descriptions are in models trained without bias: as few independent ones as `rank`. `names`:
standard deviation of what a name and a description score by themselves, which is no bias.
"""

import numpy as np
from studies.validity.rates import Rates

from herbarium.statistics import grouped

GROUPS = np.repeat(np.arange(6), [45, 44, 42, 22, 13, 12])
ITEMS = 100
LEVEL, ALPHA, BOUND = 0.95, 0.05, 0.1
RANKS = (5, 20, 100)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)


def rates(n):
    """n: simulated studies of each design."""
    for rank in RANKS:
        yield from of_design(n, rank, 0.0)
    for share in SHARES:
        yield from of_design(n, 20, share)


def of_design(n, rank, share):
    tally = Rates("groups", f"{rank} independent items, share {share:g}")
    for seed in range(n):
        components = grouped.components(sample(np.random.default_rng([rank, seed]), rank, share), GROUPS)
        tally.add("power" if share else "type I error", "share", components.p_value <= ALPHA)
        low, high = components.bounds(LEVEL)
        if share:
            tally.add("coverage", "share", low <= share <= high)
        is_equivalent = components.equivalence_p_value(BOUND) <= ALPHA
        tally.add("power" if share < BOUND else "type I error", "equivalent", is_equivalent)
    return tally.rows()


def sample(random, rank, share):
    """(n_units, n_items). The groups differ by profiles whose share is exactly this one: the mean square between them
    is set, as they are no sample of others."""
    loadings = random.normal(size=(rank, ITEMS)) if rank < ITEMS else np.sqrt(ITEMS) * np.eye(ITEMS)
    loadings -= loadings.mean(axis=1, keepdims=True)
    noise = random.normal(size=(len(GROUPS), rank)) @ loadings
    sizes = np.bincount(GROUPS)
    between = random.normal(size=(6, rank)) @ loadings
    between -= sizes @ between / len(GROUPS)
    k = (len(GROUPS) - (sizes**2).sum() / len(GROUPS)) / 5
    variance = (sizes @ between**2).sum() / 5 / k
    sigma2 = (loadings**2).sum()
    between *= np.sqrt(share / (1 - share) * sigma2 / variance)
    names, items = random.normal(size=(len(GROUPS), 1)), random.normal(size=ITEMS)
    return 30 * names + 30 * items + noise + between[GROUPS]
