"""The part of the page on named entities."""

import pandas as pd
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.metrics.tagging.test_score import LONG, SAID, TRUE
from tests.reports import table

from herbarium.metrics.tagging import score
from herbarium.metrics.tagging.report.part import part

MODELS = [model_record("strong", 2.0), model_record("<b>real</b>", None)]
DATA = {"planted": None, "hub": None, "path": "own.conll"}
TASK = {
    "name": "names",
    "task": {"data": DATA},
    "summary": {"counts": {"train": 1200, "test": 15}, "n_classes": 5, "in_both": 2},
}
TRAINING = {"frozen": True, "epochs": 100, "sets": 1}


def test_a_table_a_task():
    settings = {"strong": SAID * LONG, "<b>real</b>": TRUE * LONG}
    numbers = [score.measure(model, "names", TRUE * LONG, [tags], 0, 0.95) for model, tags in settings.items()]
    of_page = assert_part(part(pd.concat(numbers), MODELS, [TASK], TRAINING, 0.95), "tagging")
    rows = table(of_page.html, "table-tagging-names")
    assert [row[1] for row in rows] == ["all", "LOC", "PER"] * 2
    assert rows[0][:1] + rows[0][2:3] == ["strong (planted, strength 2)", "15"]
    assert rows[0][3].startswith("40.0 ")
    assert "one training set" in rows[0][3]
    assert "<b>real" not in of_page.html + of_page.overview
    text = " ".join(of_page.html.split())
    assert "own.conll: 1,200 sentences to train on, 15 to test with; 2 are in both" in text
    assert "frozen, the two have the same F1" in text
    whole = part(pd.concat(numbers), MODELS, [TASK], TRAINING | {"frozen": False}, 0.95)
    assert "All weights of the models are trained" in whole.html
