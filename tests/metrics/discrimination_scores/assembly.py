"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.discrimination_scores import test_numbers

from herbarium.metrics.discrimination_scores import calibration, numbers

ASSEMBLED = [
    Assembly(
        calibration.calibrate,
        test_numbers.test_calibration_compares_with_a_perfect_model,
        rows={"model": "strong"},
        nothing={"variant": test_numbers.DIFFERENCE},
    ),
    Assembly(numbers.changes, test_numbers.test_a_change_is_paired_by_decision, rows={"model": "b"}),
]
