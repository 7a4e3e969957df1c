"""What makes rows of several languages: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.languages import test_changes, test_numbers, toy

from herbarium.metrics.languages import calibration, changes, items, published

ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: test_numbers.test_calibration(toy.measured(0.0), toy.measured(2.0)),
        rows={"group": "spanish"},
        nothing={"variant": "lean"},
    ),
    Assembly(
        changes.changes,
        test_changes.test_a_change_is_paired_by_occupations_and_seeds,
        nothing={"variant": "lean"},
    ),
    Assembly(items.of_items, lambda: items.of_items(toy.measured(1.0)[1]), rows={"space": "toy", "group": "spanish"}),
    Assembly(
        published.beside,
        lambda: test_numbers.test_published_figures_beside_ours(toy.measured(2.0)),
        nothing={"variant": "inbias", "definition": "released"},
    ),
]
