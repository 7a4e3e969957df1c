"""Posterior regularisation: the distribution nearest to a model's whose expected rates are within the margin.

Zhao (2021), thesis, Section 5.2.3. q minimises KL(q‖p) subject to |B(q) − b*| ≤ γ for every group (Eqs. 5.9, 5.10);
q_i(y) ∝ p_i(y) exp(−λ · φ_i(y)) (Eq. 5.12), where λ ≥ 0 maximises −Σ_i log Z_i(λ) (Eq. 5.13, with c = 0). For a text
of a group with rate b, φ is (1 − b − γ, −1 + b − γ) for a positive label and (−b − γ, b − γ) for a negative one: the
upper and the lower bound. So q shifts the log-odds of a text by λ_lower − λ_upper of its groups.

It constrains expected rates. Hard decisions by q can still violate the constraints, as the thesis itself points out.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit

from herbarium.decisions.constraints import Problem, coefficients

BATCH, EPOCHS, RATE, DECAY = 39, 10, 0.1, 0.998  # of the thesis, Section 5.2.6
_HALVINGS = 60  # after which a bracket is as narrow as double precision allows
_WIDEST = 700.0  # nats, beyond which probabilities are 0 and 1


def log_odds(problem: Problem) -> np.ndarray:
    """(n,) log-odds of q.

    If groups are separate, the dual splits into one equation per group, B(q) = the nearest end of the margin, solved by
    bisection for all groups at once. Else the dual is maximised jointly (L-BFGS-B). A bound of 0 or 1, or beyond,
    constrains nothing, or is met only in the limit: rates then come as near as double precision allows.
    """
    shifts = _separate(problem) if problem.is_separable else _coupled(problem)
    return problem.log_odds + problem.of_instances(shifts)


def _separate(problem: Problem) -> np.ndarray:
    target = problem.rates(expit(problem.log_odds)).clip(problem.rate - problem.margin, problem.rate + problem.margin)
    is_met = target == problem.rates(expit(problem.log_odds))
    low, high = np.full(len(target), -_WIDEST), np.full(len(target), _WIDEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = problem.rates(expit(problem.log_odds + problem.of_instances(middle))) < target
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.where(is_met, 0.0, (low + high) / 2)


def dual(problem: Problem, multipliers: np.ndarray) -> tuple[float, np.ndarray]:
    """−Σ_i log Z_i(λ) (Eq. 5.13) and its gradient, (2, m). multipliers: (2, m), λ of upper and lower bounds."""
    phi = coefficients(problem.rate, problem.margin)
    positive, negative = (problem.of_instances((multipliers * phi[:, side]).sum(axis=0)) for side in (0, 1))
    log_p, log_not = -np.logaddexp(0, -problem.log_odds), -np.logaddexp(0, problem.log_odds)
    log_z = np.logaddexp(log_p - positive, log_not - negative)
    q = problem.sums(expit(problem.log_odds - positive + negative))
    return -float(log_z.sum()), phi[:, 0] * q + phi[:, 1] * (problem.n - q)


def _coupled(problem: Problem) -> np.ndarray:
    upper, lower = maximise(partial(dual, problem), len(problem.rate))
    return lower - upper


def maximise(dual: Callable[[np.ndarray], tuple[float, np.ndarray]], m: int) -> np.ndarray:
    """(2, m) λ, of upper and lower bounds, that maximise a dual. dual: its value and gradient, both of (2, m) λ."""
    from scipy.optimize import minimize  # longer to import than most steps take

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = dual(flat.reshape(2, m))
        return -value, -gradient.ravel()

    solution = minimize(
        loss,
        np.zeros(2 * m),
        jac=True,
        bounds=[(0, _WIDEST)] * (2 * m),
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9},
    )
    return solution.x.reshape(2, m)


def published(problem: Problem, random: np.random.Generator) -> np.ndarray:
    """(n,) log-odds of q, with λ found as in the thesis: Adam (Kingma and Ba 2015) on batches of 39 instances, 10
    epochs, a rate of 0.1 that falls by 0.998 per batch, λ kept at 0 or above."""
    phi, multipliers = coefficients(problem.rate, problem.margin), np.zeros((2, len(problem.rate)))
    first, second = np.zeros_like(multipliers), np.zeros_like(multipliers)
    by_instance = np.argsort(problem.instance, kind="stable")
    begins = np.searchsorted(problem.instance[by_instance], np.arange(len(problem.log_odds) + 1))
    step, rate = 0, RATE
    for _ in range(EPOCHS):
        order = random.permutation(len(problem.log_odds))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = by_instance[np.concatenate([np.arange(begins[i], begins[i + 1]) for i in batch])]
            place = np.repeat(np.arange(len(batch)), begins[batch + 1] - begins[batch])
            group = problem.group[rows]
            price = (multipliers * phi[:, 0] - multipliers * phi[:, 1]).sum(axis=0)
            q = expit(problem.log_odds[batch] - np.bincount(place, price[group], minlength=len(batch)))
            gradient = np.zeros_like(multipliers)
            for bound in (0, 1):
                of_pair = phi[bound, 0, group] * q[place] + phi[bound, 1, group] * (1 - q[place])
                gradient[bound] = np.bincount(group, of_pair, minlength=len(problem.rate))
            step += 1
            first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
            ahead = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            multipliers = np.maximum(0, multipliers + rate * ahead)
            rate *= DECAY
    upper, lower = multipliers
    return problem.log_odds + problem.of_instances(lower - upper)
