"""Figures and the part of the page on gender in context."""

import json

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.gender_in_context.toy import design, measured
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.metrics.gender_in_context.figures import components, layers
from herbarium.metrics.gender_in_context.report.part import part

MODELS = [model_record("none", 0.0), model_record("<b>real</b>", None)]
MODEL_OF = {"none-layers": "none", "real-layers": "<b>real</b>"}


@pytest.fixture(scope="module")
def measured_sources():
    return [measured("none-layers", lean=0.0), measured("real-layers", lean=2.0)]


def made(result, tmp_path):
    tidy = pd.concat([result.numbers for result in result])
    curves = pd.concat([result.curves for result in result])
    drawn = {"gender_in_context_layers": layers.table(tidy), "gender_in_context_components": components.table(curves)}
    return assert_part(part(tidy, MODELS, MODEL_OF, 0.95, "holm", pictures_of(drawn, tmp_path)), "gender_in_context")


def test_a_row_a_source_and_layer(measured_sources, tmp_path):
    page = made(measured_sources, tmp_path)
    rows = table(page.html, "table-gender_in_context")
    assert [row[:4] for row in rows] == [
        ["few", "none-layers (unbiased reference)", "0", "8"],
        ["few", "none-layers (unbiased reference)", "1", "8"],
        ["few", "real-layers", "0", "8"],
        ["few", "real-layers", "1", "8"],
    ]
    assert "the sides have equal vectors" in rows[0][4]
    assert rows[3][5] == "0.029"
    text = " ".join(page.overview.split())
    assert "real-layers, few</strong>: 2" in text or "real-layers, few</strong>: 1.9" in text


def test_figures_say_what_they_show(measured_sources, tmp_path):
    tidy = pd.concat([result.numbers for result in measured_sources])
    shown = layers.table(tidy)
    assert "few, real-layers, layer 1: stereotype difference" in layers.describe(shown)
    assert len(layers.panels(shown)) == 3
    curves = components.table(pd.concat([result.curves for result in measured_sources]))
    assert "swaps without gender" in components.describe(curves)
    assert [len(panel["data"]) for panel in components.panels(curves)] == [3, 3]
    json.dumps(components.panels(curves.assign(gender=curves["gender"].where(curves.index > 0))), allow_nan=False)
    assert curves.query("component == 1")["n_swaps"].tolist() == [0, 2, 0, 2]


def test_nothing_to_show_is_said(tmp_path):
    nothing = [
        measured("none-layers", sentences=design(n_words=2)),
        measured("real-layers", sentences=design(n_words=3)),
    ]
    page = made(nothing, tmp_path)
    assert layers.EMPTY in page.lead
    assert components.EMPTY in page.html
    assert "not measured" in page.overview or "no value" in page.overview
