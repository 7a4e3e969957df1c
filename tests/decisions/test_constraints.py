"""Bounds, rates and violations by hand; what is no problem is refused."""

import numpy as np
import pytest
from tests.refusals import refused

from herbarium.decisions import constraints
from herbarium.decisions.constraints import Problem

PAIRS = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [4, 1]])
LOG_ODDS = np.array([2.0, -1.0, 0.5, 1.0, -3.0])


def problem(rate=(0.5, 0.5), margin=0.25, log_odds=LOG_ODDS, pairs=PAIRS):
    return Problem(np.asarray(log_odds), pairs, np.array(rate), margin)


def test_rates_and_sums_by_hand():
    task = problem()
    decisions = constraints.decided(task.log_odds)
    assert decisions.tolist() == [1, 0, 1, 1, 0]
    assert task.n.tolist() == [4, 2]
    assert task.sums(decisions).tolist() == [3, 1]
    assert task.rates(decisions).tolist() == [0.75, 0.5]
    assert task.of_instances(np.array([1.0, 10.0])).tolist() == [1, 1, 1, 11, 10]
    assert constraints.objective(task, decisions) == 3.5
    assert not task.is_separable
    assert problem(pairs=PAIRS[[0, 1, 2, 3, 5]]).is_separable


def test_bounds_by_hand():
    low, high = problem(margin=0.25).bounds
    assert (low.tolist(), high.tolist()) == ([1, 1], [3, 1])
    assert not problem(margin=0.25).unattainable.any()


def test_where_no_number_is_within_the_margin_the_nearest_is_taken_and_said():
    task = problem(rate=(0.6, 0.3), margin=0.05)
    low, high = task.bounds
    assert low.tolist() == high.tolist() == [2, 1]
    assert task.unattainable.tolist() == [True, True]


def test_the_edge_of_the_margin_is_no_violation():
    task = problem(rate=(0.5, 0.5), margin=0.25)
    assert task.violations(np.array([0.75, 0.25])) == 0
    assert task.violations(np.array([0.7501, 0.2499])) == 2


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"log_odds": [np.inf, 0, 0, 0, 0]}, "log-odds"),
        ({"rate": (1.2, 0.5)}, "rate"),
        ({"rate": (np.nan, 0.5)}, "rate"),
        ({"margin": -0.1}, "margin"),
        ({"margin": 1.1}, "margin"),
        ({"rate": (0.5, 0.5, 0.5)}, "group"),
    ],
)
def test_what_is_no_problem_is_refused(changed, fault):
    with refused(None, fault, kind=ValueError):
        problem(**changed)
