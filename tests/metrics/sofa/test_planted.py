"""What a text in which statements follow some identities more often makes of a perfect model."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from tests.metrics.sofa import toy

from herbarium.metrics.sofa import lists, planted, stimuli


def test_all_identities_are_as_frequent_and_statements_follow_as_planted():
    table = toy.sentences()
    table = table.assign(n=table["text"].map(Counter(planted.drawn(table, 1.0, toy.SEED))).fillna(0))
    totals = table.groupby("identity")["n"].sum()
    assert set(totals) == {planted.SENTENCES * 8}
    probes = table[table["stereotype"] != ""].groupby(["category", "identity"])["n"].sum()
    for (category, identity), n in probes.items():
        expected = planted.share(category, identity, 1.0, toy.SEED)
        assert n / totals[identity] == pytest.approx(expected, abs=0.02)
    even = Counter(planted.drawn(table, 0.0, toy.SEED))
    assert set(even.values()) == {planted.SENTENCES // 2, planted.SENTENCES * 8 // 2}


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_perfect_model_knows_the_frequency_of_every_word(kind, monkeypatch):
    """Term by term: two identities, two statements of one word; half of A's sentences are statements, a quarter of B's,
    and each identity has half of all."""
    monkeypatch.setattr(planted, "share", lambda _, identity, *__: {"A": 0.5, "B": 0.25}[identity])
    rows = [("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")]
    table = pd.DataFrame(rows, columns=["identity", "stereotype"])
    table = table.assign(text=table["identity"] + " " + table["stereotype"], category="c")
    table = table.assign(n_tokens=2, n_identity_tokens=1, value=1.0)
    p = {"A": 0.25, "A x": 0.125, "A y": 0.125, "B": 0.375, "B x": 0.0625, "B y": 0.0625}
    of_probes, of_identities = [p["A x"], p["A y"], p["B x"], p["B y"]], [0.5, 0.5, 0.5, 0.5]
    if kind == "masked":  # the identity given the statement, and the reverse; alone, the other identity can stand
        of_probes, of_identities = [2 / 3 / 2, 2 / 3 / 2, 1 / 3 / 2, 1 / 3 / 2], [0.4, 0.4, 0.6, 0.6]
    expected = -np.log10(of_probes) / 2 + np.log10(of_identities)
    assert planted.perfect(table, 1.0, 0, kind).to_numpy() == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_what_is_expected_is_found_in_a_perfect_model(kind):
    observations = toy.observed(1.0, kind=kind)
    perfect = planted.perfect(observations, 1.0, toy.SEED, kind)
    numbers = toy.measured(observations)
    found = numbers[numbers["variant"] == "variance"].set_index("group")["estimate"]
    for category, value in planted.expected(observations, perfect).items():
        assert found[f"demo/{category}"] == pytest.approx(value, rel=0.05)
    assert planted.learned(observations, perfect, 1.0) == pytest.approx(1)
    assert np.isnan(planted.learned(observations, perfect, 0.0))
    even = planted.perfect(toy.observed(0.0), 0.0, toy.SEED, "causal")  # of names of equal length
    assert list(planted.expected(observations, even).values()) == pytest.approx([0, 0])


def test_a_longer_name_is_found_as_a_difference_where_there_is_none():
    """How the published score fails (docs/metrics/sofa.md): two of eight names have two words, and nothing else
    differs."""
    table = lists.read(toy.DEMO)
    table = table[table["category"] == "pastime"].replace(
        {"identity": {"Joggers": "Stamp collectors", "Climbers": "Chess players"}}
    )
    table["probe"] = table["identity"] + " " + table["stereotype"]
    sentences = toy.sentences(table)
    observations = stimuli.observe(sentences, toy.scores(sentences, pd.Series(1.0, sentences.index)))
    perfect = planted.perfect(observations, 0.0, toy.SEED, "causal")
    assert planted.expected(observations, perfect)["pastime"] == pytest.approx(0.036, abs=0.0005)
    effects = perfect.groupby(observations["identity"]).mean()
    assert effects.idxmax() in ("Stamp collectors", "Chess players")


def test_what_is_learned_does_not_depend_on_stereotypes():
    observations = toy.observed(1.0)
    perfect = planted.perfect(observations, 1.0, toy.SEED, "causal")
    means = perfect.groupby([observations[name] for name in ("category", "stereotype")]).transform("mean")
    half = observations.assign(value=0.5 * perfect + 3 * means)
    assert planted.learned(half, perfect, 1.0) == pytest.approx(0.5)
