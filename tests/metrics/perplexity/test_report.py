"""The part of the page on pseudo-perplexity."""

import pandas as pd
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.metrics.perplexity.test_score import TEXTS, scores
from tests.reports import table

from herbarium.metrics.perplexity import score
from herbarium.metrics.perplexity.report.part import part

MODELS = [model_record("strong", 2.0), model_record("<b>real</b>", None)]


def test_a_row_a_model_and_a_table_a_corpus():
    refused = scores((-1.0, 2), (None, 0))
    numbers = [score.measure("<b>real</b>", "held", refused, 0.95), score.measure("strong", "held", TEXTS, 0.95)]
    of_page = assert_part(part(pd.concat(numbers), MODELS, 0.95, 64), "perplexity")
    strong, real = table(of_page.html, "table-perplexity-held")
    assert strong[:2] == ["strong (planted, strength 2)", "3"]
    assert strong[2].startswith("7.39 ")
    assert real == ["<b>real</b>", "–", "– 1 of 2 texts were refused; not measured: fewer than 2 texts"]
    assert "<b>real" not in of_page.html + of_page.overview
    assert "truncated to 64 words" in " ".join(of_page.html.split())
