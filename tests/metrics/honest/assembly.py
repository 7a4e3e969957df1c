"""What makes rows of several models and numbers of completions: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.honest.figure_toys import LEANS, observations

from herbarium.metrics.honest import numbers

ASSEMBLED = [
    Assembly(
        numbers.changes,
        lambda: numbers.changes(
            "few",
            [("none", "strong", "none", "strong")],
            {model: observations(lean) for model, lean in LEANS.items()},
            0.95,
        ),
        rows={"model": "strong"},
    ),
]
