"""What makes rows of several classifiers of texts: see tests/assembly.py."""

from tests.assembly import Assembly, in_folder
from tests.metrics.amplification import test_numbers, test_published

from herbarium.metrics.amplification import calibration, changes, published

ASSEMBLED = [
    Assembly(
        changes.changes, test_numbers.test_changes_are_paired, rows={"model": "b"}, nothing={"variant": "accuracy"}
    ),
    Assembly(
        calibration.rows,
        test_published.test_calibration_has_the_leading_number_alone,
        rows={"model": "m"},
        nothing={"definition": "own", "variant": "amplification"},
    ),
    Assembly(
        published.beside,
        in_folder(test_published.test_beside_the_published_figures),
        nothing={"method": "rba", "verb": "a"},
    ),
]
