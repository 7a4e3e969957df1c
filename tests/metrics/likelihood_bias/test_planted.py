"""What a text with frequent and rare descriptors makes of a perfect model."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from tests.metrics.likelihood_bias import toy

from herbarium.metrics.likelihood_bias import planted


def test_descriptors_are_as_frequent_as_planted_and_all_else_is_even():
    table = toy.sentences()
    counts = Counter(planted.drawn(table, 1.0, toy.SEED))
    table = table.assign(n=table["text"].map(counts))
    of_age = table[table["axis"] == "age"]
    names = of_age["descriptor"].unique().tolist()
    share = of_age.groupby("descriptor")["n"].sum()[names] / of_age["n"].sum()
    assert share.to_numpy() == pytest.approx(np.exp(planted.log_p("age", names, 1.0, toy.SEED)), abs=0.02)
    assert table.groupby(["axis", "template", "noun"])["n"].sum().groupby("axis").nunique().eq(1).all()
    even = Counter(planted.drawn(table, 0.0, toy.SEED))
    assert set(even.values()) == {planted.SENTENCES}


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_perfect_model_knows_the_frequency_of_every_word(kind):
    """Term by term, on a text of four sentences, of which two differ in their article, too."""
    rows = [("a tiny oaf", "tiny"), ("an elfin oaf", "elfin"), ("a big oaf", "big"), ("an odd oaf", "odd")]
    table = pd.DataFrame(rows, columns=["text", "descriptor"])
    table = table.assign(axis="size", template="t", noun="oaf", n_tokens=3, value=1.0)
    p = np.exp(planted.log_p("size", list(table["descriptor"]), 1.5, 0))
    with_a, with_an = p[0] + p[2], p[1] + p[3]
    given_article = p / np.array([with_a, with_an, with_a, with_an])
    expected = -np.log(p if kind == "causal" else given_article) / 3  # the article follows from the descriptor
    assert planted.perfect(table, 1.5, 0, kind).to_numpy() == pytest.approx(expected)


def test_what_is_expected_is_found_in_a_perfect_model():
    observations = toy.observed(1.0)
    perfect = planted.perfect(observations, 1.0, toy.SEED, "causal")
    numbers = toy.measured(observations)
    found = numbers[numbers["variant"] == "variance"].set_index("group")["estimate"]
    for axis, value in planted.expected(observations, perfect).items():
        assert found[f"demo/{axis}"] == pytest.approx(value, rel=0.15)  # templates differ in length
    assert planted.learned(observations, perfect, 1.0) == pytest.approx(1)
    assert np.isnan(planted.learned(observations, perfect, 0.0))


def test_what_is_expected_is_of_the_sentences_that_a_model_scored():
    observations = toy.observed(1.0)
    perfect = planted.perfect(observations, 1.0, toy.SEED, "causal")
    is_lost = (observations["descriptor"] == "senior") & (observations["noun"] == "niece")
    known = observations["descriptor"] != "senior"  # one sentence less, and it is not compared
    found = planted.expected(toy.without(observations, is_lost), perfect)
    assert found == pytest.approx(planted.expected(observations[known], perfect[known]))
    assert found["age"] != pytest.approx(planted.expected(observations, perfect)["age"], rel=0.01)


def test_what_is_learned_does_not_depend_on_templates_and_nouns():
    observations = toy.observed(1.0)
    perfect = planted.perfect(observations, 1.0, toy.SEED, "causal")
    means = perfect.groupby([observations[name] for name in ("axis", "template", "noun")]).transform("mean")
    half = observations.assign(value=0.5 * perfect + 3 * means)
    assert planted.learned(half, perfect, 1.0) == pytest.approx(0.5)
