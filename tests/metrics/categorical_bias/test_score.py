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


def test_a_uniform_model_has_no_bias():
    # each sentence has its own level, the same for all targets
    level = np.random.default_rng(0).normal(size=(3, 4, 1)) * np.ones((1, 1, 5))
    assert cb.score(level) == pytest.approx(0, abs=1e-30)
    np.testing.assert_allclose(cb.parts(level), 0, atol=1e-15)


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
    one_class = np.zeros((3, 5), dtype=int)
    np.testing.assert_allclose(cb.pair_variances(log_p, one_class, ddof), cb.variances(log_p, ddof))
    np.testing.assert_allclose(cb.contributions(log_p, ddof).sum(axis=2), cb.variances(log_p, ddof))
    assert cb.parts(log_p, ddof).sum() == pytest.approx(cb.score(log_p, ddof))


@given(
    arrays(float, SHAPE, elements=st.floats(-20, 0)),
    arrays(float, (*SHAPE[:2], 1), elements=st.floats(-20, 20)),
    st.permutations(range(5)),
)
def test_neither_order_nor_the_level_of_a_sentence_matters(log_p, level, order):
    assert cb.score(log_p[:, :, order] + level) == pytest.approx(cb.score(log_p), rel=1e-9, abs=1e-9)


def test_a_variance_over_pairs_of_a_class_by_hand(log_p, lengths):
    variances = cb.pair_variances(log_p, lengths)
    for t, a in itertools.product(range(3), range(4)):
        pairs = [(i, j) for i, j in itertools.combinations(range(5), 2) if lengths[t, i] == lengths[t, j]]
        assert variances[t, a] == pytest.approx(np.mean([(log_p[t, a, i] - log_p[t, a, j]) ** 2 / 2 for i, j in pairs]))
    assert np.isnan(cb.pair_variances(log_p, np.arange(5) * np.ones((3, 1), dtype=int))).all()
    assert np.isnan(cb.pair_variances(log_p, np.full((3, 5), -1))).all()


def test_parts_come_from_distinct_sentences(log_p):
    y = log_p - log_p.mean(axis=2, keepdims=True)
    products = {"same": [], "template": [], "attribute": [], "neither": []}
    sentences = list(itertools.product(range(3), range(4)))
    for (t, a), (u, b) in itertools.product(sentences, sentences):
        shared = {(True, True): "same", (True, False): "template", (False, True): "attribute"}
        products[shared.get((t == u, a == b), "neither")].append((y[t, a] * y[u, b]).sum() / 4)
    same, template, attribute, neither = map(np.mean, products.values())
    expected = [neither, template - neither, attribute - neither, same - template - attribute + neither]
    np.testing.assert_allclose(cb.parts(log_p), expected)
    assert np.isnan(cb.parts(log_p[:1])).all()
    assert np.isnan(cb.parts(log_p[:, :1])).all()


def test_parts_find_the_variances_of_a_crossed_random_effects_model():
    random = np.random.default_rng(3)
    sizes = {"target": 0.4, "target_template": 0.3, "target_attribute": 1.2, "rest": 0.7}
    parts_of_runs = []
    for _ in range(60):
        effects = [
            random.normal(0, sizes["target"] ** 0.5, (1, 1, 30)),
            random.normal(0, sizes["target_template"] ** 0.5, (8, 1, 30)),
            random.normal(0, sizes["target_attribute"] ** 0.5, (1, 20, 30)),
            random.normal(0, sizes["rest"] ** 0.5, (8, 20, 30)),
            random.normal(0, 5, (8, 20, 1)),  # of the sentence: no part of a variance over targets
        ]
        log_p = sum(effects)
        parts_of_runs.append(cb.parts(log_p))
    errors = np.std(parts_of_runs, axis=0) / np.sqrt(len(parts_of_runs))
    assert list(sizes) == list(cb.PARTS)
    assert (np.abs(np.mean(parts_of_runs, axis=0) - list(sizes.values())) < 4 * errors).all()


IS_ONE = np.array([True, False, True, False])


def forms_of(log_p, strata=None, classes=None):
    strata, classes = (
        np.zeros(n, dtype=int) if labels is None else np.array(labels)
        for n, labels in zip(log_p.shape[1:], (strata, classes), strict=True)
    )
    return cb.Forms.of(log_p, IS_ONE, strata, classes)


def test_the_covariance_of_forms_by_hand():
    # two attributes, two targets: log P' +-1 in one form, +-2 and +-4 in the other; of a table of 2 x 2 what both have
    one, other = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([[2.0, -2.0], [-4.0, 4.0]])
    forms = forms_of(np.stack([one, other, one, other]))
    assert forms.covariance() == pytest.approx(4 * 1 * 3 / 1)
    assert forms.products().mean() == pytest.approx(forms.covariance())
    assert forms_of(np.stack([one, -other, one, -other])).covariance() == pytest.approx(-12)


