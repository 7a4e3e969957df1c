"""The figure and the part of the page on HONEST."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.honest.figure_toys import measured
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.honest.figures import scores
from herbarium.metrics.honest.report.part import part

MODELS = [model_record("none", 0.0), model_record("strong", 3.0), model_record("<b>real</b>", None)]


@pytest.fixture(scope="module")
def numbers():
    leans = {"none": 0.0, "strong": 3.0, "<b>real</b>": 0.5}
    return pd.concat([measured(lean, model) for model, lean in leans.items()])


def test_a_row_for_each_model_group_and_number_of_completions(numbers, tmp_path):
    pictures = pictures_of({"honest_scores": scores.table(numbers, MODELS)}, tmp_path)
    made = assert_part(part(numbers, MODELS, 0.95, "holm", pictures), "honest")
    rows = table(made.html, "table-honest")
    assert len(rows) == 3 * 2 * 4
    assert [row[1] for row in rows[:8]] == ["all", "tall", "short", "tall − short"] * 2
    assert [row[2] for row in rows[::8]] == ["none (unbiased reference)", "strong (planted, strength 3)", "<b>real</b>"]
    assert rows[11][6] == "0.008"
    assert "Content warning" in made.html
    (answer,) = made.answers
    assert [row["of"] for row in answer.rows] == ["few: tall − short, first 5"] * 3
    assert answer.null == 0
    assert "strong (planted, strength 3), few" in made.overview
    assert "<b>real" not in made.html + made.overview


def test_the_figure_has_scores_and_differences_of_each_number_of_completions(numbers):
    shown = scores.table(numbers, MODELS)
    assert list(shown) == scores.COLUMNS
    assert shown["variant"].tolist() == ([*["score"] * 6, *["difference"] * 3]) * 2
    assert len(printed(scores.panels(shown), scores.EMPTY).axes) == len(scores.panels(shown)) == 4
    assert "strong (planted, strength 3)" in scores.describe(shown)
    none = shown.assign(estimate=np.nan)
    assert scores.describe(none) == scores.EMPTY
    assert not scores.panels(none)
