"""A toy of the first figure: two metrics, two planted models and one that is far from both."""

import pandas as pd

from herbarium.report.answers import answer, table

PLANTED = {"none": 0.0, "strong": 2.0}
ROWS = pd.DataFrame(
    [("none", 0.0, -0.1, 0.1), ("strong", 2.0, 1.8, 2.2), ("$mine$", 50.0, 40.0, 60.0)],
    columns=["model", "estimate", "ci_low", "ci_high"],
)


def drawn():
    lean_answer = answer("Lean", "How far.", "nats", "lean", ROWS, PLANTED)
    other = answer("Share <b>", "How often.", "per cent", "share", ROWS[:2].assign(estimate=50.0), PLANTED, 50.0)
    return table([lean_answer, other])


def with_published():
    rows = ROWS.assign(published=[None, 1.0, 60.0], source="Ours et al., Table 1")
    return table([answer("Lean", "How far.", "nats", "lean", rows, PLANTED)])


TOYS = {"answers": lambda: (with_published(),)}
