"""Decisions within constraints, of a million texts in 250 groups (`make bench`).

Each way to decide beside its floor. Of the optimum and of posterior regularisation that is one sort of the log-odds
by group; of RBA as many bare rounds as it has iterations, each of which adds a price to every log-odds and counts by
group what is positive. Memory is what was allocated at most while it ran, over what it was given: log-odds and pairs.
"""

import tracemalloc
from dataclasses import replace

import numpy as np
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.core.random import stream
from herbarium.decisions.constraints import Problem
from herbarium.decisions.lagrangian import ITERATIONS
from herbarium.decisions.names import EXACT, POSTERIOR, RBA, RBA_PAPER
from herbarium.decisions.recipes import decide

TEXTS, GROUPS = size(1_000_000, 1_000), size(250, 5)
MARGIN = 0.01


def problem() -> Problem:
    """A classifier doubles how far the log-odds of a group are from even, so that most constraints are violated."""
    random = np.random.default_rng(0)
    group = random.integers(GROUPS, size=TEXTS)
    lean = random.normal(size=GROUPS)
    pairs = np.column_stack([np.arange(TEXTS), group])
    return Problem(2 * lean[group] + random.logistic(size=TEXTS), pairs, 1 / (1 + np.exp(-lean)), MARGIN)


def main() -> None:
    task = problem()
    sort, _ = timed(lambda: np.lexsort([task.log_odds, task.group]))

    def rounds(times: int) -> None:
        price = np.zeros(GROUPS)
        for _ in range(times):
            is_positive = task.log_odds + price[task.group] > 0
            price += np.bincount(task.group, is_positive, minlength=GROUPS) * 0

    one, _ = timed(lambda: rounds(10))
    one /= 10
    given = task.log_odds.nbytes + task.pairs.nbytes
    say(f"{TEXTS:,} texts, {GROUPS} groups {'time':>18} {'of its floor':>14} {'memory':>8}")
    for method in (EXACT, POSTERIOR, RBA, RBA_PAPER):
        again = replace(task)  # without what the last one has cached
        seconds, decisions = timed(lambda method=method, again=again: decide(method, again, stream(0, method)))
        tracemalloc.start()
        decide(method, task, stream(0, method))
        memory = tracemalloc.get_traced_memory()[1] / given
        tracemalloc.stop()
        rounds_run = None if decisions.violations is None else len(decisions.violations)
        floor = sort if rounds_run is None else one * rounds_run
        peer = "one sort" if rounds_run is None else "bare rounds"
        run = "" if rounds_run is None else f", {rounds_run} of {ITERATIONS + 1} rounds"
        say(
            f"    {method + run:38} {seconds:8.2f} s {seconds / floor:12.2f} {memory:8.1f}",
            Figure(method, seconds, "s"),
            Figure(method, seconds / floor, peer=peer),
            Figure(f"memory of {method}", memory, peer="log-odds and pairs"),
        )


if __name__ == "__main__":
    main()
