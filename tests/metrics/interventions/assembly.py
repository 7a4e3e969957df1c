"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.interventions import test_numbers

from herbarium.metrics.interventions import calibration, numbers

ASSEMBLED = [
    Assembly(
        calibration.rows,
        test_numbers.test_calibration_beside_what_a_perfect_model_has,
        rows={"model": "strong"},
        nothing={"variant": "mu"},
    ),
    Assembly(numbers.changes, test_numbers.test_a_change_of_a_model_by_type, rows={"model": "after"}),
]
