from tests.metrics.cards import assert_cards
from tests.metrics.local_group_bias import test_numbers as toy
from tests.metrics.local_group_bias.test_numbers import prefixes  # noqa: F401  a fixture


def test_every_number_has_a_card_and_every_card_a_number(prefixes):  # noqa: F811
    settings = toy.table.Settings(clusters=2, strength=5, permutations=1, restarts=1)
    measured = toy.measured(prefixes, *toy.planted(prefixes, worse=0.6, n=60), settings=settings)
    assert_cards("local_group_bias", [measured.numbers])
