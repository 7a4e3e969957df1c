"""The text that makes a model prefer the first side of sentences of one's own."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.sentence_sets import planted, stimuli
from herbarium.statistics.within_sets import ACCURACY, PAIRS

EXAMPLE = "resources/sentence_sets/pronouns/sentences.csv"


@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("n_sides", [2, 4])
def test_the_log_odds_of_the_first_side_are_the_strength(strength, n_sides):
    log_p = planted.log_p(range(n_sides), strength, PAIRS.name)
    assert np.exp(log_p).sum() == pytest.approx(1)
    assert log_p[0] - log_p[1:] == pytest.approx(strength)


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_every_set_is_met_as_often_and_its_sides_as_planted(strength):
    table = stimuli.instantiate(stimuli.read(EXAMPLE), ["he", "she"], "slot")
    text = planted.sentences(table, ["he", "she"], strength, PAIRS.name, seed=1)
    assert len(text) == 10 * planted.SENTENCES_PER_SET
    counts = table["text"].map(Counter(text)).to_numpy().reshape(-1, 2)
    expected = planted.SENTENCES_PER_SET * np.exp(planted.log_p([0, 1], strength, PAIRS.name))
    assert np.abs(counts - expected).max() < 1


def test_a_further_set_moves_no_other():
    table = pd.DataFrame({"set": ["a", "a", "b", "b"], "text": list("wxyz")})
    first, both = (planted.sentences(side, ["he", "she"], 1.3, PAIRS.name, 0) for side in (table[:2], table))
    assert first == both[: planted.SENTENCES_PER_SET]


def test_of_questions_the_stereotyped_answer_is_planted_be_it_right_or_wrong():
    sides = ["pro-right", "pro-wrong", "anti-right", "anti-wrong"]
    pro, pro_wrong, anti, anti_wrong = planted.log_p(sides, 1.5, ACCURACY.name)
    assert (pro, pro_wrong) == pytest.approx((anti_wrong, anti))
    assert pro - pro_wrong == pytest.approx(1.5)
    entry = {"sides": sides, "contrast": ACCURACY.name, "quantity": "slot_mean"}
    assert [planted.expected(entry, pd.DataFrame(), strength) for strength in (0.0, 1.5)] == [0, 100]
    # per token of the answers: learned is what was planted for the whole of them
    table = pd.DataFrame({"set": "a", "side": sides, "value": [0.5, 0.5, 0.25, 1.0], "n_tokens": [2, 1, 2, 1]})
    assert planted.learned(table, entry, 0.5) == pytest.approx(1)


def test_of_answers_the_bias_is_learned_and_not_that_unknown_is_rare():
    entry = {"sides": ["biased", "counter", "unknown"], "contrast": "bbq", "quantity": "slot_likelihood"}
    table = pd.DataFrame({"set": "a", "side": entry["sides"], "value": [-1.0, -2.0, -9.0], "n_tokens": 1})
    assert planted.learned(table, entry, 2.0) == pytest.approx(0.5)


def test_a_set_with_a_refused_sentence_shows_nothing_learned():
    entry = {"sides": ["he", "she", "they"], "contrast": "candidates", "quantity": "pll"}
    rows = [("a", "he", 1.0), ("a", "she", 0.0), ("a", "they", 0.0)]
    rows += [("b", "he", 9.0), ("b", "she", np.nan), ("b", "they", 0.0)]
    table = pd.DataFrame(rows, columns=["set", "side", "value"]).assign(n_tokens=1)
    assert planted.learned(table, entry, 2.0) == pytest.approx(0.5)
