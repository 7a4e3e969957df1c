"""Posterior regularisation: the dual against a literal transcription, its gradient, and the two ways to solve it."""

import math

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit
from tests.decisions import toy

from herbarium.decisions import posterior
from herbarium.decisions.constraints import decided


def literal_dual(task, upper, lower):
    """−Σ log Z_i(λ), Eq. 5.13, text by text."""
    total = 0.0
    for text, log_odds in enumerate(task.log_odds):
        p = {1: 1 / (1 + math.exp(-log_odds)), 0: 1 - 1 / (1 + math.exp(-log_odds))}
        z = 0.0
        for label in (0, 1):
            exponent = 0.0
            for g in (int(g) for i, g in task.pairs if i == text):
                b, gamma = task.rate[g], task.margin
                phi_upper = 1 - b - gamma if label else -b - gamma
                phi_lower = -1 + b - gamma if label else b - gamma
                exponent -= upper[g] * phi_upper + lower[g] * phi_lower
            z += p[label] * math.exp(exponent)
        total -= math.log(z)
    return total


@pytest.mark.parametrize("coupled", [0, 6])
def test_the_dual_and_its_gradient(coupled):
    task = toy.problem(1, [10, 14, 8], coupled=coupled)
    multipliers = np.random.default_rng(0).uniform(0, 1, (2, 3))
    value, gradient = posterior.dual(task, multipliers)
    assert value == pytest.approx(literal_dual(task, *multipliers), rel=1e-12)
    slopes = optimize.approx_fprime(multipliers.ravel(), lambda flat: posterior.dual(task, flat.reshape(2, 3))[0], 1e-6)
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-4)


def test_expected_rates_are_within_the_margin_and_at_its_end_where_they_were_outside():
    for seed in range(5):
        task = toy.problem(seed, [30, 50, 40])
        before, after = (task.rates(expit(values)) for values in (task.log_odds, posterior.log_odds(task)))
        assert task.violations(after) == 0
        was_outside = np.abs(before - task.rate) > task.margin
        assert was_outside.any()
        np.testing.assert_allclose(np.abs(after - task.rate)[was_outside], task.margin, atol=1e-9)
        np.testing.assert_array_equal(after[~was_outside], before[~was_outside])


def test_both_ways_to_solve_the_dual_agree_where_groups_are_separate():
    task = toy.problem(2, [30, 50, 40])
    np.testing.assert_allclose(posterior._coupled(task), posterior._separate(task), atol=1e-3)


def test_coupled_groups_are_within_the_margin_too():
    task = toy.problem(4, [60, 70, 80], coupled=50)
    rates = task.rates(expit(posterior.log_odds(task)))
    assert (task.excess(rates) < 1e-5).all()
    assert (task.excess(task.rates(expit(task.log_odds))) > 0.01).any()


def test_adam_as_published_comes_near_the_exact_dual():
    task = toy.problem(6, [150, 200, 180])
    exact, adam = posterior.log_odds(task), posterior.published(task, np.random.default_rng(0))
    far = np.abs(task.log_odds - exact).max()
    assert far > 0.3
    assert np.abs(adam - exact).max() < far / 2


def literal_adam(task, random):
    """As the thesis says (Section 5.2.6), text by text: log-odds of q."""
    m, gamma = len(task.rate), task.margin
    groups = [[int(g) for i, g in task.pairs if i == text] for text in range(len(task.log_odds))]
    phi = {  # (bound, label): of each group
        ("upper", 1): [1 - b - gamma for b in task.rate],
        ("upper", 0): [-b - gamma for b in task.rate],
        ("lower", 1): [-1 + b - gamma for b in task.rate],
        ("lower", 0): [b - gamma for b in task.rate],
    }
    keys = [(bound, g) for bound in ("upper", "lower") for g in range(m)]
    multipliers, first, second = (dict.fromkeys(keys, 0.0) for _ in range(3))

    def moved(text):
        price = sum(
            multipliers[bound, g] * (phi[bound, 1][g] - phi[bound, 0][g])
            for g in groups[text]
            for bound in ("upper", "lower")
        )
        return task.log_odds[text] - price

    step, rate = 0, 0.1
    for _ in range(10):
        order = random.permutation(len(task.log_odds))
        for start in range(0, len(order), 39):
            gradient = dict.fromkeys(keys, 0.0)
            for text in order[start : start + 39]:
                q = 1 / (1 + math.exp(-moved(text)))
                for g in groups[text]:
                    for bound in ("upper", "lower"):
                        gradient[bound, g] += q * phi[bound, 1][g] + (1 - q) * phi[bound, 0][g]
            step += 1
            for key in keys:
                first[key] = 0.9 * first[key] + 0.1 * gradient[key]
                second[key] = 0.999 * second[key] + 0.001 * gradient[key] ** 2
                ahead = first[key] / (1 - 0.9**step) / (math.sqrt(second[key] / (1 - 0.999**step)) + 1e-8)
                multipliers[key] = max(0.0, multipliers[key] + rate * ahead)
            rate *= 0.998
    return [moved(text) for text in range(len(task.log_odds))]


@pytest.mark.parametrize("coupled", [0, 9])
def test_adam_as_published_against_a_literal_transcription(coupled):
    task = toy.problem(7, [30, 20, 25], coupled=coupled)
    result = posterior.published(task, np.random.default_rng(1))
    np.testing.assert_allclose(result, literal_adam(task, np.random.default_rng(1)), rtol=1e-9)


def test_decisions_by_a_calibrated_distribution_can_still_violate_constraints():
    left = sum(
        task.violations(task.rates(decided(posterior.log_odds(task))))
        for task in (toy.problem(seed, [100, 150, 200]) for seed in range(10))
    )
    assert left > 10
