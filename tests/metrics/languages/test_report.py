"""The figures and the part of the page on languages."""

import numpy as np
import pytest
from tests.drawing.marks import assert_shows
from tests.metrics.languages.toy import LISTS, measured
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table

from herbarium.drawing.printed import printed
from herbarium.metrics.languages.figures import inbias
from herbarium.metrics.languages.figures import map as of_map
from herbarium.metrics.languages.numbers import ARROW
from herbarium.metrics.languages.report.part import part

STRENGTHS = {"english-2": 2.0, "spanish-2": 2.0}


@pytest.fixture(scope="module")
def study():
    tidy, _, spaces, aligned = measured(2.0, "<b>toy</b>")
    return tidy, of_map.table("<b>toy</b>", LISTS, spaces, aligned)


@pytest.fixture
def made(study, tmp_path):
    tables = {"languages_inbias": inbias.table(study[0], STRENGTHS), "languages_map": study[1]}
    return assert_part(part(study[0], [], STRENGTHS, 0.95, "holm", pictures_of(tables, tmp_path)), "languages")


def test_a_row_a_language_and_pivot(made):
    rows = table(made.html, "table-languages")
    assert [row[1] for row in rows] == ["english", "spanish", f"spanish{ARROW}english"]
    assert rows[0][0] == "<b>toy</b>"
    assert rows[0][2] == "english-2 (planted, strength 2)"
    assert rows[0][12:] == ["–"] * 3  # in its own space nothing has changed
    assert rows[2][12] != "–"
    translations = table(made.html, "table-languages-translations")
    assert len(translations) == 1
    assert "114 of 114 pairs" in translations[0][3]


def test_the_mean_gap_is_told_with_its_null_value(made):
    text = " ".join(made.overview.split())
    assert "0 if neither side is favoured" in text
    assert text.count("<li>") == 3
    assert text.count("from the effect of RCSLS alone") == 1


def test_every_number_of_the_figure_is_in_its_table(study):
    shown = inbias.table(study[0], STRENGTHS)
    assert list(shown.columns) == inbias.COLUMNS
    assert shown["variant"].tolist() == ["lean"] * 3 + ["inbias"] * 3
    left, _ = printed(inbias.panels(shown), inbias.EMPTY).axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["english", "spanish", f"spanish{ARROW}english"]
    for panel, variant in zip(inbias.panels(shown), ("lean", "inbias"), strict=True):
        assert_shows([panel], shown[shown["variant"] == variant], "estimate", "x", ("ci_low", "ci_high"))
    assert "mean gap: " in inbias.describe(shown)


def test_the_map_has_each_form_once_on_its_side(study):
    places = study[1]
    assert list(places.columns) == of_map.COLUMNS
    assert not places.duplicated(["language", "word"]).any()
    sides = places.groupby(["language", "form"])["gender"].mean()
    for language in ("english", "spanish"):
        assert sides[language, "masculine"] > sides[language, "both"] > sides[language, "feminine"]
    assert np.abs(np.corrcoef(places["gender"], places["other"])[0, 1]) < 0.5
    assert of_map.figure(places).axes[0].get_title(loc="left") == f"<b>toy</b>: spanish{ARROW}english"
    assert "spanish, masculine" in of_map.describe(places)
    (panel,) = of_map.panels(places)
    assert sum(len(trace["x"]) for trace in panel["data"]) == len(places)


def test_what_was_not_moved_has_no_map(study):
    spaces = {"english": measured(0.0)[2]["english"]}
    empty = of_map.table("toy", LISTS, spaces, {})
    assert of_map.describe(empty) == of_map.EMPTY
    assert of_map.figure(empty)
    nothing = inbias.table(study[0].assign(estimate=np.nan), {})
    assert inbias.describe(nothing) == inbias.EMPTY
    assert inbias.panels(nothing) == []
