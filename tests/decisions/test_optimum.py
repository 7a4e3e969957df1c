"""The optimum: against all decisions tried one by one, and never beaten by another way to decide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decisions import toy
from tests.refusals import refused

from herbarium.decisions import names, optimum, recipes
from herbarium.decisions.constraints import Problem, decided, objective


@pytest.mark.parametrize("coupled", [0, 3])
def test_it_is_the_best_of_all_decisions(coupled):
    tried = 0
    for seed in range(12):
        task = toy.problem(seed, [4, 3, 4], margin=0.2, coupled=coupled)
        wanted = toy.best(task)
        if wanted is None:
            with refused(None, "constraints"):
                optimum.log_odds(task)
            continue
        decisions = decided(optimum.log_odds(task))
        assert objective(task, decisions) == pytest.approx(wanted, abs=1e-9)
        low, high = task.bounds
        assert ((task.sums(decisions) >= low) & (task.sums(decisions) <= high)).all()
        tried += 1
    assert tried >= 6


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), margin=st.sampled_from([0.02, 0.05, 0.2]))
def test_it_is_never_beaten(seed, margin):
    task = toy.problem(seed, [30, 45, 20], margin)
    best = objective(task, decided(optimum.log_odds(task)))
    low, high = task.bounds
    for method in names.METHODS:
        decisions = decided(recipes.decide(method, task, np.random.default_rng(0)).log_odds)
        sums = task.sums(decisions)
        if ((sums >= low) & (sums <= high)).all():
            assert objective(task, decisions) <= best + 1e-9


def test_the_integer_program_agrees_with_thresholds_where_groups_are_separate():
    task = toy.problem(3, [25, 30, 18])
    coupled, _ = optimum._coupled(task)
    assert coupled.tolist() == decided(optimum.log_odds(task)).tolist()


def test_coupled_texts_are_shifted_to_the_side_of_their_decisions():
    """By the prices of the linear relaxation, which divides no more texts than there are groups."""
    task = toy.problem(4, [60, 70, 80], coupled=50)
    decisions, shifts = optimum._coupled(task)
    before, after = (decided(task.log_odds + moved) != decisions for moved in (0.0, task.of_instances(shifts)))
    assert after.sum() <= 3 < before.sum()


def test_the_order_of_texts_and_groups_makes_no_difference():
    task = toy.problem(5, [20, 30, 15])
    random = np.random.default_rng(0)
    texts, groups = random.permutation(len(task.log_odds)), random.permutation(3)
    place, named = np.argsort(texts), np.argsort(groups)
    pairs = np.column_stack([place[task.instance], named[task.group]])
    other = Problem(task.log_odds[texts], random.permutation(pairs), task.rate[groups], task.margin)
    for method in names.METHODS:
        if method == names.POSTERIOR_PAPER:
            continue  # it draws batches
        one, two = (recipes.decide(method, each, None).log_odds for each in (task, other))
        np.testing.assert_allclose(two, one[texts], atol=1e-9)


def test_a_group_is_moved_as_a_whole_and_no_further_than_needed():
    log_odds = np.array([3.0, 2.0, 1.0, 0.5, -1.0, -2.0])
    task = Problem(log_odds, np.column_stack([np.arange(6), np.zeros(6, int)]), np.array([0.3]), 0.05)
    assert (optimum.log_odds(task) - log_odds).tolist() == pytest.approx([-1.5] * 6)
    task = Problem(log_odds, task.pairs, np.array([0.6]), 0.1)  # four of six are within it
    assert optimum.log_odds(task).tolist() == log_odds.tolist()
    for rate, sign in ((0.0, -1), (1.0, 1)):
        moved = optimum.log_odds(Problem(log_odds, task.pairs, np.array([rate]), 0.05))
        assert (np.sign(moved) == sign).all()


def test_texts_of_equal_log_odds_are_divided():
    task = Problem(np.ones(4), np.column_stack([np.arange(4), np.zeros(4, int)]), np.array([0.5]), 0.01)
    assert decided(optimum.log_odds(task)).tolist() == [1, 1, 0, 0]
