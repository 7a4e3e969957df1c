"""The figures and the part of the page on word associations."""

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_shows
from tests.metrics.examples import part_of
from tests.metrics.word_associations.example import STRENGTHS, measured
from tests.reports import table

from herbarium.metrics.word_associations.figures import occupations, sembias


@pytest.fixture(scope="module")
def shown():
    numbers, projections = measured()
    return sembias.table(numbers, STRENGTHS), occupations.table(projections, numbers, STRENGTHS)


def test_what_is_compared_with_chance_and_what_is_tested():
    page = part_of("word_associations").html
    assert len(table(page, "table-stereotype-lean")) == 3 * 2 * 3
    assert {row[1] for row in table(page, "table-sembias") if row[5] != "–"} == {"definition"}
    assert all(row[5] != "–" == row[6] for row in table(page, "table-projection-size"))


def test_bars_are_the_shares_and_layers_have_one_each(shown):
    bars = shown[0]
    assert len(bars) == 2 * 3 * 4
    panels = sembias.panels(bars)
    assert len(panels) == 2
    assert_shows(panels, bars, "estimate", "x")
    assert panels[0]["layout"]["shapes"]  # where chance lies
    layers = pd.concat([bars.assign(layer=name) for name in ("0", "1")], ignore_index=True)
    labels = sembias.panels(layers)[0]["layout"]["yaxis"]["ticktext"]
    assert len(labels) == 6
    assert "strong (planted,<br>strength 2), layer 1" in labels
    some = bars.assign(estimate=bars["estimate"].mask(bars["model"] == "none", np.nan))
    labels = sembias.panels(some)[0]["layout"]["yaxis"]["ticktext"]
    assert sum(label.replace("<br>", " ").endswith("(no value)") for label in labels) == 1


def test_dots_are_the_occupations(shown):
    dots = shown[1]
    assert len(dots) == 3 * 40
    panels = occupations.panels(dots)
    assert len(panels) == 3
    assert_shows(panels, dots, "estimate", "y")
    assert all(panel["layout"]["annotations"] for panel in panels)
