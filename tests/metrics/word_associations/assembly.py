"""What makes rows of several sources of vectors: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.word_associations import test_calibration, test_changes, test_published, toy

from herbarium.metrics.word_associations import calibration, changes, published

ASSEMBLED = [
    Assembly(
        calibration.rows,
        made(test_calibration.rows),
        rows={"model": "strong", "unit": "own, he-she"},
        nothing={"metric": "weat"},
    ),
    Assembly(
        changes.changes,
        lambda: made(test_changes.table)(made(test_changes.both)()),
        rows={"model": "after"},
        nothing={"metric": "weat", "unit": "own, he-she"},
    ),
    Assembly(
        published.beside,
        lambda: test_published.test_ours_stand_beside_the_source_of_that_name(toy.measured()[0]),
        nothing={"model": "glove", "metric": "projection_size", "definition": "paper", "group": "cosine"},
    ),
]
