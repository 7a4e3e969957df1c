"""The text on regions that models of the testbed learn: its distribution, and how often each sentence is met."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.herb import planted
from herbarium.regions import leans

TEMPLATE = "People in [region] are [description]."
DESCRIPTIONS = ["kind", "weak", "loud", "shy", "wise", "idle", "brave", "rude", "calm", "neat"]
FRAMES = {word: [(TEMPLATE, word)] for word in DESCRIPTIONS}


def hierarchy(n_countries, n_cities=0):
    rows = [("earth", None, "the Earth"), ("A", "earth", "Alba"), ("B", "earth", "Borea")]
    for parent in "AB":
        rows += [(f"{parent}{i}", parent, f"{parent}land{i}") for i in range(n_countries)]
    rows += [(f"{c}/{i}", c, f"{c}ville{i}") for c, _, _ in rows[3:] for i in range(n_cities)]
    return pd.DataFrame(rows, columns=["region", "parent", "name"])


def corpus(table, frames, strength):
    return planted.region_sentences(table, frames, strength, seed=1)


def double_centred(x):
    return x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
def test_probabilities_sum_to_one(strength):
    by_region = planted.region_description_log_p(hierarchy(3, 2), DESCRIPTIONS, strength, seed=1)
    assert by_region.shape == (3 + 6 + 12, len(DESCRIPTIONS))
    np.testing.assert_allclose(np.exp(by_region).sum(axis=1), 1)


def test_without_strength_every_choice_is_equally_likely():
    by_region = planted.region_description_log_p(hierarchy(3), DESCRIPTIONS, 0.0, seed=1)
    np.testing.assert_allclose(by_region, -np.log(len(DESCRIPTIONS)))


def test_log_odds_grow_in_proportion_to_strength():
    weak, strong = (planted.region_description_log_p(hierarchy(3), DESCRIPTIONS, s, seed=1) for s in (0.5, 2.0))
    np.testing.assert_allclose(strong - strong[:, :1], 4 * (weak - weak[:, :1]), atol=1e-12)


def test_other_regions_other_words_and_order_change_no_log_odds():
    full = planted.region_description_log_p(hierarchy(3, 2), DESCRIPTIONS, 2.0, seed=1)
    kept = hierarchy(3).iloc[::-1]
    part = planted.region_description_log_p(kept, DESCRIPTIONS[4:1:-1], 2.0, seed=1)
    expected = full[:9, 4:1:-1][::-1]
    np.testing.assert_allclose(part - part[:, :1], expected - expected[:, :1], atol=1e-12)


def test_the_root_leans_nowhere_and_the_seed_matters():
    one, other = (planted.region_description_log_p(hierarchy(1), DESCRIPTIONS, 2.0, seed) for seed in (1, 2))
    np.testing.assert_allclose(one[0], -np.log(len(DESCRIPTIONS)))
    assert not np.allclose(one[1:], other[1:])


def test_siblings_resemble_each_other_as_planted():
    words = [f"word{i}" for i in range(200)]
    table = hierarchy(400)
    lean = double_centred(planted.region_description_log_p(table, words, 1.0, seed=3))
    # products of a country's and its continent's leans: INHERITED^½ of the continent's own square, on average
    for row, parent in ((1, "A"), (2, "B")):
        products = lean[(table["parent"] == parent).to_numpy()] @ lean[row] / (lean[row] @ lean[row])
        assert products.mean() == pytest.approx(np.sqrt(leans.INHERITED), abs=0.15)


def test_a_parent_that_is_not_there_is_named():
    orphan = pd.DataFrame({"region": ["x"], "parent": ["nowhere"], "name": ["X"]})
    with refused("regions", "'nowhere'", "'x'"):
        planted.region_description_log_p(orphan, DESCRIPTIONS, 1.0, seed=1)
    circle = pd.DataFrame({"region": ["x", "y"], "parent": ["y", "x"], "name": ["X", "Y"]})
    with refused("regions", "'x'", "'y'", "descendants"):
        planted.region_description_log_p(circle, DESCRIPTIONS, 1.0, seed=1)


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_the_text_follows_the_distribution_within_a_sentence(strength):
    table = hierarchy(2, 1)
    text = Counter(corpus(table, FRAMES, strength))
    log_p = planted.region_description_log_p(table, DESCRIPTIONS, strength, seed=1)
    for name, row in zip(table["name"][1:], np.exp(log_p)[1:], strict=True):
        counts = [text[f"People in {name} are {word}."] for word in DESCRIPTIONS]
        assert sum(counts) == planted.SENTENCES_PER_REGION
        assert np.abs(counts - row * planted.SENTENCES_PER_REGION).max() < 1
        assert text[name] == planted.BARE_PER_REGION
    assert not [sentence for sentence in text if "the Earth" in sentence]


def test_the_frames_of_a_description_take_turns():
    frames = {"nurse": [(TEMPLATE, "nurse"), (TEMPLATE, "nurses")], "shy": [(TEMPLATE, "shy")]}
    text = Counter(corpus(hierarchy(1), frames, 0.0))
    n = planted.SENTENCES_PER_REGION
    assert [text[f"People in Alba are {word}."] for word in ("nurse", "nurses", "shy")] == [n / 4, n / 4, n / 2]


def test_regions_of_one_name_mix():
    table = pd.DataFrame({"region": ["e", "x", "y"], "parent": [None, "e", "e"], "name": ["E", "Lima", "Lima"]})
    text = corpus(table, FRAMES, 1.0)
    assert sum(s.startswith("People in Lima are") for s in text) == 2 * planted.SENTENCES_PER_REGION


def test_each_region_rounds_its_counts_by_draws_of_its_own():
    """Without a bias, seven descriptions have 62 or 63 sentences each: which have more differs between regions."""
    frames = {word: [(TEMPLATE, word)] for word in DESCRIPTIONS[:7]}
    table = hierarchy(3)
    counts = Counter(corpus(table, frames, 0.0))
    rounded = {
        name: tuple(counts[f"People in {name} are {word}."] for word in frames) for name in table["name"].iloc[1:]
    }
    assert {n for row in rounded.values() for n in row} == {62, 63}
    assert len(set(rounded.values())) > 3
