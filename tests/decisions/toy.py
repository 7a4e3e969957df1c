"""Small problems: texts of groups, some of them of two."""

import itertools

import numpy as np

from herbarium.decisions.constraints import Problem


def problem(seed, sizes, margin=0.05, coupled=0):
    """A problem of groups of these sizes, in which rates of training are not those of decisions."""
    random = np.random.default_rng(seed)
    m = len(sizes)
    group = np.repeat(np.arange(m), sizes)
    lean = random.normal(size=m)
    log_odds = 1.5 * random.normal(size=len(group)) + 1.5 * lean[group]
    pairs = np.column_stack([np.arange(len(group)), group])
    if coupled:
        twice = random.choice(len(group), coupled, replace=False)
        pairs = np.vstack([pairs, np.column_stack([twice, (group[twice] + 1) % m])])
    return Problem(log_odds, pairs, 0.9 / (1 + np.exp(-0.4 * lean)) + 0.05, margin)


def best(task):
    """The greatest objective of decisions that meet all bounds, by trying all decisions; None where none do."""
    low, high = task.bounds
    values = [
        float(task.log_odds @ decisions)
        for decisions in map(np.array, itertools.product([0.0, 1.0], repeat=len(task.log_odds)))
        if ((task.sums(decisions) >= low) & (task.sums(decisions) <= high)).all()
    ]
    return max(values, default=None)
