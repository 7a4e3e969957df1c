"""What makes rows of several models: see tests/assembly.py."""

from tests.assembly import Assembly
from tests.metrics.perplexity import test_score

from herbarium.metrics.perplexity import score

ASSEMBLED = [Assembly(score.changes, test_score.test_a_change_is_paired_by_text, rows={"model": "x"})]
