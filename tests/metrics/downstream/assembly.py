"""What makes rows of several tasks and classifiers: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.downstream import test_calibration, test_changes

from herbarium.metrics.downstream import calibration, changes

ASSEMBLED = [
    Assembly(
        calibration.rows,
        test_calibration.test_a_series_a_model_from_weak_to_strong,
        rows={"model": "m"},
        nothing={"variant": "planted_slope", "unit": "all"},
    ),
    Assembly(
        changes.changes,
        lambda: made(test_changes.rows)(made(test_changes.of_models)()),
        rows={"model": "x"},
        nothing={"variant": "excess_spread"},
    ),
]
