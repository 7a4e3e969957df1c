"""The figure and the part of the page on biographies."""

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.drawing.marks import assert_shows
from tests.metrics.biographies.toy import SETTINGS, laid_out, measured, said_by, vectors
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.metrics.biographies import numbers, stimuli
from herbarium.metrics.biographies.figures import gaps
from herbarium.metrics.biographies.report.part import part

TEXTS = stimuli.counted(laid_out()[1], {"left out, without text": 1234}, {"<b>pope</b>": "0 female to train"})


@pytest.fixture(scope="module")
def measured_sources():
    return [measured("one", strength=1.0), measured("<b>two</b>", strength=1.0, layers=["1"])]


def made(result, tmp_path):
    tidy = pd.concat([result.numbers for result in result])
    drawn = {"biographies_gaps": gaps.table(pd.concat([result.occupations for result in result]))}
    pictures = pictures_of(drawn, tmp_path)
    made = part(tidy, [model_record("real", None)], {"toy": TEXTS}, {"toy": 1.0}, 0.95, "holm", pictures)
    return assert_part(made, "biographies")


def test_a_row_a_source_layer_and_form_of_the_texts(measured_sources, tmp_path):
    page = made(measured_sources, tmp_path)
    rows = table(page.html, "table-biographies")
    assert [row[:4] for row in rows] == [
        ["toy (planted 1)", source, layer, form]
        for source, layers in (("one", "01"), ("<b>two</b>", "1"))
        for form in ("as is", "scrubbed", "as is, balanced", "scrubbed, balanced")
        for layer in layers
    ]
    assert "<b>two</b>" not in page.html
    assert page.overview.count("<li>") == 2


def test_what_was_left_out_is_on_the_page(measured_sources, tmp_path):
    (row,) = table(made(measured_sources, tmp_path).html, "table-biographies-texts")
    assert row[:2] == ["toy", "8"]
    assert sum(map(int, row[2:6])) == 800
    assert row[6:] == ["1,234 left out, without text", "<b>pope</b> (0 female to train)"]


def test_the_figure_says_what_it_shows(measured_sources):
    shown = gaps.table(pd.concat([result.occupations for result in measured_sources]))
    assert set(shown["group"]) == {"1"}
    assert len(shown) == 2 * 4 * 8
    titles = [panel["title"] for panel in gaps.panels(shown)]
    sources = ["toy, one, layer 1", "toy, <b>two</b>, layer 1"]
    assert titles == [source + training for source in sources for training in ("", ", balanced")]
    first = shown[(shown["model"] == "one") & (shown["definition"] == "scrubbed")]
    assert f"to {first.loc[first['estimate'].idxmax(), 'occupation']}" in gaps.describe(shown)
    assert_shows(gaps.panels(shown), shown, "estimate", "y")


def test_a_fine_tuned_model_stands_beside_sources_of_vectors(measured_sources, tmp_path):
    _, design = laid_out()
    predictions = said_by(design, lambda rows, _: rows["occupation"])
    tuned = numbers.measure_finetuned("mine", "toy", design, predictions, SETTINGS)
    page = made([*measured_sources, tuned], tmp_path)
    rows = [row for row in table(page.html, "table-biographies") if row[1] == "mine"]
    assert [row[2:4] for row in rows] == [["fine-tuned", "as is"], ["fine-tuned", "scrubbed"]]
    assert "A probe is trained" in page.html
    assert "A model is fine-tuned" in page.html
    assert "A model is fine-tuned" not in made(measured_sources, tmp_path / "probes").html
    assert "A probe is trained" not in made([tuned], tmp_path / "tuned").html
    shown = gaps.table(pd.concat([result.occupations for result in (measured_sources[0], tuned)]))
    assert [panel["title"] for panel in gaps.panels(shown)[2:]] == ["toy, mine, fine-tuned"]


def test_nothing_to_show_is_said(tmp_path):
    words, design = laid_out()
    kept = design["occupation"] == "pilot"
    layer_vectors = vectors(words[kept].reset_index(drop=True), ["1"])
    nothing = numbers.measure("one", "toy", design[kept].reset_index(drop=True), layer_vectors, SETTINGS)
    page = made([nothing], tmp_path)
    assert gaps.EMPTY in page.lead
    assert "no value" in page.overview
    assert "1 occupations with enough biographies; at least 2 are needed" in page.html
