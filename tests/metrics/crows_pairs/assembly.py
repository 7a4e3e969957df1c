"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.crows_pairs import test_published

from herbarium.metrics.crows_pairs import published

ASSEMBLED = [
    Assembly(
        published.beside,
        test_published.test_crows_pairs_stand_beside_their_score_and_their_model,
        rows={"model": "roberta-large"},
        nothing={"definition": "paper", "structure": "intercepts", "variant": "cps"},
    ),
    Assembly(
        published.published,
        lambda: test_published.test_another_model_or_other_pairs_have_no_published_score_and_no_difference("models"),
        rows={"model": "roberta-large"},
    ),
]
