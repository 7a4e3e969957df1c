from tests.metrics.amplification import test_numbers as toy
from tests.metrics.cards import assert_cards


def test_every_number_has_a_card_and_every_card_a_number():
    corpus = toy.corpus_of()
    many = corpus.__class__(**corpus.__dict__ | {"n_training": 10 * corpus.n_training})
    released = toy.numbers.measure("m", "reviews", many, toy.toy.predicted(), toy.SETTINGS, 1, True)
    assert_cards("amplification", [toy.measured().numbers, released.numbers])
