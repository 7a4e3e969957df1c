"""The figure and the part of the page on regions in context."""

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.parts import assert_part
from tests.metrics.regions_in_context.toy import design, measured
from tests.reports import pictures_of, table

from herbarium.metrics.regions_in_context.figures import layers
from herbarium.metrics.regions_in_context.report.part import part
from herbarium.page import uncertainty

MODELS = [model_record("none", 0.0), model_record("<b>real</b>", None)]
MODEL_OF = {"none-layers": "none", "real-layers": "<b>real</b>"}


@pytest.fixture(scope="module")
def tidy_rows():
    return pd.concat([measured("none-layers", lean=0.0), measured("real-layers")])


def made(tidy, tmp_path):
    pictures = pictures_of({"regions_in_context_layers": layers.table(tidy)}, tmp_path)
    return assert_part(part(tidy, MODELS, MODEL_OF, 0.95, pictures), "regions_in_context")


def test_a_row_a_source_and_layer(tidy_rows, tmp_path):
    page = made(tidy_rows, tmp_path)
    rows = table(page.html, "table-regions_in_context")
    assert [row[:4] for row in rows] == [
        ["few", "none-layers (unbiased reference)", "0", "12"],
        ["few", "none-layers (unbiased reference)", "1", "12"],
        ["few", "real-layers", "0", "12"],
        ["few", "real-layers", "1", "12"],
    ]
    assert "regions have equal vectors" in rows[0][4]
    text = " ".join(page.overview.split())
    assert "real-layers, few</strong>: 0.8" in text
    assert "layer 0" not in text


def test_the_page_says_how_p_values_are_adjusted(tidy_rows, tmp_path):
    tested = {tested.metric: tested for tested in made(tidy_rows, tmp_path).tested}
    (row,) = uncertainty.metrics(tidy_rows, tested)
    assert row["adjusted"].endswith(": Westfall and Young")


def test_figures_say_what_they_show(tidy_rows):
    shown = layers.table(tidy_rows)
    assert "few, real-layers, layer 1: stereotype agreement" in layers.describe(shown)
    assert len(layers.panels(shown)) == 3


def test_nothing_to_show_is_said(tmp_path):
    nothing = [measured(source, sentences=design(n_words=2)) for source in MODEL_OF]
    page = made(pd.concat(nothing), tmp_path)
    assert layers.EMPTY in page.lead
    assert "no value" in page.overview or "not measured" in page.overview