def test_the_covariance_of_forms_against_a_literal_transcription():
    log_p = np.random.default_rng(1).normal(size=(4, 6, 7))
    strata, classes = [0, 0, 0, 1, 1, 1], [1, 1, 2, 2, 2, 1, 1]
    total = 0.0
    for t, u, a, n in itertools.product((0, 2), (1, 3), range(6), range(7)):
        value = 1.0
        for template in (t, u):
            alike = [m for m in range(7) if classes[m] == classes[n]]
            others = [b for b in range(6) if strata[b] == strata[a]]
            y = {(b, m): log_p[template, b, m] - np.mean([log_p[template, b, k] for k in alike])
                 for b in others for m in alike}  # fmt: skip
            value *= y[a, n] - np.mean([y[b, n] for b in others])
        total += value / 4
    expected = total / ((6 - 2) * (7 - 2))
    forms = forms_of(log_p, strata, classes)
    assert forms.covariance() == pytest.approx(expected)
    assert forms.products().mean() == pytest.approx(expected)


def test_what_targets_templates_and_attributes_have_by_themselves_is_no_covariance():
    random = np.random.default_rng(2)
    log_p = random.normal(size=(4, 6, 10))
    more = log_p + random.normal(size=(4, 1, 10)) + random.normal(size=(4, 6, 1)) + random.normal(size=(1, 1, 10))
    assert forms_of(more).covariance() == pytest.approx(forms_of(log_p).covariance())


def test_it_is_0_without_bias_and_the_variance_of_a_bias_with_it():
    random = np.random.default_rng(3)
    none, some = [], []
    for _ in range(300):
        noise, bias = random.normal(size=(2, 12, 10)), random.normal(size=(12, 10))
        log_p = np.tile(noise, (2, 1, 1)) + random.normal(size=(4, 12, 10))
        none.append(forms_of(log_p).covariance())
        some.append(forms_of(log_p + 2 * bias).covariance())
    for values, truth in ((none, 0), (some, 4)):
        assert abs(np.mean(values) - truth) < 4 * np.std(values) / np.sqrt(len(values))
    assert np.mean([cb.parts(log_p)[2] for log_p in [np.tile(noise, (2, 1, 1))]]) > 0  # noise of forms is in a part


def test_permutations_keep_strata_and_have_the_spread_that_is_said():
    random = np.random.default_rng(4)
    strata = [0, 1, 0, 1, 0, 0, 1, 2]
    forms = forms_of(random.normal(size=(4, 8, 10)), strata)
    sums = forms.one.mean(axis=0) @ forms.other.mean(axis=0).T
    ways = [
        sum(sums[a, b] for a, b in zip(range(8), order, strict=True)) / forms.df
        for order in itertools.permutations(range(8))
        if all(strata[a] == strata[b] for a, b in enumerate(order))
    ]
    drawn = forms.permuted(4000, random)
    np.testing.assert_allclose(np.unique(np.round(drawn, 9)), np.unique(np.round(ways, 9)))
    assert forms.null_error() == pytest.approx(np.std(ways))
    assert np.mean(ways) == pytest.approx(0, abs=1e-12)


def test_attributes_whose_forms_a_chain_of_sub_tokens_links_are_left_out():
    tokens = {
        "nurse": ({1}, {2}),
        "bartender": ({3}, {3}),  # one form
        "taxi driver": ({4, 5}, {4, 6}),  # "taxi" is in both,
        "bus driver": ({5, 7}, {6, 8}),  # so "driver" and "drivers" go together
        "bank teller": ({9, 10}, {11, 12}),
        "cashier": ({9}, {11}),  # the same two words as the teller's
        "vet": ({13}, {14, 99}),
        "spy": ({15}, {16, 99}),  # a common ending of one form
    }
    is_linked_free = cb.unlinked(list(tokens.values()))
    assert [key for key, kept in zip(tokens, is_linked_free, strict=True) if kept] == ["nurse", "vet", "spy"]


def test_divergence_of_distributions(log_p):
    from scipy.spatial.distance import jensenshannon

    one, other = cb.distributions(log_p), cb.distributions(log_p[::-1])
    np.testing.assert_allclose(one, np.exp(log_p) / np.exp(log_p).sum(axis=2, keepdims=True))
    np.testing.assert_allclose(cb.divergences(one, other), jensenshannon(one, other, axis=2) ** 2)
    apart = cb.divergences(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert apart == pytest.approx(np.log(2))
