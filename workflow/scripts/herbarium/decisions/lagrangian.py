"""RBA: decisions under corpus-level constraints by Lagrangian relaxation (Zhao 2021, thesis, Section 5.1.3).

The algorithm is a loop around any inference that can charge prices (Eqs. 5.4 and 5.5): an output that counts as
(activity o, man) costs λ_o · A(o, man), one that counts as (o, woman) λ_o · A(o, woman). The rows of A
are those of Eq. 5.2 for activity o with rate b and margin γ:

    upper: (1 − b − γ) M − (b + γ) W ≤ 0        lower: (b − γ − 1) M + (b − γ) W ≤ 0.

Three variants:
- `PAPER`: multipliers grow by η times the sums over the corpus; the last iterate is taken.
- `RELEASED`: as the authors' code (github.com/uclanlp/reducingbias). Only the outputs of the current best structure are
  charged, each time on a fresh copy of the scores, whereas Eq. 5.5 charges all outputs.
- `OWN`: the step of an activity is divided by its size and shrinks with the iterations, and the iterate with the fewest
  violated constraints is kept, among equals the one with the best objective. Fixed steps on raw sums oscillate.

All of them use the corpus that they decide, though not its labels: they are transductive.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from herbarium.decisions.constraints import Problem, coefficients, decided

PAPER, RELEASED, OWN = "paper", "released", "own"
STEP = 0.1  # η of the thesis
ITERATIONS = 100  # of the thesis
# Of `OWN`: multipliers are in nats, and rates differ by tenths, so that the first steps are of about a nat.
_FIRST_STEP = 8.0
_LATER = 10  # iterations after which steps have halved
_ROUNDING = 1e-9


class Prices(NamedTuple):
    """(m,) the price of an output that counts as a man, or a woman, of each activity."""

    man: np.ndarray
    woman: np.ndarray


def prices_of(rows: np.ndarray, multipliers: np.ndarray) -> Prices:
    """Σ_j λ_j A_j of Eq. 5.4. rows: of `constraints.coefficients`. multipliers: (2, m), λ of upper and lower bounds."""
    return Prices(*np.einsum("bm,bsm->sm", multipliers, rows))


class Counts(NamedTuple):
    """(m,) outputs that count as a man, or a woman, of each activity; and the sum of their scores without prices."""

    men: np.ndarray
    women: np.ndarray
    objective: float


class Solution(NamedTuple):
    """Multipliers and their results.

    prices: of the solution. output: of the inference for them. violations, objective: (n_iterations + 1,) along the
    iterations, without prices first. iteration: that of the solution. converged: whether no constraint is violated.
    """

    prices: Prices
    output: object
    violations: np.ndarray
    objective: np.ndarray
    iteration: int
    converged: bool


def solve(
    infer: Callable[[Prices], tuple[object, Counts]],
    rate: np.ndarray,
    margin: float,
    variant: str,
    step: float = STEP,
    iterations: int = ITERATIONS,
) -> Solution:
    """Run the loop: it ends when all constraints are met, or after the given number of iterations.

    infer: the best output of every instance under prices, and its counts; for `RELEASED`, one that remembers its last
    output. rate: (m,) b*. margin: γ. step: η, for PAPER and RELEASED.
    """
    rows = coefficients(rate, margin)
    multipliers = np.zeros((2, len(rate)))
    violations, objectives = [], []
    best = None
    for iteration in range(iterations + 1):
        prices = prices_of(rows, multipliers)
        output, counts = infer(prices)
        amounts = rows[:, 0] * counts.men + rows[:, 1] * counts.women  # (bound, m), above 0 where violated
        violations.append(int((amounts > _ROUNDING).any(axis=0).sum()))
        objectives.append(counts.objective)
        candidate = (violations[-1], -counts.objective, iteration, prices, output)
        if variant != OWN or best is None or candidate[:2] < best[:2]:
            best = candidate
        if not violations[-1]:
            break
        if variant == OWN:
            n = np.maximum(counts.men + counts.women, 1)
            multipliers = np.maximum(0, multipliers + _FIRST_STEP / (1 + iteration / _LATER) * amounts / n)
        else:
            multipliers = np.maximum(0, multipliers + step * amounts)
    left, _, iteration, prices, output = best
    return Solution(prices, output, np.array(violations), np.array(objectives), iteration, not left)


def of_texts(problem: Problem, variant: str, step: float = STEP, iterations: int = ITERATIONS) -> Solution:
    """For texts whose groups are observed; `output` is their log-odds with prices, (n,): decisions are `decided`."""
    current = decided(problem.log_odds)

    def charged(prices: Prices) -> np.ndarray:
        if variant != RELEASED:
            return problem.log_odds - problem.of_instances(prices.man - prices.woman)
        man, woman = map(problem.of_instances, prices)
        return problem.log_odds - np.where(current, man, -woman)

    def infer(prices: Prices) -> tuple[np.ndarray, Counts]:
        nonlocal current
        log_odds = charged(prices)
        current = decided(log_odds)
        men = problem.sums(current)
        return log_odds, Counts(men, problem.n - men, float(problem.log_odds @ current))

    return solve(infer, problem.rate, problem.margin, variant, step, iterations)
