"""The part of the page on counterfactual sentences."""

import pandas as pd
from tests.conftest import model_record
from tests.metrics.counterfactual.test_score import pairs, scores
from tests.metrics.parts import assert_part
from tests.reports import table

from herbarium.metrics.counterfactual import score
from herbarium.metrics.counterfactual.report.part import part

MODELS = [model_record("strong", 2.0), model_record("<b>real</b>", None)]


def measured(model, factor):
    changes = score.absolute_changes(pairs(8), scores([0.0] * 8), scores([factor * number for number in range(8)]))
    return score.measure(model, "sentence_sets/a", changes, 0, 0.95)


def test_a_row_a_model_in_the_order_of_strength():
    numbers = pd.concat([measured("<b>real</b>", 1.0), measured("strong", 2.0)])
    of_page = assert_part(part(numbers, MODELS, 0.95), "counterfactual")
    strong, real = table(of_page.html, "table-counterfactual")
    assert strong[:4] == ["sentence_sets/a", "pll", "strong (planted, strength 2)", "8"]
    assert strong[4].startswith("7.00")
    assert real[4].startswith("3.50")
    assert "no real model does, so nothing is tested" in " ".join(of_page.html.split())


def test_a_study_without_a_gendered_word_says_so():
    of_page = part(measured("strong", 1.0)[:0], MODELS, 0.95)
    assert "No sentence of this study has a gendered word." in of_page.html
