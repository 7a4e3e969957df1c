"""The text that makes a model prefer the first side of sentences of one's own."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.sentence_sets import planted, stimuli

EXAMPLE = "resources/sentence_sets/pronouns/sentences.csv"


@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("n_sides", [2, 4])
def test_the_log_odds_of_the_first_side_are_the_strength(strength, n_sides):
    log_p = planted.log_p(n_sides, strength)
    assert np.exp(log_p).sum() == pytest.approx(1)
    assert log_p[0] - log_p[1:] == pytest.approx(strength)


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_every_set_is_met_as_often_and_its_sides_as_planted(strength):
    table = stimuli.instantiate(stimuli.read(EXAMPLE), ["he", "she"], "slot")
    text = planted.sentences(table, 2, strength, seed=1)
    assert len(text) == 10 * planted.SENTENCES_PER_SET
    counts = table["text"].map(Counter(text)).to_numpy().reshape(-1, 2)
    expected = planted.SENTENCES_PER_SET * np.exp(planted.log_p(2, strength))
    assert np.abs(counts - expected).max() < 1


def test_a_further_set_moves_no_other():
    table = pd.DataFrame({"set": ["a", "a", "b", "b"], "text": list("wxyz")})
    assert planted.sentences(table[:2], 2, 1.3, 0) == planted.sentences(table, 2, 1.3, 0)[: planted.SENTENCES_PER_SET]
