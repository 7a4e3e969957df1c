import numpy as np
import pandas as pd
from tests.metrics.cards import assert_cards
from tests.metrics.categorical_bias import test_differences, test_divergences, test_numbers


def written():
    """What the metric writes about small studies, those of its own tests, of masked and of causal models."""
    toy = test_numbers
    log_p = np.random.default_rng(0).normal(size=(3, 8, 5))
    for definitions in (("paper", "released"), ("whole",)):
        rows = [toy.associations(toy.lists(), log_p, definition=definition) for definition in definitions]
        yield toy.measured(toy.lists(), pd.concat(rows))[0]
    associations, cut = test_differences.study()
    for table in (associations, of_causal(associations)):
        yield test_differences.differences((table, cut), method="fdr_bh")
    toy = test_divergences
    pairs = [(model, language) for language, item in toy.LANGUAGES.items() for model in item["models"]]
    given = {pair: toy.associations(pair[1], seed) for seed, pair in enumerate(pairs)}
    yield toy.measure(given)
    yield toy.measure({pair: of_causal(table) for pair, table in given.items()})


def of_causal(associations):
    return associations[associations["definition"] == "paper"].assign(definition="whole")


def test_every_number_has_a_card_and_every_card_a_number():
    assert_cards("categorical_bias", written())
