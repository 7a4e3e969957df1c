"""The figure and the part of the page on discrimination scores."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.discrimination_scores import toy
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.discrimination_scores import published
from herbarium.metrics.discrimination_scores.figures import contrasts
from herbarium.metrics.discrimination_scores.report.part import part
from herbarium.statistics import lme4

MODELS = [model_record("none", 0.0), model_record("strong", 1.0), model_record("<b>real</b>", None)]
REFERENCES = {toy.NAME: toy.EFFECTS["references"]}
FEMALE = {"none": 0.0, "strong": -1.0, "<b>real</b>": -0.5}


@pytest.fixture(scope="module")
def numbers():
    return pd.concat(toy.measured(toy.observed(female), model) for model, female in FEMALE.items())


@pytest.fixture
def made(numbers, tmp_path):
    pictures = pictures_of({"discrimination_scores_contrasts": contrasts.table(numbers, MODELS)}, tmp_path)
    return assert_part(part(numbers, MODELS, REFERENCES, 0.95, "holm", pictures), "discrimination_scores")


def test_a_row_of_each_contrast_and_model(made):
    rows = table(made.html, "table-discrimination-scores")
    assert len(rows) == 4 * 3
    labels = ["none (unbiased reference)", "strong (planted, strength 1)", "<b>real</b>"]
    assert [row[:3] for row in rows[3:6]] == [["few", "gender: female", label] for label in labels]
    assert all(row[9] == "80" for row in rows)
    assert "Content warning" in made.html
    assert "As published" not in made.html


def test_the_published_effect_stands_beside_ours(numbers, tmp_path):
    fitted = published.measure("strong", toy.NAME, toy.observed(-1.0), toy.EFFECTS, 0.95, lme4.fit)
    both = pd.concat([numbers, fitted])
    pictures = pictures_of({"discrimination_scores_contrasts": contrasts.table(both, MODELS)}, tmp_path)
    rows = table(part(both, MODELS, REFERENCES, 0.95, "holm", pictures).html, "table-discrimination-scores")
    assert rows[4][10].split()[0] == rows[4][4].split()[0]
    assert rows[3][10] == "–"


def test_the_first_screen_has_every_contrast_and_of_planted_models_the_planted_one(made):
    (answer,) = made.answers
    assert [row["model"] for row in answer.rows].count("<b>real</b>") == 4
    assert {row["of"] for row in answer.rows if row["model"] == "strong"} == {"few, gender: female"}
    assert [row["model"] for row in answer.rows if row["of"] == "few, gender: female"] == list(FEMALE)
    assert answer.null == 0


def test_what_is_found_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "&lt;b&gt;real" in text
    assert text.count("0 if it makes no difference") == 4 * 3


def test_every_contrast_is_in_the_figure(numbers):
    shown = contrasts.table(numbers, MODELS)
    assert list(shown.columns) == contrasts.COLUMNS
    assert len(shown) == 4 * 3
    (panel,) = printed(contrasts.panels(shown), contrasts.EMPTY).axes
    dots = [x for line in panel.lines if line.get_marker() not in ("None", "") for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(shown["estimate"]), rel=1e-5, abs=1e-9)
    assert "few, gender: female, strong (planted, strength 1): −1" in contrasts.describe(shown)


def test_what_has_no_value_says_so(numbers):
    none = contrasts.table(numbers.assign(estimate=np.nan), MODELS)
    assert contrasts.describe(none) == contrasts.EMPTY
    assert not printed(contrasts.panels(none), contrasts.EMPTY).axes
