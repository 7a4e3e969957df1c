"""What makes rows of several models, languages and lists: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.categorical_bias import test_calibration, test_differences

from herbarium.metrics.categorical_bias import calibration, differences

ASSEMBLED = [
    Assembly(
        calibration.rows,
        test_calibration.rows_of,
        rows={"model": "strong"},
        nothing={"definition": "paper", "variant": "cross_form", "list": "a"},
    ),
    Assembly(
        differences.differences,
        lambda: test_differences.differences(test_differences.study()),
        rows={"model": "multi"},
        nothing={"definition": "paper"},
        family={"p_adjusted": ("model",)},
        leading=("model",),
    ),
    Assembly(
        differences.changes,
        lambda: test_differences.test_a_change_is_the_difference_of_the_primary_number_of_the_leading_list(
            study := test_differences.study(), test_differences.differences(study)
        ),
        rows={"model": "multi"},
        nothing={"definition": "paper", "variant": "cross_form"},
    ),
]
