"""What makes rows of several taggers: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.tagging import test_published

from herbarium.core.resources import read_table
from herbarium.metrics.tagging import published

FIGURES = read_table("resources/tagging/published.csv", ["value"])


ASSEMBLED = [
    Assembly(
        published.table,
        lambda: published.table(test_published.ours(), FIGURES, test_published.STATES, test_published.TRAINING),
        rows={"model": "bert"},
        nothing={"variant": "f1", "unit": "all", "group": "german/all"},
    ),
    Assembly(
        published.beside,
        lambda: test_published.test_ours_stand_where_their_state_and_training_belong(FIGURES),
        rows={"model": "turned"},
    ),
]
