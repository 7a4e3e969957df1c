"""The figure and the part of the page on interventions."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.interventions.test_numbers import measured, observed
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.interventions.figures import types
from herbarium.metrics.interventions.report.part import part

MODELS = [model_record("none", 0.0), model_record("strong", 1.0), model_record("<b>real</b>", None)]


@pytest.fixture(scope="module")
def numbers():
    models = {"none": (0.0, ["slot"]), "strong": (1.0, ["slot"]), "<b>real</b>": (0.5, ["span", "span_released"])}
    return pd.concat(
        [measured(observed(strength, 0.2, quantities), model) for model, (strength, quantities) in models.items()]
    )


@pytest.fixture
def made(numbers, tmp_path):
    pictures = pictures_of({"interventions_types": types.table(numbers, MODELS)}, tmp_path)
    return assert_part(part(numbers, MODELS, 0.95, "holm", pictures), "interventions")


def test_a_row_a_type_and_model_in_order(made):
    rows = table(made.html, "table-interventions")
    assert [row[1] for row in rows] == [
        name for name in ("none", "ethical", "adversarial", "irrelevant") for _ in MODELS
    ]
    assert [row[2] for row in rows[:3]] == ["none (unbiased reference)", "strong (planted, strength 1)", "<b>real</b>"]
    assert rows[1][6:] == ["–"] * 3  # nothing is kept without an intervention
    assert rows[4][6].startswith(("0.", "-0.", "−0."))
    assert rows[4][8] == "< 0.001"
    assert [row[7] for row in rows[9:]] == ["–"] * 3  # the control
    published = table(made.html, "table-interventions-published")
    assert {row[3] for row in published} == {"paper", "released"}
    assert "Content warning" in made.html


def test_what_is_kept_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "strong (planted, strength 1), few</strong>: after ethical interventions, it keeps" in text
    assert "0 if they do no more than any sentence" in text
    assert "none (unbiased reference), few</strong>: after" not in text
    assert "&lt;b&gt;real" in text


def test_every_number_of_the_figure_is_in_its_table(numbers):
    shown = types.table(numbers, MODELS)
    assert list(shown.columns) == types.COLUMNS
    assert len(shown) == 3 * (4 + 3)
    panels = printed(types.panels(shown), types.EMPTY).axes
    assert len(panels) == 2
    labels = [[tick.get_text().partition(" ")[0] for tick in panel.get_yticklabels()] for panel in panels]
    assert labels == [["none", "ethical", "adversarial", "irrelevant"], ["ethical", "adversarial", "irrelevant"]]
    # kept is a share of a preference, which the model without bias has not
    assert shown.loc[shown["variant"] != "mu", "estimate"].isna().any()
    assert "(1 without\nvalue)" in panels[1].get_yticklabels()[0].get_text()
    dots = [x for line in panels[0].lines if line.get_marker() not in ("None", "") for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(shown.loc[shown["variant"] == "mu", "estimate"]), rel=1e-5)
    assert len(types.panels(shown)) == 2
    assert "strong (planted, strength 1)" in types.describe(shown)


def test_what_has_no_value_says_so(numbers):
    none = types.table(numbers.assign(estimate=np.nan), MODELS)
    assert types.describe(none) == types.EMPTY
    assert not printed(types.panels(none), types.EMPTY).axes
