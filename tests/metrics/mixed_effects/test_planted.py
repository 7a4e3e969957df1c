"""The text on gendered words: the planted distribution, and the sentences drawn from it."""

import hashlib
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import planted, stimuli
from herbarium.models.kinds import Kind


def rows(columns, *values):
    return pd.DataFrame(values, columns=columns.split())


LISTS = stimuli.Lists(
    templates=rows(
        "key asked negative text",
        ("t1", "subject", "yes", "[determiner] [subject] is [a] [target] person."),
        ("t2", "object", "", "people admire [determiner] [object] for [possessive] [target] personality."),
    ),
    pairs=rows("female male", ("woman", "man"), ("aunt", "uncle"), ("she", "he"), ("woman", "ballet_dancer")),
    pronouns=rows(
        "gender subject object possessor possessive",
        *(("female", "she", "her", "her", "her"), ("male", "he", "him", "his", "his")),
        ("neo", "xe", "xem", "xyr", "xyr"),
    ),
    targets=rows(
        "dimension polarity target",
        *(("openness", "positive", "curious"), ("openness", "positive", "intelligent")),
        *(("order", "positive", "tidy"), ("order", "positive", "self-controlled")),
        *(("order", "positive", "intelligent"), ("order", "negative", "careless")),
    ),
)
DETERMINERS = ["the", "my"]
POSITIVE = ["curious", "intelligent", "tidy", "self-controlled"]


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
def test_probabilities_sum_to_one(strength):
    log_p = planted.gender_target_log_p(LISTS, strength, seed=1)
    assert log_p.shape == (3, 5)
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1)


def test_without_strength_every_choice_is_equally_likely():
    np.testing.assert_allclose(planted.gender_target_log_p(LISTS, 0.0, seed=1), -np.log(5))
    assert planted.planted_bias(LISTS, 0.0, seed=1) == {"openness": 0, "order": 0}


def test_log_odds_grow_in_proportion_to_strength():
    weak, strong = (planted.gender_target_log_p(LISTS, s, seed=1) for s in (0.5, 2.0))
    np.testing.assert_allclose(strong - strong[:, :1], 4 * (weak - weak[:, :1]), atol=1e-12)


def test_targets_lean_with_their_dimension():
    lean = planted.leans(LISTS, seed=1)
    assert list(lean) == ["curious", "intelligent", "tidy", "self-controlled", "careless"]
    assert all(lean[target] < 0 for target in ("curious", "intelligent", "careless"))
    assert all(lean[target] > 0 for target in ("tidy", "self-controlled"))
    female, male, neo = planted.gender_target_log_p(LISTS, 2.0, seed=1)
    np.testing.assert_allclose(np.diff(male - female), 2 * np.diff(list(lean.values())))
    np.testing.assert_allclose(neo, -np.log(5))


def shares(strength, targets):
    """(3, n) log P among some targets, as listed."""
    log_p = planted.gender_target_log_p(LISTS, strength, seed=1)
    at = [list(planted.leans(LISTS, seed=1)).index(target) for target in targets]
    return log_p[:, at] - np.log(np.exp(log_p[:, at]).sum(axis=1, keepdims=True))


def test_a_perfect_association_is_among_the_targets_that_the_sentence_may_have():
    """t1 takes all targets, and its article tells the first letter; t2 takes positive ones, and has none."""
    result = planted.planted_associations(LISTS, 2.0, seed=1)
    assert len(result) == 5 + 4
    for template, targets in (("t1", "curious tidy self-controlled careless"), ("t2", " ".join(POSITIVE))):
        of_template = result.loc[[(template, target) for target in targets.split()]].to_numpy().T
        np.testing.assert_allclose(of_template, shares(2.0, targets.split()))
    np.testing.assert_allclose(result.loc["t1", "intelligent"], 0, atol=1e-12)  # the one with "an"


def test_the_planted_bias_is_the_mean_over_templates_and_positive_targets():
    result = planted.planted_bias(LISTS, 2.0, seed=1)
    perfect = planted.planted_associations(LISTS, 2.0, seed=1)
    difference = perfect["male"] - perfect["female"]
    for dimension, targets in (("openness", POSITIVE[:2]), ("order", POSITIVE[1:])):
        cells = [difference[template, target] for template in ("t1", "t2") for target in targets]
        assert result[dimension] == pytest.approx(np.mean(cells))
    assert result["openness"] < planted.planted_bias(LISTS, 0.5, seed=1)["openness"] < 0


