import numpy as np
import pytest

from herbarium.vectors import planted

SEED = 7
WORDS = [f"w{i}" for i in range(400)]


def vectors(strength=0.0, source="s", gender=0.0, lean=0.0, is_rotated=False, words=WORDS, concepts=None):
    n = len(words)
    given = np.broadcast_to(gender, n), np.broadcast_to(lean, n)
    return planted.vectors(words, concepts or words, *given, source, strength, is_rotated, SEED)


@pytest.mark.parametrize("strength", [0, 1, 2])
def test_a_lean_moves_a_word_along_the_gender_direction_and_nowhere_else(strength):
    moved = vectors(strength, lean=1.0) - vectors(strength, lean=-1.0)
    expected = 2 * strength / np.sqrt(planted.DIMENSIONS) * planted.gender_direction(SEED)
    np.testing.assert_allclose(moved, np.tile(expected, (len(WORDS), 1)), atol=1e-12)


def test_gender_by_definition_is_the_same_at_any_strength():
    pair = vectors(0, gender=1.0) - vectors(0, gender=-1.0)
    np.testing.assert_allclose(pair, vectors(2, gender=1.0) - vectors(2, gender=-1.0), atol=1e-12)
    spread = (vectors() @ planted.gender_direction(SEED)).std()
    assert np.linalg.norm(pair[0]) / spread == pytest.approx(16, rel=0.1)


def test_words_are_of_length_one_and_in_no_direction():
    result = vectors()
    lengths = np.linalg.norm(result, axis=1)
    assert lengths.mean() == pytest.approx(np.sqrt(1 + planted.NOISE**2), abs=0.02)
    assert np.linalg.norm(result.mean(axis=0)) < 3 / np.sqrt(len(WORDS))


def test_translations_are_near_each_other_in_sources_that_are_not_rotated():
    other = [f"x{i}" for i in range(400)]
    one, two = vectors(source="en"), vectors(source="de", words=other, concepts=WORDS)
    cosines = (one * two).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    assert cosines.mean() == pytest.approx(1 / (1 + planted.NOISE**2), abs=0.01)


def test_two_sources_have_noise_and_rotations_of_their_own():
    one, two = vectors(source="en"), vectors(source="de")
    cosines = (one * two).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    assert cosines.mean() == pytest.approx(1 / (1 + planted.NOISE**2), abs=0.01)
    assert np.abs(planted.rotation("en", SEED) - planted.rotation("de", SEED)).max() > 0.1


def test_a_rotated_source_keeps_all_products_and_changes_all_vectors():
    straight, turned = vectors(2.0, lean=1.0), vectors(2.0, lean=1.0, is_rotated=True)
    np.testing.assert_allclose(straight @ straight.T, turned @ turned.T, atol=1e-10)
    r = planted.rotation("s", SEED)
    np.testing.assert_allclose(r @ r.T, np.eye(planted.DIMENSIONS), atol=1e-12)
    np.testing.assert_allclose(turned @ r, straight, atol=1e-12)
    assert np.linalg.norm(straight - turned, axis=1).min() > 0.5


def test_a_word_has_the_same_vector_whatever_else_is_asked_for():
    np.testing.assert_array_equal(vectors(1.0)[3], vectors(1.0, words=WORDS[3:4])[0])
    assert vectors(words=[]).shape == (0, planted.DIMENSIONS)
