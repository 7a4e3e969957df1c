"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.crows_pairs import test_published, test_score

from herbarium.metrics.crows_pairs import published, score

ASSEMBLED = [
    Assembly(
        score.changes,
        test_score.test_a_change_is_paired_by_pair,
        rows={"model": "b"},
        nothing={"group": "all", "variant": "cps"},
    ),
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