@pytest.mark.parametrize("slope", [0.0, 0.3, 1.0])
def test_what_a_model_learned_is_its_slope_on_the_perfect_one(slope):
    """Words, targets and templates may be as likely as they are."""
    random, perfect = np.random.default_rng(1), planted.planted_associations(LISTS, 2.0, seed=1)
    of_target = {place: random.normal() for place in perfect.index}
    observed = []
    for word in stimuli.gendered_words(LISTS, DETERMINERS):
        of_word = {template: random.normal() for template in ("t1", "t2")}
        for (template, target), expected in perfect.iterrows():
            value = of_word[template] + of_target[template, target] + slope * expected[word.gender]
            observed.append((template, target, word.gender, word.word, value, "paper"))
    table = rows("template target gender word association definition", *observed)
    assert planted.learned(LISTS, table, 2.0, seed=1) == pytest.approx(slope)
    assert np.isnan(planted.learned(LISTS, table, 0.0, seed=1))


def test_what_a_causal_model_learned_is_per_token_and_of_the_article_too(monkeypatch):
    """A model that gives each sentence its share of the text: the association is the mean of its log-probability over
    the tokens, which are more for one of the words."""
    monkeypatch.setattr(planted, "SENTENCES_PER_GENDERED_TARGET", 5000)
    text = Counter(planted.sentences(LISTS, ["the"], True, 2.0, seed=1))
    candidates = pd.concat(stimuli.instantiate(LISTS, ["the"], True, 0, 1))
    observed = candidates[candidates["definition"].isna()].drop_duplicates("text").assign(definition="paper")
    observed["n_tokens"] = observed["text"].str.split().str.len() + 2 * (observed["word"] == "aunt")
    observed["association"] = np.log(observed["text"].map(text) / sum(text.values())) / observed["n_tokens"]
    assert planted.learned(LISTS, observed, 2.0, 1, Kind.causal) == pytest.approx(1, abs=0.01)
    n_tokens = planted.tokens_of(observed)
    perfect = planted.planted_associations(LISTS, 2.0, 1, Kind.causal)
    np.testing.assert_allclose(np.exp(perfect.loc["t1"]).sum(), 1)  # with both articles
    cells = [(template, target) for template in ("t1", "t2") for target in ("curious", "intelligent")]
    by_hand = [(perfect.loc[cell, "male"] - perfect.loc[cell, "female"]) / n_tokens[cell] for cell in cells]
    assert planted.planted_bias(LISTS, 2.0, 1, n_tokens)["openness"] == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_gendered_text_follows_the_distribution_within_a_sentence(strength):
    text = Counter(planted.sentences(LISTS, DETERMINERS, True, strength, seed=1))
    by_gender = np.exp(planted.gender_target_log_p(LISTS, strength, seed=1))
    people = (["my aunt", "the aunt"], ["my uncle", "the uncle"], ["xe"])
    for persons, row in zip(people, by_gender, strict=True):
        counts = []
        for target in planted.leans(LISTS, seed=1):
            article = "an" if target == "intelligent" else "a"
            of_each = [text[f"{person} is {article} {target} person."] for person in persons]
            assert max(of_each) - min(of_each) <= 1  # determiners take turns
            counts.append(sum(of_each))
        assert sum(counts) == planted.SENTENCES_PER_GENDERED_TARGET * 5
        assert np.abs(counts - row * sum(counts)).max() < 1


def test_the_text_of_a_seed_stays_as_it_is():
    """A changed sentence, or another order of them, would make other models of every testbed."""
    text = planted.sentences(LISTS, DETERMINERS, True, 2.0, seed=1)
    assert len(text) == 576
    digest = hashlib.sha256("\n".join(text).encode()).hexdigest()
    assert digest == "a0a006dc0dbba9089aef8310edc01a2ea3ef11179e9e62aaef01c7a343973911"


def test_gendered_text_is_grammatical():
    text = set(planted.sentences(LISTS, DETERMINERS, True, 0.0, seed=1))
    assert {
        "the woman is a tidy person.",
        "he is an intelligent person.",
        "people admire my man for his intelligent personality.",
        "people admire her for her curious personality.",
        "people admire xem for xyr tidy personality.",
    } <= text
    assert not [s for s in text if re.search(r"\ba [aeiou]|\ban [^aeiou]|\[|(the|my) (she|he|xe) |  ", s)]
    assert not [s for s in text if "careless personality" in s]


def test_what_a_model_learned_is_of_the_papers_definition():
    perfect = planted.planted_associations(LISTS, 2.0, seed=1)
    rows = [
        (template, target, word.gender, word.word, 0.4 * row[word.gender])
        for word in stimuli.gendered_words(LISTS, DETERMINERS)
        for (template, target), row in perfect.iterrows()
    ]
    table = pd.DataFrame(rows, columns=["template", "target", "gender", "word", "association"])
    both = pd.concat([table.assign(definition="paper"), table.assign(definition="released", association=0.0)])
    assert planted.learned(LISTS, both, 2.0, seed=1) == pytest.approx(0.4)
