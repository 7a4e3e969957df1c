"""The figure and the part of the page on social bias probing."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.metrics.sofa import toy
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.sofa.figures import categories
from herbarium.metrics.sofa.report.part import part

MODELS = [model_record("none", 0.0), model_record("strong", 2.0), model_record("<b>real</b>", None)]


@pytest.fixture(scope="module")
def numbers():
    models = {"none": 0.0, "strong": 4.0, "<b>real</b>": 1.0}
    return pd.concat(toy.measured(toy.observed(strength, 0.05), model) for model, strength in models.items())


@pytest.fixture
def made(numbers, tmp_path):
    pictures = pictures_of({"sofa_categories": categories.table(numbers, MODELS)}, tmp_path)
    return assert_part(part(numbers, MODELS, 0.95, "holm", pictures), "sofa")


def test_a_row_a_category_and_model_in_order(made):
    rows = table(made.html, "table-sofa")
    assert [row[0] for row in rows] == [f"demo/{category}" for category in ("pastime", "trade") for _ in MODELS]
    assert [row[1] for row in rows[:3]] == ["none (unbiased reference)", "strong (planted, strength 2)", "<b>real</b>"]
    assert [row[2] for row in rows] == ["8, 8"] * 6
    assert [row[6] for row in rows if row[1].startswith("strong")] == ["< 0.001"] * 2


def test_identities_that_stand_out_are_named_with_their_ranks(made, numbers):
    of_trade = numbers[(numbers["model"] == "strong") & numbers["group"].str.startswith("demo/trade/")]
    deviations = of_trade[of_trade["variant"] == "deviation"].set_index("group")["estimate"].sort_values()
    rank = of_trade[of_trade["variant"] == "rank"].set_index("group").loc[deviations.index[0]]
    item = next(line for line in made.html.splitlines() if "strength 2), demo/trade:" in line)
    first = deviations.index[0].rpartition("/")[2]
    assert f"likeliest after {first} (rank 1, 1 to {rank['ci_high']:.0f})" in item
    assert f"least likely after {deviations.index[-1].rpartition('/')[2]} (rank 8" in item


def test_what_is_found_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "0 if identities make no difference" in text
    assert "&lt;b&gt;real" in text
    assert "pseudo-perplexity" in made.limits  # masked models


def test_every_number_of_the_figure_is_in_its_table(numbers):
    shown = categories.table(numbers, MODELS)
    assert list(shown.columns) == categories.COLUMNS
    assert len(shown) == 2 * 3
    (panel,) = printed(categories.panels(shown), categories.EMPTY).axes
    assert [tick.get_text().partition(" ")[0] for tick in panel.get_yticklabels()] == ["pastime", "trade"]
    dots = [x for line in panel.lines if line.get_marker() not in ("None", "") for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(shown["estimate"]), rel=1e-5)
    assert "strong (planted, strength 2)" in categories.describe(shown)


def test_what_has_no_value_says_so(numbers):
    none = categories.table(numbers.assign(estimate=np.nan), MODELS)
    assert categories.describe(none) == categories.EMPTY
    assert not printed(categories.panels(none), categories.EMPTY).axes
