"""Shares of descriptions in a region's bias: by hand, pair by pair, and against HERB itself."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from herbarium.metrics.herb import score, words

VECTORS = arrays(
    float, st.tuples(st.integers(2, 7), st.integers(1, 5)), elements=st.integers(-5, 5).map(lambda number: number / 8)
)


def test_shares_by_hand():
    # pairs: (0,0)-(1,0): 1, 0; (0,0)-(0,2): 0, 4; (1,0)-(0,2): 1, 4. Means 2/3 and 8/3 of 10/3
    assert words.shares(np.array([[0, 0], [1, 0], [0, 2.0]])) == pytest.approx([0.2, 0.8])


@given(VECTORS)
def test_shares_are_those_of_the_pairs(vectors):
    squares = np.mean([(a - b) ** 2 for a, b in itertools.combinations(vectors, 2)], axis=0)
    shares = words.shares(vectors)
    if squares.sum() == 0:
        assert np.isnan(shares).all()
    else:
        assert shares == pytest.approx(squares / squares.sum())
        assert shares.sum() == pytest.approx(1)


def test_one_vector_has_no_distance_to_share():
    assert np.isnan(words.shares(np.ones((1, 3)))).all()
    assert np.isnan(words.shares(np.ones((0, 3)))).all()


def test_equal_vectors_have_none_either():
    assert np.isnan(words.shares(np.full((3, 2), 0.1))).all()


def test_vectors_are_those_whose_distance_herb_takes():
    """C_z of a root whose sub-regions have equally likely names is the plain mean distance of their V."""
    random = np.random.default_rng(3)
    parent = np.array([-1, 0, 0, 0, 1, 1, 1, 2, 2, 7])
    f = random.normal(-5, 1, (len(parent), 6))
    f[0] = np.nan
    V = words.aggregated_vectors(f, parent)
    mean = np.mean([np.linalg.norm(a - b) for a, b in itertools.combinations(V[1:4], 2)])
    scores = score.herb(np.nan_to_num(f), np.zeros(len(parent)), parent)
    assert scores.C_z_size_free[0] == pytest.approx(mean)
    assert np.isnan(V[0]).all()
    leaves = [3, 4, 5, 6, 8, 9]
    assert V[leaves] == pytest.approx(f[leaves] / np.linalg.norm(f[leaves], axis=1, keepdims=True))


def test_deviation_from_siblings_by_hand():
    # first: ((1 - 2) + (1 - 6)) / 2
    assert words.deviation_from_siblings(np.array([[1.0], [2], [6]])) == pytest.approx(np.array([[-3], [-1.5], [4.5]]))
    assert np.isnan(words.deviation_from_siblings(np.ones((1, 2)))).all()
