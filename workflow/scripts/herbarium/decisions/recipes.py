"""Methods of deciding within constraints, by name (`names`)."""

from typing import NamedTuple

import numpy as np

from herbarium.decisions import lagrangian, optimum, posterior
from herbarium.decisions.constraints import Problem
from herbarium.decisions.names import EXACT, POSTERIOR, POSTERIOR_PAPER, RBA, RBA_PAPER, RBA_RELEASED

LAGRANGIAN = {RBA_PAPER: lagrangian.PAPER, RBA_RELEASED: lagrangian.RELEASED, RBA: lagrangian.OWN}


class Decided(NamedTuple):
    """log_odds: (n,) whose signs are the decisions. violations: along the iterations, for methods with iterations."""

    log_odds: np.ndarray
    violations: np.ndarray | None = None


def decide(method: str, problem: Problem, random: np.random.Generator) -> Decided:
    """By one of `names.METHODS`. random: for methods that draw. Raises HerbariumError if `EXACT` finds no solution."""
    if method in LAGRANGIAN:
        solution = lagrangian.of_texts(problem, LAGRANGIAN[method])
        return Decided(solution.output, solution.violations)
    if method == POSTERIOR_PAPER:
        return Decided(posterior.published(problem, random))
    return Decided({EXACT: optimum.log_odds, POSTERIOR: posterior.log_odds}[method](problem))
