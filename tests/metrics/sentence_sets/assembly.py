"""What makes rows of several models and sets of sentences: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.sentence_sets import figure_toys, test_calibration, test_numbers, test_published, toy

from herbarium.metrics.sentence_sets import calibration, numbers, published

ASSEMBLED = [
    Assembly(
        calibration.rows,
        lambda: test_calibration.calibration_rows(["strong", "real", "none"]),
        rows={"model": "strong", "stimuli": "shares"},
        nothing={"group": "all"},
    ),
    Assembly(
        numbers.changes,
        lambda: test_numbers.test_a_change_is_paired_by_unit("slots"),
        rows={"model": "b"},
        nothing={"variant": "pll_of_he"},
    ),
    Assembly(
        numbers.observed,
        lambda: numbers.observed([(model, "pronouns", toy.observations()) for model in ("none", "strong")]),
        rows={"model": "strong"},
    ),
    Assembly(numbers.with_contrasts, figure_toys.contrasts, rows={"model": "strong", "unit": "slots"}),
    Assembly(
        published.beside,
        test_published.test_ours_stand_first_and_what_was_not_measured_is_left_out,
        rows={"model": "m"},
    ),
]
