"""What makes rows of several models and regions: see tests/assembly.py."""

from tests.assembly import Assembly, made
from tests.metrics.herb import conftest, test_calibration, test_differences, test_published

from herbarium.core.resources import read_table
from herbarium.metrics.herb import calibration, differences, published


def of_models():
    small = made(conftest.small)()
    test_differences.differences(small, made(test_differences.models)(small))


FIGURES = read_table("resources/herb/published.csv", ["table"])


def beside_figures():
    test_published.beside_ours(FIGURES, ("continent:AF", "paper", 0.02, 0.01, 0.03), ("earth", "released", 9, 8, 9.5))


ASSEMBLED = [
    Assembly(
        calibration.rows,
        test_calibration.test_the_root_stands_from_weak_to_strong_and_nothing_else_does,
        rows={"model": "strong"},
        nothing={"metric": "herb_crossed", "definition": "crossed", "variant": "D2", "group": "earth"},
    ),
    Assembly(differences.differences, of_models, rows={"model": "near-a"}, family={"p_adjusted": ("model",)}),
    Assembly(
        differences.of_crossed,
        test_differences.test_models_are_compared_by_what_names_add_to_either,
        rows={"model": "b", "group": "x"},
        family={"p_adjusted": ("model",)},
    ),
    Assembly(
        differences.changes,
        test_differences.test_a_change_is_that_of_the_root_paired_by_name,
        rows={"model": "b"},
        nothing={"variant": "D2", "group": "x"},
    ),
    Assembly(
        published.beside,
        beside_figures,
        rows={"model": test_published.BERT},
        nothing={"definition": "paper", "variant": "C_w"},
    ),
    Assembly(
        published.departures,
        test_published.test_a_departure_from_a_score_of_zero_has_no_ratio,
        rows={"model": "m", "definition": "unit_V"},
    ),
]
