"""The text on ethnic targets that models of the testbed learn."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import planted
from herbarium.metrics.categorical_bias.stimuli import Lists, read

TARGETS = ["Cuba", "Iraq", "Peru", "Spain"]
LISTS = Lists(
    templates=pd.DataFrame({"key": ["is", "are"], "text": ["[target] [singular].", "[plural] from [target]."]}),
    targets=pd.DataFrame({"key": TARGETS, "set": "base", "target": TARGETS}),
    attributes=pd.DataFrame(
        {"key": ["spy", "vet"], "set": "base", "singular": ["spy", "vet"], "plural": ["spies", "vets"]}
    ),
)
ATTRIBUTES = ["spy", "vet", "chef"]


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
def test_probabilities_sum_to_one(strength):
    log_p = planted.attribute_target_log_p(ATTRIBUTES, TARGETS, strength, seed=1)
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1)


def test_without_strength_every_target_is_equally_likely():
    np.testing.assert_allclose(planted.attribute_target_log_p(ATTRIBUTES, TARGETS, 0.0, seed=1), -np.log(4))
    text = planted.sentences(LISTS, 0.0, seed=1)
    assert set(pd.Series(text).value_counts()) == {planted.SENTENCES_PER_TARGET}


def test_log_odds_grow_in_proportion_to_strength():
    weak, strong = (planted.attribute_target_log_p(ATTRIBUTES, TARGETS, strength, seed=1) for strength in (0.5, 2.0))
    np.testing.assert_allclose(strong[:, 1:] - strong[:, :1], 4 * (weak[:, 1:] - weak[:, :1]))


def test_a_bias_goes_with_the_key_and_the_seed_whatever_else_there_is():
    few = planted.attribute_target_log_p(["spy"], ["Peru", "Cuba"], 2.0, seed=1)
    many = planted.attribute_target_log_p(ATTRIBUTES, TARGETS, 2.0, seed=1)
    assert few[0, 0] - few[0, 1] == pytest.approx(many[0, 2] - many[0, 0])
    other = planted.attribute_target_log_p(ATTRIBUTES, TARGETS, 2.0, seed=2)
    assert not np.allclose(other, many)


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_the_text_follows_the_distribution_within_a_sentence(strength):
    text = pd.Series(planted.sentences(LISTS, strength, seed=1))
    n = planted.SENTENCES_PER_TARGET * len(TARGETS)
    p = np.exp(planted.attribute_target_log_p(["spy", "vet"], TARGETS, strength, seed=1))
    assert len(text) == 2 * 2 * n
    counts = text.value_counts()
    for attribute, forms in enumerate((("spy", "spies"), ("vet", "vets"))):
        for sentences in (
            [f"{target} {forms[0]}." for target in TARGETS],
            [f"{forms[1]} from {target}." for target in TARGETS],
        ):
            observed = counts.reindex(sentences, fill_value=0)
            assert observed.sum() == n
            assert (abs(observed.to_numpy() - n * p[attribute]) < 1).all()


def test_the_text_is_kept():
    """Another text would be another model: that of a list of ours, as models have learned it."""
    text = planted.sentences(read("resources/categorical_bias/greek/grammatical"), 2.0, seed=2022)
    assert len(text) == 105_000
    digest = hashlib.sha256("\n".join(text).encode()).hexdigest()
    assert digest == "1e80e88ffcb983fa7cd05f6c74d2341ef6c64cecc9ab39cd25495b7ff587b7b9"


def test_what_a_perfect_model_would_say():
    log_p = planted.attribute_target_log_p(["spy", "vet"], TARGETS, 2.0, seed=1)
    result = planted.log_p_prime(LISTS, 2.0, seed=1)
    assert (result.index.tolist(), result.columns.tolist()) == (["spy", "vet"], TARGETS)
    prior = np.exp(log_p).mean(axis=0)  # both attributes are equally often in the text
    np.testing.assert_allclose(np.exp(result) * prior, np.exp(log_p))
    np.testing.assert_allclose(planted.log_p_prime(LISTS, 0.0, seed=1), 0, atol=1e-12)
