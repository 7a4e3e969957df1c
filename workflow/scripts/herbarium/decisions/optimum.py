"""The exact optimum of Eq. 5.3 for texts whose groups are observed, as a benchmark of the published algorithm.

If no text names two groups, each group is decided separately: the best k positive decisions are those of the k largest
log-odds, and k is the number of positive log-odds, clipped to the bounds. So a threshold per group is optimal. Texts
that name two groups couple them: then it is an integer program, solved by HiGHS.
"""

import numpy as np

from herbarium.core.errors import HerbariumError
from herbarium.decisions.constraints import Problem, decided

_SECONDS = 600  # for HiGHS
_ASIDE = 1e-9  # of a log-odds that is shifted past 0


def log_odds(problem: Problem) -> np.ndarray:
    """(n,) log-odds whose sign is the optimal decision.

    If groups are separate, all log-odds of a group are shifted equally, to halfway between those of the last text on
    either side; texts with equal log-odds that the bound divides are put just above or below 0, in order. Coupled ones
    are shifted by the dual prices of the program's linear relaxation; if a sign is not the decision, as for a text that
    the relaxation divides, it is put just on the other side.

    Raises HerbariumError if no decisions meet all bounds of coupled groups, or none were found in time.
    """
    if problem.is_separable:
        moved = problem.log_odds + problem.of_instances(_shifts(problem))
        return _on_the_side_of(moved, _separate(problem))
    decisions, shifts = _coupled(problem)
    return _on_the_side_of(problem.log_odds + problem.of_instances(shifts), decisions)


def _wanted(problem: Problem) -> np.ndarray:
    """(m,) the optimal number of positive decisions of each group, if groups are separate."""
    return problem.sums(decided(problem.log_odds)).astype(int).clip(*problem.bounds)


def _sorted(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Pairs in the order of groups and, in each, falling log-odds; (m,) the start of each group."""
    order = np.lexsort([-problem.log_odds[problem.instance], problem.group])
    return order, np.cumsum(problem.n) - problem.n


def _separate(problem: Problem) -> np.ndarray:
    decisions = decided(problem.log_odds)  # for instances without a group
    order, first = _sorted(problem)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order)) - np.repeat(first, problem.n)
    decisions[problem.instance] = rank < _wanted(problem)[problem.group]
    return decisions


def _shifts(problem: Problem) -> np.ndarray:
    """(m,) the least shift of a group's log-odds: 0 for a group within its bounds."""
    order, first = _sorted(problem)
    values, wanted = problem.log_odds[problem.instance[order]], _wanted(problem)
    before, behind = (np.clip(first + wanted + offset, first, first + problem.n - 1) for offset in (-1, 0))
    last_in, first_out = values[before], values[behind]
    halfway = (last_in + first_out) / 2
    halfway = np.where(wanted == 0, first_out + 1, np.where(wanted == problem.n, last_in - 1, halfway))
    return np.where(wanted == problem.sums(decided(problem.log_odds)), 0.0, -halfway)


def _on_the_side_of(values: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    return np.where(decided(values) == decisions, values, np.where(decisions, _ASIDE, -_ASIDE))


def _coupled(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """(n,) decisions, and (m,) minus the prices of positive ones."""
    from scipy.optimize import Bounds, LinearConstraint, linprog, milp  # longer to import than most steps take
    from scipy.sparse import csr_array, vstack

    n, m = len(problem.log_odds), len(problem.rate)
    named = csr_array((np.ones(len(problem.pairs)), (problem.group, problem.instance)), shape=(m, n))
    low, high = problem.bounds
    solution = milp(
        -problem.log_odds,
        integrality=np.ones(n),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(named, low, high),
        options={"time_limit": _SECONDS, "mip_rel_gap": 0},
    )
    if solution.status == 2:
        raise HerbariumError(
            "no decisions meet the constraints of all groups at once: texts that name several groups couple them. "
            "Take a wider margin, or only texts with a prefix."
        )
    if solution.status != 0:
        raise HerbariumError(
            f"the optimum of {n} coupled texts was not found in {_SECONDS} seconds ({solution.message})."
        )
    relaxed = linprog(
        -problem.log_odds, vstack([named, -named]), np.concatenate([high, -low]), bounds=(0, 1), method="highs"
    )
    upper, lower = np.split(relaxed.ineqlin.marginals, 2)  # at most 0
    return np.round(solution.x), upper - lower
