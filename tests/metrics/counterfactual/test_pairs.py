"""Sentences beside themselves with gendered words swapped."""

import pandas as pd
import pytest

from herbarium.metrics.counterfactual import pairs
from herbarium.training import swapping

SWAPS = swapping.read_pairs("resources/swaps/english_gender.csv")


def paired(*texts, names=None):
    table = pd.DataFrame({"sentence_id": range(len(texts)), "text": texts, "names": names or [[]] * len(texts)})
    return pairs.pairs(table, SWAPS)


def test_a_pair_is_a_sentence_and_its_swap_with_what_they_share():
    (row,) = paired("The King said he left.", "The sun shone.").to_dict("records")
    assert row == {
        "sentence_id": 0,
        "text": "The King said he left.",
        "swapped": "The Queen said she left.",
        "frame": "The … said … left.",
        "terms": "king/queen, he/she",
        "is_sure": True,
    }


def test_a_sentence_and_its_swap_that_are_both_there_are_one_pair():
    pairs_found = paired("He left.", "She came.", "She left.", "He left.")
    assert pairs_found["text"].tolist() == [
        "He left.",
        "She came.",
        "He left.",
    ]  # the last may be asked for another word


def test_several_questions_on_a_sentence_are_as_many_pairs():
    assert len(paired("He and she left.", "He and she left.", "She and he left.", "She and he left.")) == 2


def test_a_sentence_with_an_id_twice_is_one():
    table = pd.DataFrame({"sentence_id": [1, 1], "text": ["He left."] * 2, "names": [[], []]})
    assert len(pairs.pairs(table, SWAPS)) == 1


def test_a_swap_that_could_be_another_is_not_sure():
    (row,) = paired("They gave him flowers.").to_dict("records")
    assert not row["is_sure"]


def test_names_stay():
    text = "The Isle of Man is small, he said."
    (row,) = paired(text, names=[[(12, 15)]]).to_dict("records")
    assert row["swapped"] == "The Isle of Man is small, she said."


@pytest.mark.parametrize("texts", [(), ("The sun shone.",)])
def test_without_a_word_there_is_no_pair(texts):
    pairs_found = paired(*texts)
    assert list(pairs_found.columns) == pairs.PAIRS.fields.names
    assert pairs_found.empty
