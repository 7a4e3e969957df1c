"""The interval of Cronbach's alpha, over models and over regions, by words: values normal and heavy-tailed."""

import numpy as np
from tests.validity.rates import Rates

from herbarium.statistics import reliability

LEVEL = 0.95
# (objects, words, reliability): a handful of models, the countries of a continent, all countries
DESIGNS = [(6, 20, 0.5), (6, 110, 0.9), (18, 110, 0.9), (50, 20, 0.5), (50, 110, 0.8), (247, 110, 0.8)]
TAILS = {"normal": 1e9, "heavy-tailed": 5}  # degrees of freedom of t


def rates(n):
    """n: simulated studies of each design."""
    for tail, freedom in TAILS.items():
        for n_objects, n_words, true in DESIGNS:
            found = Rates("reliability", f"{n_objects} objects, {n_words} words, reliability {true:g}, {tail}")
            for seed in range(n):
                low, high = reliability.alpha_interval(values(seed, n_objects, n_words, true, freedom), LEVEL)
                found.add("coverage", "alpha", low <= true <= high)
            yield from found.rows()


def values(seed, n_objects, n_words, true, freedom):
    """Objects by words, whose means have the reliability `true`: variance 1 of objects."""
    random = np.random.default_rng(seed)
    objects, words = random.normal(size=(n_objects, 1)), random.normal(size=n_words)
    errors = random.standard_t(freedom, size=(n_objects, n_words)) / np.sqrt(freedom / (freedom - 2))
    return objects + words + np.sqrt(n_words * (1 / true - 1)) * errors
