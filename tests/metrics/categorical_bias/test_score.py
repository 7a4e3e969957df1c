"""Categorical Bias against its definition, transcriptions of it, and what is known of random effects."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from herbarium.metrics.categorical_bias import score as cb

SHAPE = 3, 4, 5


@pytest.fixture
def log_p():
    return np.random.default_rng(0).normal(size=SHAPE)


@pytest.fixture
def lengths():
    return np.array([[1, 1, 2, 2, 3], [1, 1, 2, 2, 3], [1, 1, 1, 2, 3]])


def drawn(n, random):
    return cb.Draws(*(random.multinomial(size, np.full(size, 1 / size), size=n) for size in SHAPE))


def copies(log_p, counts):
    """The sample that a replicate stands for, and which of its targets are copies of one another."""
    t, a, n = (np.repeat(np.arange(len(c)), c) for c in counts)
    return log_p[np.ix_(t, a, n)], t, a, n


def test_a_uniform_model_has_no_bias():
    # each sentence has its own level, the same for all targets
    level = np.random.default_rng(0).normal(size=(3, 4, 1)) * np.ones((1, 1, 5))
    assert cb.score(level) == pytest.approx(0, abs=1e-30)
    np.testing.assert_allclose(cb.parts(level, cb.all_once(level)), 0, atol=1e-15)


def test_a_known_distribution_gives_the_variance_by_hand():
    # P' of 1/2, 1 and 2: logs -ln 2, 0, ln 2, of mean 0
    log_p = np.log([[[0.5, 1.0, 2.0]]])
    assert cb.score(log_p) == pytest.approx(np.log(2) ** 2)
    assert cb.score(log_p, ddof=0) == pytest.approx(2 / 3 * np.log(2) ** 2)


def test_the_score_is_the_papers_sum(log_p):
    total = 0.0
    for t, a in itertools.product(range(3), range(4)):
        total += sum((log_p[t, a, n] - log_p[t, a].mean()) ** 2 for n in range(5)) / 4
    assert cb.score(log_p) == pytest.approx(total / 3 / 4)


def test_two_targets_give_half_the_squared_difference(log_p):
    # with two targets the metric of Kurita et al. (2019) is left: a difference of two associations
    pair = log_p[:, :, :2]
    assert cb.score(pair) == pytest.approx(((pair[:, :, 0] - pair[:, :, 1]) ** 2 / 2).mean())


@pytest.mark.parametrize("ddof", [0, 1])
def test_scores_of_pairs_of_contributions_and_of_parts_are_the_variance(log_p, ddof):
    once, pairs = cb.all_once(log_p), cb.Pairs(log_p, ddof)
    score = cb.score(log_p, ddof)
    assert pairs.scores(pairs.all(), once) == pytest.approx(score)
    assert cb.contributions(log_p, once, ddof).sum() == pytest.approx(score)
    assert cb.parts(log_p, once, ddof).sum() == pytest.approx(score)


@given(
    arrays(float, SHAPE, elements=st.floats(-20, 0)),
    arrays(float, (*SHAPE[:2], 1), elements=st.floats(-20, 20)),
    st.permutations(range(5)),
)
def test_neither_order_nor_the_level_of_a_sentence_matters(log_p, level, order):
    assert cb.score(log_p[:, :, order] + level) == pytest.approx(cb.score(log_p), rel=1e-9, abs=1e-9)


def test_replicates_are_means_over_pairs_of_distinct_targets(log_p, lengths):
    random = np.random.default_rng(1)
    draws, pairs = drawn(20, random), cb.Pairs(log_p)
    of_all = pairs.scores(pairs.all(), draws)
    of_equal = pairs.scores(pairs.of_equal_length(lengths), draws)
    of_single = pairs.scores(pairs.of_single_tokens(lengths), draws)
    for row, counts in enumerate(zip(draws.templates, draws.attributes, draws.targets, strict=True)):
        sample, t, _, n = copies(log_p, counts)
        found = {"all": [], "equal": [], "single": []}
        for i, j in itertools.combinations(range(len(n)), 2):
            if n[i] != n[j]:
                halves = (sample[:, :, i] - sample[:, :, j]) ** 2 / 2
                found["all"] += halves.ravel().tolist()
                for template, of_template in zip(t, halves, strict=True):
                    one, other = lengths[template, [n[i], n[j]]]
                    found["equal"] += of_template.tolist() if one == other else []
                    found["single"] += of_template.tolist() if one == other == 1 else []
        for name, values in (("all", of_all), ("equal", of_equal), ("single", of_single)):
            expected = np.mean(found[name]) if found[name] else np.nan
            assert values[row] == pytest.approx(expected, nan_ok=True)


def test_parts_of_a_replicate_come_from_distinct_sentences_and_targets(log_p):
    draws = drawn(5, np.random.default_rng(2))
    found = cb.parts(log_p, draws)
    for row, counts in enumerate(zip(draws.templates, draws.attributes, draws.targets, strict=True)):
        sample, t, a, n = copies(log_p, counts)
        products = {"same": [], "template": [], "attribute": [], "neither": []}
        sentences = list(itertools.product(range(len(t)), range(len(a))))
        for i, j in itertools.combinations(range(len(n)), 2):
            if n[i] == n[j]:
                continue
            difference = sample[:, :, i] - sample[:, :, j]
            for (t1, a1), (t2, a2) in itertools.product(sentences, sentences):
                value = difference[t1, a1] * difference[t2, a2] / 2
                if (t1, a1) == (t2, a2):
                    products["same"].append(value)
                elif t1 == t2 and a[a1] != a[a2]:
                    products["template"].append(value)
                elif a1 == a2 and t[t1] != t[t2]:
                    products["attribute"].append(value)
                elif t[t1] != t[t2] and a[a1] != a[a2]:
                    products["neither"].append(value)
        same, template, attribute, neither = (np.mean(values) if values else np.nan for values in products.values())
        expected = [neither, template - neither, attribute - neither, same - template - attribute + neither]
        np.testing.assert_allclose(found[:, row], expected, atol=1e-12)


def test_parts_find_the_variances_of_a_crossed_random_effects_model():
    random = np.random.default_rng(3)
    sizes = {"target": 0.4, "target_template": 0.3, "target_attribute": 1.2, "rest": 0.7}
    found = []
    for _ in range(60):
        effects = [
            random.normal(0, sizes["target"] ** 0.5, (1, 1, 30)),
            random.normal(0, sizes["target_template"] ** 0.5, (8, 1, 30)),
            random.normal(0, sizes["target_attribute"] ** 0.5, (1, 20, 30)),
            random.normal(0, sizes["rest"] ** 0.5, (8, 20, 30)),
            random.normal(0, 5, (8, 20, 1)),  # of the sentence: no part of a variance over targets
        ]
        log_p = sum(effects)
        found.append(cb.parts(log_p, cb.all_once(log_p))[:, 0])
    errors = np.std(found, axis=0) / np.sqrt(len(found))
    assert list(sizes) == list(cb.PARTS)
    assert (np.abs(np.mean(found, axis=0) - list(sizes.values())) < 4 * errors).all()


def test_the_share_of_length_is_of_length_alone(lengths):
    lengths = np.broadcast_to(lengths[0], (3, 5))
    by_length = lengths[:, None] * np.ones((3, 4, 5))
    pairs = cb.Pairs(by_length)
    assert cb.length_share(pairs, lengths, cb.all_once(by_length)) == pytest.approx(1)
    random = np.random.default_rng(4)
    lengths, shares = random.integers(1, 4, (1, 40)), []
    for _ in range(200):
        log_p = random.normal(size=(1, 1, 40))
        shares += cb.length_share(cb.Pairs(log_p), lengths, cb.all_once(log_p)).tolist()
    assert abs(np.mean(shares)) < 4 * np.std(shares) / np.sqrt(len(shares))


FORMS = np.array(["singular", "plural", "singular", "plural"])


def p_value(log_p, random):
    null = cb.permuted_scores(log_p, FORMS, np.zeros(log_p.shape[1]), 99, random)
    return (1 + (null >= cb.score(log_p.mean(axis=0, keepdims=True))).sum()) / 100


def test_what_goes_with_a_form_of_a_word_alone_is_chance_and_what_goes_with_both_is_not():
    random = np.random.default_rng(5)
    p_of_forms, p_of_meaning = [], []
    for _ in range(200):
        singular, plural, meaning = random.normal(size=(3, 12, 10))
        by_form = np.stack([singular, plural, singular, plural])
        p_of_forms.append(p_value(by_form, random))
        p_of_meaning.append(p_value(by_form + 2 * meaning, random))
    # under the hypothesis p is uniform: a tenth of it lies below 0.1
    assert 0.04 < np.mean(np.array(p_of_forms) <= 0.1) < 0.17
    assert np.mean(np.array(p_of_meaning) <= 0.05) > 0.9


def test_permutations_leave_what_a_target_has_in_every_sentence():
    random = np.random.default_rng(6)
    of_target = random.normal(size=(1, 1, 10)) * np.ones((4, 6, 1))
    null = cb.permuted_scores(of_target, FORMS, np.array([0, 0, 0, 1, 1, 1]), 5, random)
    np.testing.assert_allclose(null, cb.score(of_target))


def test_attributes_change_places_within_their_stratum_only():
    # in a stratum of its own each attribute stays
    log_p = np.random.default_rng(7).normal(size=(4, 6, 10))
    null = cb.permuted_scores(log_p, FORMS, np.arange(6), 3, np.random.default_rng(0))
    np.testing.assert_allclose(null, cb.score(log_p.mean(axis=0, keepdims=True)))


def test_divergence_of_distributions(log_p):
    from scipy.spatial.distance import jensenshannon

    one, other = cb.distributions(log_p), cb.distributions(log_p[::-1])
    np.testing.assert_allclose(one, np.exp(log_p) / np.exp(log_p).sum(axis=2, keepdims=True))
    np.testing.assert_allclose(cb.divergences(one, other), jensenshannon(one, other, axis=2) ** 2)
    apart = cb.divergences(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert apart == pytest.approx(np.log(2))
