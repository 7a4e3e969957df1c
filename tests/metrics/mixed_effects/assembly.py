"""Functions that make rows of several models, definitions or sets of sentences, and what calls them."""

from tests.assembly import Assembly
from tests.metrics.mixed_effects import test_calibration

from herbarium.metrics.mixed_effects import calibration

NOTHING = {"definition": "paper", "subset": "all", "contrast": "male-female"}
ASSEMBLED = [
    Assembly(
        calibration.calibration,
        test_calibration.table,
        rows={"model": "strong"},
        nothing={"definition": "paper", "subset": "all", "contrast": "male-female", "structure": "crossed"},
    ),
]
