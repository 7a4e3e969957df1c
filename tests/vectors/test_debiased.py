"""Hard debiasing of what a source has for words."""

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.vectors import debiased
from herbarium.vectors.directions import direction, hard_debias, projections, unit

PAIRS = [("he", "she"), ("king", "queen"), ("king", "duchess"), ("lad", "lass")]
WORDS = ["nurse", "he", "She", "queen", "duchess", "none", "clerk"]
RANDOM = np.random.default_rng(0)
MASCULINE, FEMININE, VALUES = (RANDOM.standard_normal((n, 6)) for n in (4, 4, len(WORDS)))
MASCULINE[2] = MASCULINE[1]
MASCULINE[3] = np.nan
VALUES[1], VALUES[3:5] = MASCULINE[0], FEMININE[1:3]
VALUES[5] = np.nan


@pytest.mark.parametrize("method", ["pca", "mean", "pair"])
def test_is_the_debiasing_of_a_whole_vocabulary(method):
    result = debiased.vectors(WORDS, VALUES, PAIRS, MASCULINE, FEMININE, method)
    sides = unit(MASCULINE[:3]), unit(FEMININE[:3])
    g = direction(*sides, method)
    vocabulary = np.concatenate([MASCULINE[:2], FEMININE[:3], VALUES[[0, 2, 6]]])
    is_neutral = np.array([False] * 5 + [True, False, True])
    expected = hard_debias(vocabulary, g, [[0, 2], [1, 3]], is_neutral)
    # duchess and She are of no pair that is equalised: king is in two, and She is not spelled as in its pair
    np.testing.assert_allclose(result[[1, 3, 4, 0, 2, 6]], expected[[0, 3, 4, 5, 6, 7]])
    assert np.isnan(result[5]).all()
    np.testing.assert_allclose(projections(result[[0, 6]], g), 0, atol=1e-12)
    np.testing.assert_allclose(result[[2, 4]], unit(VALUES[[2, 4]]))


def test_a_word_has_the_same_vector_whatever_stands_beside_it():
    """So that a vocabulary can be debiased some words at a time."""
    listed = [word for side in zip(*PAIRS, strict=True) for word in side]
    halves = debiased.halves(listed, np.concatenate([MASCULINE, FEMININE]))
    assert halves[0] == PAIRS
    whole = debiased.vectors(WORDS, VALUES, *halves, "pca")
    pieces = [debiased.vectors([word], VALUES[[row]], *halves, "pca") for row, word in enumerate(WORDS)]
    np.testing.assert_allclose(np.concatenate(pieces), whole)


def test_without_a_whole_pair_there_is_no_direction():
    with refused(None, "4"):
        debiased.vectors(WORDS, VALUES, PAIRS, MASCULINE * np.nan, FEMININE, "pca")
