"""What makes rows of several models and sets of sentences: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.mixed_effects import test_calibration, test_changes, test_published

from herbarium.metrics.mixed_effects import calibration, changes, items, published

MAIN = {"definition": "paper", "subset": "all", "contrast": "male-female", "structure": "crossed"}


ASSEMBLED = [
    Assembly(
        calibration.calibration, lambda: test_calibration.table({"strong": 2.0}), rows={"model": "strong"}, nothing=MAIN
    ),
    Assembly(
        changes.changes,
        test_changes.test_every_comparison_is_of_its_models_in_its_dimension_and_of_the_papers_definition,
        rows={"model": "treated"},
        nothing=MAIN | {"data": "traits"},
    ),
    Assembly(
        items.of_items,
        test_changes.test_an_item_is_a_target_in_a_template_and_its_value_the_bias_there,
        nothing={"definition": "paper", "gender": "male"},
    ),
    Assembly(
        published.beside,
        test_published.test_a_score_stands_beside_the_one_of_its_model_and_dimension,
        nothing={"definition": "paper", "structure": "intercepts"},
    ),
    Assembly(
        published.published,
        test_published.test_what_trainings_differ_by_is_a_tolerance,
        rows={"model": "roberta-large"},
    ),
]
