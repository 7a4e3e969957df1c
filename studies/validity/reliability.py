"""The interval of Cronbach's alpha, over models and over regions, by words or by trainings: values normal and
heavy-tailed. That of one training holds what it holds: `statistics.reliability.of_one` only moves its bounds."""

import numpy as np
from studies.validity.rates import Rates

from herbarium.statistics import reliability

LEVEL = 0.95
# (objects, words, reliability): a handful of models, the countries of a continent, all countries
DESIGNS = [(6, 20, 0.5), (6, 110, 0.9), (18, 110, 0.9), (50, 20, 0.5), (50, 110, 0.8), (247, 110, 0.8)]
# (objects, trainings, reliability of their mean): the traits of a few models, continents, countries
TRAININGS = [(3, 5, 0.8), (6, 2, 0.5), (6, 5, 0.9), (50, 2, 0.8), (50, 25, 0.9)]
TAILS = {"normal": 1e9, "heavy-tailed": 5}  # degrees of freedom of t


def rates(n):
    """n: simulated studies of each design."""
    for tail, freedom in TAILS.items():
        for what, (n_objects, n_words, true) in [
            *(("words", design) for design in DESIGNS),
            *(("trainings", training) for training in TRAININGS),
        ]:
            tally = Rates("reliability", f"{n_objects} objects, {n_words} {what}, reliability {true:g}, {tail}")
            for seed in range(n):
                low, high = reliability.alpha_interval(values(seed, n_objects, n_words, true, freedom), LEVEL)
                tally.add("coverage", "alpha", low <= true <= high)
            yield from tally.rows()


def values(seed, n_objects, n_words, true, freedom):
    """Objects by words, whose means have the reliability `true`: variance 1 of objects."""
    random = np.random.default_rng(seed)
    objects, words = random.normal(size=(n_objects, 1)), random.normal(size=n_words)
    errors = random.standard_t(freedom, size=(n_objects, n_words)) / np.sqrt(freedom / (freedom - 2))
    return objects + words + np.sqrt(n_words * (1 / true - 1)) * errors
