"""Gender directions, and hard debiasing against the equations of Bolukbasi et al. (2016)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import decomposition
from tests.refusals import refused

from herbarium.vectors.directions import direction, hard_debias, projections, unit

D = 8
METHODS = ["pair", "mean", "pca"]


def planted(n, seed=0, noise=0.3):
    """Pairs that differ along the first axis, and by noise of their own."""
    random = np.random.default_rng(seed)
    shared = random.standard_normal((n, D))
    lean = np.eye(D)[0]
    return tuple(shared + side * lean + noise * random.standard_normal((n, D)) for side in (1, -1))


def test_by_hand():
    masculine = np.array([[3.0, 0, 1], [1, 4, 0]])
    feminine = np.array([[0.0, 4, 1], [1, 2, 0]])
    np.testing.assert_allclose(direction(masculine, feminine, "pair"), [0.6, -0.8, 0])
    np.testing.assert_allclose(direction(masculine, feminine, "mean"), np.array([3, -2, 0]) / np.sqrt(13))


def test_pca_is_that_of_words_centred_at_the_mean_of_their_pair():
    masculine, feminine = planted(12)
    centre = (masculine + feminine) / 2
    component = decomposition.PCA(n_components=1).fit(np.vstack([masculine - centre, feminine - centre])).components_[0]
    result = direction(masculine, feminine, "pca")
    assert abs(result @ component) == pytest.approx(1)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 1000))
def test_length_sign_and_rotation(method, seed):
    masculine, feminine = planted(9, seed)
    result = direction(masculine, feminine, method)
    assert np.linalg.norm(result) == pytest.approx(1)
    at = slice(0, 1) if method == "pair" else slice(None)
    assert projections((masculine - feminine)[at], result).mean() > 0
    np.testing.assert_allclose(direction(feminine, masculine, method), -result, atol=1e-12)
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((D, D)))[0]
    np.testing.assert_allclose(
        direction(masculine @ rotation, feminine @ rotation, method), result @ rotation, atol=1e-9
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_planted_direction_is_found(method):
    result = direction(*planted(40, noise=0.01), method)
    assert result[0] > 0.99


@pytest.mark.parametrize("method", METHODS)
def test_pairs_without_a_direction_are_refused(method):
    masculine, feminine = planted(3)
    with refused(None, "sides"):
        direction(masculine, masculine, method)
    with refused(None, "no pair"):
        direction(masculine[:0], feminine[:0], method)
    with refused(None, "not finite"):
        direction(masculine * np.nan, feminine, method)


def test_unit_keeps_missing_vectors_and_refuses_empty_ones():
    result = unit([[3.0, 4], [np.nan, 1]])
    np.testing.assert_allclose(result, [[0.6, 0.8], [np.nan, np.nan]])
    with refused(None, "1", "2"):
        unit([[0.0, 0], [1, 0]])


def literal_hard_debias(vectors, g, pairs, is_neutral):
    """Bolukbasi et al. (2016), §6, step 2a, as they write it, word by word; the subspace has one dimension."""
    w = [np.array(v) / np.sqrt(sum(x * x for x in v)) for v in vectors]
    before = [np.array(v) for v in w]

    def in_subspace(v):
        return sum(v[i] * g[i] for i in range(len(g))) * g

    for i, neutral in enumerate(is_neutral):
        if neutral:
            rest = w[i] - in_subspace(w[i])
            w[i] = rest / np.sqrt(sum(x * x for x in rest))
    for pair in pairs:
        mu = sum(before[i] for i in pair) / len(pair)
        nu = mu - in_subspace(mu)
        for i in pair:
            apart = in_subspace(before[i]) - in_subspace(mu)
            w[i] = nu + np.sqrt(1 - sum(nu**2)) * apart / np.sqrt(sum(apart**2))
    return np.array(w)


@given(seed=st.integers(0, 1000))
def test_hard_debias_is_the_papers(seed):
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((20, D)) * random.uniform(0.5, 3, (20, 1))
    g = unit(random.standard_normal(D))
    pairs = random.permutation(8).reshape(-1, 2)
    is_neutral = np.arange(20) >= 10
    before = vectors.copy()
    result = hard_debias(vectors, g, pairs, is_neutral)
    np.testing.assert_allclose(result, literal_hard_debias(vectors, g, pairs, is_neutral), atol=1e-9)
    np.testing.assert_array_equal(vectors, before)
    # what the paper promises
    np.testing.assert_allclose(np.linalg.norm(result, axis=1), 1)
    np.testing.assert_allclose(projections(result[is_neutral], g), 0, atol=1e-12)
    masculine, feminine = pairs.T
    np.testing.assert_allclose(
        result[is_neutral] @ result[masculine].T, result[is_neutral] @ result[feminine].T, atol=1e-9
    )
    np.testing.assert_allclose(result[8:10], unit(vectors[8:10]))


def test_hard_debias_refuses_what_it_cannot_do():
    vectors = np.eye(4)
    g = np.array([1.0, 0, 0, 0])
    nobody = np.zeros(4, dtype=bool)
    with refused(None, "1", "row 2"):
        hard_debias(vectors, g, [[1, 2], [3, 2]], nobody)
    with refused(None, "neutral word"):
        hard_debias(vectors, g, [], nobody | [True, False, False, False])
    assert hard_debias(vectors, g, [], nobody).tolist() == vectors.tolist()
