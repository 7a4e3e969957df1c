"""The part of the page on Categorical Bias: what it claims follows from which numbers."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.categorical_bias import figure_toys
from tests.metrics.categorical_bias.example import MEASURED, SECTION, part_of, tidy
from tests.reports import table

from herbarium.metrics.categorical_bias.figures import heatmap


def one_line(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "rises with the planted strength; the intervals of neighbours are disjoint."),
        ({"ci_low": 0.1}, "intervals of neighbours overlap."),
        ({"ci_low": 0.1, "estimate": 0.01}, "The order of the planted strengths does not hold."),
        ({"ci_low": np.nan}, "A value or an interval is missing, so nothing is said about the order."),
    ],
)
def test_calibration_says_what_the_numbers_say(changes, message):
    numbers = tidy()
    strong = (numbers["model"] == "strong") & (numbers["variant"] == "cross_form")
    numbers.loc[strong, list(changes)] = list(changes.values())
    text = one_line(part_of(numbers).html)
    assert message in text
    assert "Calibration, greek." in text
    assert "Calibration, korean." not in text  # one strength only


def test_comparisons_stand_where_there_are_some():
    assert "table-cb-differences" not in part_of(tidy()).html


def test_a_model_that_refuses_everything_has_a_row_that_says_so():
    numbers, why = tidy(), "not measured: sentences with all attributes, or with all targets but one, were refused"
    refused = numbers["model"] == "strong"
    gone = numbers[refused & numbers["variant"].isin(["cb", "cross_form"])]
    gone = gone.assign(**dict.fromkeys(["estimate", "ci_low", "ci_high", "p_adjusted"], np.nan), n=0, note=why)
    part = part_of(pd.concat([gone, numbers[~refused]]))
    assert table(part.html, "table-cb")[0] == ["greek", "strong (planted, strength 2)", "0", *"–––––"]
    assert table(part.html, "table-cb-primary")[0][2:] == ["–", "–", "–", why]
    assert f"not measured ({why})." in part.overview


@pytest.mark.slow
def test_the_overview_says_what_is_told_from_chance():
    numbers = tidy()
    assert one_line(part_of(numbers).overview).count("more than chance, adjusted p&nbsp;= 0.032") == len(MEASURED)
    unsure = one_line(part_of(numbers.assign(p_adjusted=0.3)).overview)
    assert "not distinguishable from chance, adjusted p&nbsp;= 0.3; it would be called equivalent to 0 within" in unsure
    numbers.loc[numbers["variant"] == "cross_form", ["estimate", "p_adjusted"]] = np.nan
    text = one_line(part_of(numbers).overview)
    assert "not measured (50 attributes). CB is 1.25 (1.00 to 1.50), which is above 0 without bias." in text


@pytest.mark.slow
def test_the_heat_map_is_drawn_with_attributes_as_rows_as_its_caption_says():
    drawn = figure_toys.heatmap()
    panel = heatmap.figure(drawn).axes[0]
    assert {tick.get_text() for tick in panel.get_yticklabels()} <= set(drawn["attribute"])
    assert {tick.get_text() for tick in panel.get_xticklabels()} <= set(drawn["target"])
    assert "log P′ of each attribute (row) with each target (column)" in one_line(part_of(tidy()).html)


def test_a_test_with_too_few_permutations_says_that_it_cannot_find_anything():
    tests = {"permutations": 9, "correction": "fdr_bh"}
    part = part_of(tidy(), section=SECTION | {"tests": tests})
    assert part.html.count("cannot fall below 0.1 here") == len(MEASURED)
    assert "0.0321" not in part.html.replace('value="0.0321"', "")
    assert "more than chance" not in part.overview


@pytest.mark.slow
def test_a_causal_model_beside_masked_ones_is_told_apart():
    numbers = tidy()
    causal = numbers["model"] == "strong"
    numbers = numbers[~(causal & (numbers["definition"] == "released"))]
    numbers.loc[causal, "definition"] = "whole"
    part = part_of(numbers)
    assert [row["model"] for row in part.answers[0].rows if row["caveat"]] == ["strong"]
    assert table(part.html, "table-cb")[0][-1] == "–"  # no CB as released
    assert "CB, released" not in part_of(numbers[numbers["model"] == "strong"]).html
