import numpy as np
import pandas as pd
from tests.metrics.examples import LOST
from tests.metrics.propagation import test_report as page
from tests.metrics.propagation import test_score as toy

from herbarium.metrics.propagation import score

MODELS = [{"name": "m", "planted": None}]


def written():
    """About small studies, those of its own tests."""
    values = -np.random.default_rng(1).uniform(1, 9, (len(toy.COUNTRIES), 5))
    numbers = toy.numbers_of_models(4)
    return [
        toy.measured(pd.DataFrame(values, index=toy.COUNTRIES.rename("region")), values[:, 0], values[:, 1]),
        score.of_models("reviews", toy.scores_of(numbers), numbers, "holm", 1),
    ]


def part():
    return page.part_of(page.everything())


def lost_part():
    return page.part_of([row | LOST for row in page.everything()])
