import numpy as np
import pandas as pd
from tests.metrics.cards import assert_cards
from tests.metrics.propagation import test_score as toy

from herbarium.metrics.propagation import score


def written():
    """What the metric writes about small studies, those of its own tests."""
    values = -np.random.default_rng(1).uniform(1, 9, (len(toy.COUNTRIES), 5))
    yield toy.measured(pd.DataFrame(values, index=toy.COUNTRIES.rename("region")), values[:, 0], values[:, 1])
    numbers = toy.numbers_of_models(4)
    yield score.of_models("reviews", toy.scores_of(numbers), numbers, "holm", 1)


def test_every_number_has_a_card_and_every_card_a_number():
    assert_cards("propagation", written())
