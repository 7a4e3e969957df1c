"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.matched_guise import test_numbers

from herbarium.metrics.matched_guise import calibration, numbers

ASSEMBLED = [
    Assembly(
        calibration.calibrate,
        test_numbers.test_what_a_planted_model_learned_is_its_share_of_the_slope,
        rows={"model": "strong"},
        nothing={"variant": test_numbers.SLOPE},
    ),
    Assembly(numbers.changes, test_numbers.test_a_change_is_paired_by_unit_and_attribute, rows={"model": "after"}),
]
