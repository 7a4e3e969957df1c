"""The figure and the part of the page on matched guise probing."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.matched_guise import toy
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.matched_guise.figures import associations
from herbarium.metrics.matched_guise.report.part import part

MODELS = [model_record("none", 0.0), model_record("strong", 1.0), model_record("<b>real</b>", None)]
SLOPES = {"none": 0.0, "strong": -1.0, "<b>real</b>": -0.5}


@pytest.fixture(scope="module")
def numbers():
    rated = [toy.measured(toy.observed(slope), model) for model, slope in SLOPES.items()]
    unrated = toy.measured(toy.observed(0.0, toy.LISTS._replace(ratings={})), "none")
    return pd.concat([*rated, unrated.assign(unit="unrated")])


@pytest.fixture
def made(numbers, tmp_path):
    pictures = pictures_of({"matched_guise_associations": associations.table(numbers, MODELS)}, tmp_path)
    return assert_part(part(numbers, MODELS, 0.95, "holm", pictures), "matched_guise")


def test_a_row_of_each_model_and_its_guises(made):
    rows = table(made.html, "table-matched-guise")
    labels = ["none (unbiased reference)", "strong (planted, strength 1)", "<b>real</b>"]
    assert [row[:2] for row in rows] == [*(["few", label] for label in labels), ["unrated", labels[0]]]
    assert rows[3][5:] == ["–"] * 5
    attributes = table(made.html, "table-matched-guise-attributes")
    assert next(row[2] for row in attributes if row[1] == labels[1]) == "rude"
    assert "cannot fall below" in attributes[0][-1]  # six units
    assert "Content warning" in made.html


def test_the_first_screen_has_the_slope_or_without_ratings_the_mean(made):
    slope, mean = made.answers
    assert [row["model"] for row in slope.rows] == list(SLOPES)
    assert slope.rows[1]["estimate"] < -1
    assert [row["of"] for row in mean.rows] == ["unrated"]
    assert slope.null == mean.null == 0


def test_what_is_found_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "&lt;b&gt;real" in text
    assert text.count("0 if the rating does not matter") == 3
    assert text.count("0 if the dialect does not matter") == 1


def test_every_association_is_in_the_figure(numbers):
    shown = associations.table(numbers, MODELS)
    assert list(shown.columns) == associations.COLUMNS
    assert len(shown) == 4 * 7
    panels = printed(associations.panels(shown), associations.EMPTY).axes
    assert len(panels) == 2
    assert panels[0].get_yticklabels()[0].get_text().startswith("rude")
    dots = [x for line in panels[0].lines if line.get_marker() not in ("None", "") for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(shown.loc[shown["unit"] == "few", "estimate"]), rel=1e-5)
    assert "few, strong (planted, strength 1): rude" in associations.describe(shown)


def test_what_has_no_value_says_so(numbers):
    none = associations.table(numbers.assign(estimate=np.nan), MODELS)
    assert associations.describe(none) == associations.EMPTY
    assert not printed(associations.panels(none), associations.EMPTY).axes
