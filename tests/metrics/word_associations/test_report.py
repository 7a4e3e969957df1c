"""The figures and the part of the page on word associations."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.drawing.marks import assert_shows
from tests.metrics.parts import assert_part
from tests.metrics.word_associations.toy import measured
from tests.reports import pictures_of, table

from herbarium.metrics.word_associations.figures import occupations, sembias
from herbarium.metrics.word_associations.report.part import part

STRENGTHS = {"none": 0.0, "strong": 2.0}


@pytest.fixture(scope="module")
def results():
    tables = [measured(strength=strength, source=name) for name, strength in STRENGTHS.items()]
    tables.append(measured(strength=1.0, source="<b>real</b>"))
    return [pd.concat(item, ignore_index=True) for item in zip(*tables, strict=True)]


@pytest.fixture(scope="module")
def shown(results):
    numbers, projections = results
    return sembias.table(numbers, STRENGTHS), occupations.table(projections, numbers, STRENGTHS)


@pytest.fixture
def made(results, shown, tmp_path):
    names = ("word_associations_sembias", "word_associations_occupations")
    pictures = pictures_of(dict(zip(names, shown, strict=True)), tmp_path)
    analogy = results[0].head(1).assign(metric="analogy", unit="google", group="all", estimate=0.5)
    numbers = pd.concat([results[0], analogy.assign(definition="paper"), analogy.assign(definition="own")])
    page_part = part(numbers, [model_record("bert", None)], STRENGTHS, 0.95, "holm", pictures)
    return assert_part(page_part, "word_associations")


def test_a_table_a_kind_of_number(made):
    rows = table(made.html, "table-stereotype-lean")
    assert len(rows) == 3 * 2 * 3
    assert rows[0][:3] == ["own, he-she", "definition", "none (unbiased reference)"]
    assert {row[2] for row in rows} == {"none (unbiased reference)", "strong (planted, strength 2)", "<b>real</b>"}
    chance = table(made.html, "table-sembias")
    assert {row[1] for row in chance if row[5] != "–"} == {"definition"}
    assert all(row[6] == "–" for row in table(made.html, "table-projection-size"))
    assert all(row[5] != "–" for row in table(made.html, "table-projection-size"))
    assert [row[1] for row in table(made.html, "table-analogy")] == [
        "all, among all words of the source",
        "all, among words of the list",
    ]


def test_the_overview_has_what_has_a_known_zero(made):
    text = " ".join(made.overview.split())
    assert (
        "strong (planted, strength 2), jobs, he-she</strong>: projections of occupations correlate with the share"
        " of women" in text
    )
    assert "effect size" in text
    assert "SemBias" not in text
    assert "&lt;b&gt;real" in text
    assert made.papers[0][0] == "word_associations"


def test_bars_are_the_shares(shown):
    bars = shown[0]
    assert list(bars.columns) == sembias.COLUMNS
    assert len(bars) == 2 * 3 * 4
    panels = sembias.panels(bars)
    assert len(panels) == 2
    assert_shows(panels, bars, "estimate", "x")
    assert "strong (planted,<br>strength 2)" in panels[0]["layout"]["yaxis"]["ticktext"]
    assert "at random" in sembias.describe(bars)
    assert panels[0]["layout"]["shapes"]  # where chance lies


def test_layers_have_a_bar_each(shown):
    layers = pd.concat([shown[0].assign(layer=name) for name in ("0", "1")], ignore_index=True)
    labels = sembias.panels(layers)[0]["layout"]["yaxis"]["ticktext"]
    assert len(labels) == 6
    assert "strong (planted,<br>strength 2), layer 1" in labels


def test_dots_are_the_occupations(shown):
    dots = shown[1]
    assert list(dots.columns) == occupations.COLUMNS
    assert len(dots) == 3 * 40
    assert set(dots["unit"]) == {"jobs, he-she"}
    panels = occupations.panels(dots)
    assert len(panels) == 3
    assert_shows(panels, dots, "estimate", "y")
    assert all(panel["layout"]["annotations"] for panel in panels)
    assert "strong (planted, strength 2), jobs, he-she: rank correlation −0." in occupations.describe(dots)


def test_what_has_no_value_says_so(shown):
    bars, dots = shown
    none = bars.assign(estimate=np.nan)
    assert sembias.describe(none) == sembias.EMPTY
    assert sembias.panels(none) == []
    assert occupations.panels(dots.head(0)) == []
    some = bars.copy()
    some.loc[some["model"] == "none", "estimate"] = np.nan
    labels = sembias.panels(some)[0]["layout"]["yaxis"]["ticktext"]
    assert sum(label.replace("<br>", " ").endswith("(no value)") for label in labels) == 1
