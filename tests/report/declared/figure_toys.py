"""Toys of the figure of a metric that declares itself."""

import pandas as pd
from tests.drawing.marks import BOUNDS

from herbarium.report.declared import numbers
from herbarium.statistics.tidy import tidy

MODELS = [{"name": "real", "planted": None}, {"name": "strong", "planted": 2.0}, {"name": "none", "planted": 0.0}]


def tidy_rows():
    rows = pd.DataFrame(
        {
            "model": ["real", "real", "strong", "strong", "none", "none"],
            "variant": ["work", "mind"] * 3,
            "estimate": [0.2, -0.4, 1.5, 0.9, 0.01, None],
            "std_error": [0.1, 0.1, 0.1, 0.1, 0.1, None],
            "ci_low": [0.0, -0.6, 1.3, 0.7, -0.2, None],
            "ci_high": [0.4, -0.2, 1.7, 1.1, 0.2, None],
            "p_value": [0.05, 0.001, 1e-9, 1e-6, 0.9, None],
            "p_adjusted": [0.05, 0.002, 2e-9, 1e-6, 0.9, None],
            "n": [20] * 6,
            "note": [None] * 5 + ["too few words"],
        }
    )
    return tidy(rows.assign(metric="mine", definition="own", unit="topic", group="all"))


def a_toy():
    return numbers.table(tidy_rows(), MODELS, "Mine"), "Mine", "difference", 0.0


TOYS = {"numbers": a_toy}
MARKS = {"numbers": ("estimate", "x", BOUNDS)}
