"""The part of the page on groups: one row per fit, whatever metric the scores are of."""

import json

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.reports import table, words

from herbarium.page import build
from herbarium.report import groups
from herbarium.report.part import from_record
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels

MODELS = [model_record("strong", 2.0), model_record("none", 0.0)]
SETTINGS = MixedModels().model_dump(mode="json")


def fit(model, contrast, data="herb", **more):
    row = {"model": model, "data": data, "definition": "paper", "subset": "all", "structure": "pairs"}
    row |= {"dimension": "all", "contrast": contrast, "n": 1000, "n_refused": 0, "converged": True, "singular": False}
    numbers = {"estimate": 1.25, "ci_low": 1.24, "ci_high": 1.26, "p_value": 1e-9, "p_adjusted": 2e-9, "mde": 0.03}
    return row | numbers | more


def each(model, data="herb"):
    lost = dict.fromkeys(["estimate", "ci_low", "ci_high", "mde"])
    return fit(model, "each", data, structure="intercepts", r2=0.5, r2_low=0.25, r2_high=0.75, **lost)


@pytest.fixture
def part():
    fits = [each("strong"), fit("strong", "North America-others", singular=True), each("none")]
    fits += [fit("none", "greek-others", "categorical_bias")]
    own = groups.part(pd.DataFrame(fits).reindex(columns=ADJUSTED.fields.names), MODELS, SETTINGS, told=[])
    return from_record(json.loads(json.dumps(own._asdict())))


def page(part):
    return build.build([part], MODELS, {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def test_groups_are_compared_at_once_and_each_against_the_others(part):
    rows = table(page(part), "table-groups")
    assert [row[:4] for row in rows] == [
        ["herb", "none (planted 0)", "all groups at once", "as in the paper"],
        ["herb", "strong (planted 2)", "all groups at once", "as in the paper"],
        ["herb", "strong (planted 2)", "North America against the others", "with pairs"],
        ["categorical_bias", "none (planted 0)", "greek against the others", "with pairs"],
    ]
    assert rows[1][5:] == ["–", "< 0.001", "0.500 0.250 to 0.750", ""]
    assert rows[2][5] == "1.25 1.24 to 1.26"
    assert rows[2][-1] == "singular"
    assert "There are 4 fits: 1 singular" in words(page(part))


def test_what_the_page_takes_from_the_part(part):
    assert part.sections == [("groups", "Groups")]
    (tested,) = part.tested
    assert (tested.metric, tested.section, tested.correction) == ("mixed_effects", "groups", "holm")
    assert "Groups: of 4 mixed models 0 did not converge" in part.uncertainty
    assert [model["name"] for model in part.models] == ["strong", "none"]


def test_fits_that_stand_in_the_part_of_their_metric_are_only_counted():
    fits = pd.DataFrame([fit("strong", "North America-others"), fit("none", "greek-others", "tasks", singular=True)])
    own = groups.part(fits.reindex(columns=ADJUSTED.fields.names), MODELS, SETTINGS, told=["tasks"])
    assert [row[0] for row in table(page(own), "table-groups")] == ["herb"]
    assert "The fits of tasks stand with the other numbers" in words(page(own))
    assert "of 2 mixed models" in own.uncertainty
    alone = groups.part(fits.reindex(columns=ADJUSTED.fields.names), MODELS, SETTINGS, told=["herb", "tasks"])
    assert 'id="table-groups"' not in alone.html


def test_no_text_becomes_markup(hostile):
    fits = [each(f"m{i}", f"data{i}") for i in range(4)] + [fit("m1", "a-others")]
    of = pd.DataFrame(fits).reindex(columns=ADJUSTED.fields.names)
    hostile(page(groups.part(of, MODELS, SETTINGS, told=[])))
