"""What makes rows of several tasks and classifiers: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.downstream import test_calibration, test_changes, test_published

from herbarium.core.resources import read_table
from herbarium.metrics.downstream import calibration, changes, published

FIGURES = read_table("resources/downstream/published.csv", ["value"])


def beside_figures():
    numbers, _ = test_published.numbers_of()
    return published.table(numbers, {"hatespeech18": test_published.PREFIXES}, FIGURES, 4)


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
    Assembly(published.table, beside_figures, rows={"model": "bert-base-cased"}, nothing={"variant": "changed_to_0"}),
]
