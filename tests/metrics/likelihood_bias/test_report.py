"""The figure and the part of the page on likelihood bias."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.likelihood_bias import toy
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.likelihood_bias.figures import axes
from herbarium.metrics.likelihood_bias.report.part import part

MODELS = [model_record("none", 0.0), model_record("strong", 2.0), model_record("<b>real</b>", None)]


@pytest.fixture(scope="module")
def numbers():
    models = {"none": 0.0, "strong": 2.0, "<b>real</b>": 1.0}
    return pd.concat(toy.measured(toy.observed(strength, 0.1), model) for model, strength in models.items())


@pytest.fixture
def made(numbers, tmp_path):
    pictures = pictures_of({"likelihood_bias_axes": axes.table(numbers, MODELS)}, tmp_path)
    return assert_part(part(numbers, MODELS, 0.95, "holm", pictures), "likelihood_bias")


def test_a_row_an_axis_and_model_in_order(made):
    rows = table(made.html, "table-likelihood-bias")
    assert [row[0] for row in rows] == [f"demo/{axis}" for axis in ("age", "faith", "place") for _ in MODELS]
    assert [row[1] for row in rows[:3]] == ["none (unbiased reference)", "strong (planted, strength 2)", "<b>real</b>"]
    assert [row[5] for row in rows if row[1].startswith("strong")] == ["< 0.001"] * 3
    assert all("as many tokens" in row[7] for row in rows)


def test_descriptors_that_stand_out_are_named_from_the_least_surprising(made, numbers):
    apart = numbers[(numbers["model"] == "strong") & (numbers["unit"] == "descriptor")]
    apart = apart[(apart["p_adjusted"] < 0.05) & apart["group"].str.startswith("demo/faith/")].sort_values("estimate")
    names = apart["group"].str.rpartition("/")[2].tolist()
    item = next(line for line in made.html.splitlines() if "strength 2), demo/faith:" in line)
    assert f"least surprising: {names[0]}" in item
    assert f"most surprising: {names[-1]}" in item
    assert "none (unbiased reference), demo/faith: none." in made.html


def test_what_is_found_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "0 if they make no difference" in text
    assert "&lt;b&gt;real" in text
    assert "pseudo-perplexity" in made.limits  # masked models


def test_every_number_of_the_figure_is_in_its_table(numbers):
    shown = axes.table(numbers, MODELS)
    assert list(shown.columns) == axes.COLUMNS
    assert len(shown) == 3 * 3
    (panel,) = printed(axes.panels(shown), axes.EMPTY).axes
    assert [tick.get_text().partition(" ")[0] for tick in panel.get_yticklabels()] == ["age", "faith", "place"]
    dots = [x for line in panel.lines if line.get_marker() not in ("None", "") for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(shown["estimate"]), rel=1e-5)
    assert "strong (planted, strength 2)" in axes.describe(shown)


def test_what_has_no_value_says_so(numbers):
    none = axes.table(numbers.assign(estimate=np.nan), MODELS)
    assert axes.describe(none) == axes.EMPTY
    assert not printed(axes.panels(none), axes.EMPTY).axes
