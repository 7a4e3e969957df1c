"""What makes rows of several comparisons: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.local_group_bias import test_numbers, test_published

from herbarium.metrics.local_group_bias import numbers, published

ASSEMBLED = [
    Assembly(
        numbers.adjusted,
        test_numbers.test_p_values_are_adjusted_over_comparisons_number_by_number,
        rows={"group": "a", "definition": "paper", "variant": "bcr"},
        family={"p_adjusted": ("group",)},
    ),
    Assembly(
        published.beside,
        test_published.test_other_texts_and_other_groups_are_not_compared,
        rows={"model": "m"},
        nothing={"definition": "released", "variant": "bcr"},
    ),
]
