"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.likelihood_bias import test_numbers

from herbarium.metrics.likelihood_bias import calibration

ASSEMBLED = [
    Assembly(
        calibration.calibrate,
        test_numbers.test_planted_models_are_beside_what_their_text_implies,
        rows={"model": "strong"},
        nothing={"variant": "variance"},
    ),
]
