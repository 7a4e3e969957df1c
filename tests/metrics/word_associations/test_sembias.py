"""SemBias against slow literal readings, and on the authors' file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from herbarium.metrics.word_associations import along, lists, sembias
from herbarium.metrics.word_associations.sembias import DEFINITION, LEFT_OUT, NONE, OUTCOMES, STEREOTYPE, TIED

OWN = lists.read_sembias(Path("resources/word_associations/sembias"))


def literally(cosines, instances):
    """The outcome of each instance in words: the category of the pair with the largest cosine; ties are none's."""
    values = []
    for definition, one, other, stereotype in instances.rows.tolist():
        best = {
            DEFINITION: cosines[definition],
            NONE: max(cosines[one], cosines[other]),
            STEREOTYPE: cosines[stereotype],
        }
        first = [name for name, value in best.items() if abs(value - max(best.values())) < 1e-9]
        values.append(first[0] if len(first) == 1 else TIED)
    return values


@settings(max_examples=20)
@given(st.integers(0, 1000), st.booleans())
def test_outcomes_are_those_of_the_largest_cosine(seed, is_coarse):
    cosines = np.random.default_rng(seed).uniform(-1, 1, len(OWN.pairs))
    cosines = cosines.round(1) if is_coarse else cosines
    result = sembias.outcomes(cosines, OWN.rows)
    assert [OUTCOMES[place] for place in result] == literally(cosines, OWN)
    shares = sembias.shares(result)
    assert shares.sum() == pytest.approx(1)
    assert shares[OUTCOMES.index(TIED)] > 0 or not is_coarse


def test_equal_pairs_are_a_failure_and_what_has_no_vector_is_left_out():
    cosines = np.zeros(len(OWN.pairs))
    values = sembias.outcomes(cosines, OWN.rows)
    assert sembias.shares(values)[OUTCOMES.index(TIED)] == 1
    of_none = np.where(np.array(OWN.category) == NONE, 0.5, 0.0)  # both pairs of an instance: one category
    assert sembias.shares(sembias.outcomes(of_none, OWN.rows))[OUTCOMES.index(NONE)] == 1
    cosines[0] = np.nan
    assert (sembias.outcomes(cosines, OWN.rows) == LEFT_OUT).sum() == (OWN.rows[:, 0] == 0).sum()
    assert np.isnan(sembias.shares(np.full(3, LEFT_OUT))).all()
    random = np.random.default_rng(0)
    differences, direction = random.normal(size=(5, 4)), np.array([0.0, 0.6, 0.8, 0.0])
    slow = [difference @ direction / np.sqrt((difference**2).sum()) for difference in differences]
    np.testing.assert_allclose(sembias.cosines(differences, direction), slow)
    assert np.isnan(sembias.cosines(np.zeros((1, 4)), direction)).all()


def test_the_product_has_every_pair_with_every_other_and_two_that_are_neither():
    rows = OWN.rows
    assert len(np.unique(rows[:, [0, 3]], axis=0)) == len(OWN) == 400
    assert (rows[:, 1] != rows[:, 2]).all()
    counts = np.bincount(rows[:, 1:3].ravel())
    counts = counts[counts > 0]
    assert len(counts) == 24
    assert counts.max() - counts.min() <= 8
    held_out = {OWN.pairs[number] for number in rows[OWN.in_subset, 0]}
    assert held_out == {("landlord", "landlady"), ("sorcerer", "sorceress")}


def test_a_pair_in_either_order_is_one_unit():
    instances = sembias.Instances(
        [("a", "b"), ("cat", "dog"), ("dog", "cat"), ("c", "d")], np.array([[0, 1, 2, 3]]), np.zeros(1, dtype=bool)
    )
    assert instances.units.tolist() == [0, 1, 1, 2]
    assert instances.category == [DEFINITION, NONE, NONE, STEREOTYPE]
    part = OWN.of(OWN.in_subset)
    assert len(part) == 40
    assert [part.pairs[number] for number in part.rows[0]] == [
        OWN.pairs[number] for number in OWN.rows[OWN.in_subset][0]
    ]


def test_along_directions_that_mean_nothing_a_quarter_is_of_definition_pairs():
    random = np.random.default_rng(1)
    differences = random.normal(size=(len(OWN.pairs), 60))
    drawn = sembias.shares_at_random(differences, OWN, along.at_random(60, random))
    np.testing.assert_allclose(drawn.mean(axis=0), [0.25, 0.25, 0.5, 0], atol=0.02)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    # blocks are no part of the result
    few = along.at_random(60, random)[:50]
    slow = [sembias.shares(sembias.outcomes(sembias.cosines(differences, direction), OWN.rows)) for direction in few]
    np.testing.assert_array_equal(sembias.shares_at_random(differences, OWN, few), slow)


def test_pairs_that_have_something_in_common_vary_more_at_random():
    """Which a null that deals out the labels of pairs does not know of."""
    random = np.random.default_rng(2)
    differences = random.normal(size=(len(OWN.pairs), 60))
    of_definition = np.array(OWN.category) == DEFINITION
    alike = differences + 2 * np.outer(of_definition, random.normal(size=60))
    plain, common = (
        sembias.shares_at_random(vectors_of_pairs, OWN, along.at_random(60, random))[:, 0].std()
        for vectors_of_pairs in (differences, alike)
    )
    assert common > 1.5 * plain


def test_lean_is_of_each_pair_once():
    cosines = np.random.default_rng(3).normal(size=(2, len(OWN.pairs)))
    cosines[:, OWN.rows[0, 3]] = np.nan
    lean = sembias.lean(STEREOTYPE, cosines, OWN)
    assert lean.shape == (2, 19)
    twice = sembias.standardised(np.array([[1.0, 3.0], [2.0, 6.0], [1.0, 1.0]]))
    np.testing.assert_allclose(twice, [2, 2, 0])  # no unit


def test_the_authors_file(shared):
    theirs = lists.read_sembias(shared / "data/sembias/SemBias")
    assert len(theirs) == 440
    counts = {name: theirs.category.count(name) for name in sembias.CATEGORIES}
    assert counts == {DEFINITION: 22, STEREOTYPE: 20, NONE: 29}
    assert len(np.unique(theirs.rows[:, [0, 3]], axis=0)) == 440
    held_out = {theirs.pairs[number] for number in theirs.rows[theirs.in_subset, 0]}
    assert held_out == {("rake", "coquette"), ("nobleman", "noblewoman")}
    assert len(set(theirs.units)) == 22 + 20 + 24  # five pairs that are neither stand in both orders
    rows, own = (
        {tuple(frozenset(instances.pairs[number]) for number in row) for row in instances.rows}
        for instances in (theirs, OWN)
    )
    assert not rows & own
