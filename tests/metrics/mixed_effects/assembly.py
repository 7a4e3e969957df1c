"""What makes rows of several models and sets of sentences: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.mixed_effects import test_calibration, test_changes

from herbarium.metrics.mixed_effects import calibration, changes, items

MAIN = {"definition": "paper", "subset": "all", "contrast": "male-female", "structure": "crossed"}
ASSEMBLED = [
    Assembly(calibration.calibration, test_calibration.table, rows={"model": "strong"}, nothing=MAIN),
    Assembly(changes.changes, test_changes.of_two_models, rows={"model": "after"}, nothing=MAIN),
    Assembly(
        items.of_items,
        test_changes.test_items_are_the_differences_whose_mean_is_the_bias_score,
        nothing={"definition": "paper", "gender": "male"},
    ),
]
