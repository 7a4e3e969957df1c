"""The part of the page on groups: one row per data and model."""

import json

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.reports import shown

from herbarium.page import build
from herbarium.report import groups
from herbarium.report.part import from_record
from herbarium.statistics.section import MixedModels
from herbarium.statistics.tidy import tidy

MODELS = [model_record("strong", 2.0), model_record("none", 0.0)]
SETTINGS = MixedModels().model_dump(mode="json")
TESTS = SETTINGS["tests"]


def numbers(model, share, data="herb", note=None):
    base = {"model": model, "metric": "groups", "definition": "interaction", "unit": data, "group": "all", "n": 178}
    bounds = {"ci_low": share - 0.1, "ci_high": share + 0.1}
    p = {"p_value": 1e-9, "p_adjusted": 2e-9}
    rows = [
        base | bounds | p | {"variant": "share", "estimate": share, "note": note},
        base | bounds | {"variant": "equivalent", "estimate": share, "p_value": 0.4, "p_adjusted": 0.5},
        base | {"variant": "equivalence_bound", "estimate": share + 0.1},
    ]
    return tidy(pd.DataFrame(rows))


@pytest.fixture
def part():
    numbers_table = pd.concat(
        [numbers("strong", 0.3), numbers("none", 0.05, note="1 units left out"), numbers("none", 0.1, "mine")]
    )
    return from_record(json.loads(json.dumps(groups.part(numbers_table, MODELS, SETTINGS)._asdict())))


def page(part):
    return build.build([part], MODELS, {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def test_every_model_has_its_share_with_interval_test_and_bound(part, snapshot):
    assert (shown(page(part)), part.sections, part.tested) == snapshot


def test_a_share_is_within_the_bound_where_its_own_test_says_so():
    table = pd.concat([numbers("strong", 0.3), numbers("none", 0.05), numbers("none", 0.1, "mine")], ignore_index=True)
    is_small = (table["model"] == "none") & (table["unit"] == "herb") & (table["variant"] == "equivalent")
    answer = groups.share_answer(table.assign(p_adjusted=table["p_adjusted"].mask(is_small, 0.01)), MODELS, TESTS)
    assert {(row["model"], row["of"]): row["within"] for row in answer.rows} == {
        ("none", "herb"): TESTS["equivalence_share"],
        ("none", "mine"): None,
        ("strong", "herb"): None,
    }


def test_no_text_becomes_markup(hostile):
    numbers_table = pd.concat(numbers(f"m{i}", 0.1 * i, f"data{i}") for i in range(1, 5))
    hostile(page(groups.part(numbers_table, MODELS, SETTINGS)))
