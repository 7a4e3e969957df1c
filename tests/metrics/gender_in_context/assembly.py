"""What makes rows of several sources of vectors: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.gender_in_context import test_changes, test_published, toy

from herbarium.metrics.gender_in_context import calibration, changes, names, published

ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: calibration.rows(toy.measured().numbers, {"strong": 2.0}, {"strong": "1"}),
        rows={"model": "strong", "unit": "few"},
        nothing={"variant": names.DIFFERENCE},
    ),
    Assembly(
        changes.changes,
        lambda: test_changes.compare(made(test_changes.sources)()),
        rows={"model": "after"},
        nothing={"variant": names.DIFFERENCE},
    ),
    Assembly(
        published.beside,
        test_published.test_ours_stand_beside_them_and_are_of_something_else,
        nothing={"definition": "held_out_words", "variant": "accuracy_rbf"},
    ),
]
