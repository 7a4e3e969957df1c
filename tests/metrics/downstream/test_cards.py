import numpy as np
from tests.metrics.cards import assert_cards
from tests.metrics.downstream import test_numbers, test_own_groups, test_planted_slope


def written():
    """What the metric writes about small studies, those of its own tests."""
    yield test_numbers.measured(*test_numbers.predictions())
    yield test_planted_slope.measured(test_planted_slope.log_odds(2.0))
    yield test_own_groups.measured(*test_own_groups.study(np.random.default_rng(1))).reset_index()


def test_every_number_has_a_card_and_every_card_a_number():
    assert_cards("downstream", written())
