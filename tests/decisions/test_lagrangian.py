"""RBA: the loop against a slow literal transcription of Eqs. 5.4 and 5.5, and of the released code's reading."""

import pytest
from tests.decisions import toy

from herbarium.decisions import lagrangian
from herbarium.decisions.constraints import decided


def literal(task, variant, step, iterations):
    """Text by text and output by output: the label of each text, violations along the way."""
    n, m = len(task.log_odds), len(task.rate)
    groups = [[int(g) for i, g in task.pairs if i == text] for text in range(n)]
    b, gamma = task.rate, task.margin
    a_upper = [{1: 1 - b[g] - gamma, 0: -(b[g] + gamma)} for g in range(m)]  # A of (group, label)
    a_lower = [{1: b[g] - gamma - 1, 0: b[g] - gamma} for g in range(m)]
    upper, lower = [0.0] * m, [0.0] * m
    labels = [int(task.log_odds[text] > 0) for text in range(n)]
    path = []
    for iteration in range(iterations + 1):
        new = []
        for text in range(n):
            score = {1: task.log_odds[text], 0: 0.0}  # a fresh copy
            for label in (0, 1):
                if variant == lagrangian.RELEASED and label != labels[text]:
                    continue
                for g in groups[text]:
                    score[label] -= upper[g] * a_upper[g][label] + lower[g] * a_lower[g][label]
            new.append(int(score[1] > score[0]))
        labels = new
        sums = {
            of_bound: [sum(a[g][labels[text]] for text in range(n) if g in groups[text]) for g in range(m)]
            for of_bound, a in (("upper", a_upper), ("lower", a_lower))
        }
        path.append(sum(sums["upper"][g] > 1e-9 or sums["lower"][g] > 1e-9 for g in range(m)))
        if not path[-1] or iteration == iterations:
            return labels, path
        for g in range(m):
            upper[g] = max(0.0, upper[g] + step * sums["upper"][g])
            lower[g] = max(0.0, lower[g] + step * sums["lower"][g])
    return None


@pytest.mark.parametrize("variant", [lagrangian.PAPER, lagrangian.RELEASED])
@pytest.mark.parametrize("coupled", [0, 5])
def test_the_loop_against_a_literal_transcription(variant, coupled):
    for seed in range(3):
        task = toy.problem(seed, [12, 20, 7], coupled=coupled)
        result = lagrangian.of_texts(task, variant, step=0.05, iterations=15)
        labels, path = literal(task, variant, step=0.05, iterations=15)
        assert decided(result.output).tolist() == labels
        assert result.violations.tolist() == path


def test_nothing_changes_where_nothing_is_violated():
    task = toy.problem(0, [20, 30], margin=1.0)
    for variant in (lagrangian.PAPER, lagrangian.RELEASED, lagrangian.OWN):
        result = lagrangian.of_texts(task, variant)
        assert result.output.tolist() == task.log_odds.tolist()
        assert (result.converged, result.iteration, result.violations.tolist()) == (True, 0, [0])


def test_of_our_own_the_best_iterate_is_kept():
    for seed in range(5):
        task = toy.problem(seed, [40, 80, 60, 25])
        result = lagrangian.of_texts(task, lagrangian.OWN)
        assert task.violations(task.rates(decided(result.output))) == result.violations.min()
        assert result.converged == (result.violations.min() == 0)


def test_with_shrinking_steps_fewer_constraints_stay_violated_than_as_published():
    left = dict.fromkeys((lagrangian.PAPER, lagrangian.OWN), 0)
    for seed in range(10):
        task = toy.problem(seed, [40, 100, 200, 350, 60, 120])
        for variant in left:
            left[variant] += task.violations(task.rates(decided(lagrangian.of_texts(task, variant).output)))
    assert left[lagrangian.OWN] < left[lagrangian.PAPER] / 3
