"""What makes rows of several models, languages and lists: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.categorical_bias import test_calibration, test_differences, test_published

from herbarium.core.resources import read_table
from herbarium.metrics.categorical_bias import calibration, differences, published

FIGURES = read_table("resources/categorical_bias/published.csv", ["table"])


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
    Assembly(
        published.table,
        lambda: test_published.beside(made(test_published.numbers)(), FIGURES, "2"),
        rows={"model": test_published.MULTI},
        nothing={"definition": "paper", "variant": "cb", "unit": "list"},
    ),
]
