"""The page on two results folders, and its figure."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.reports import pictures_of, table, words

from herbarium.page.build import build
from herbarium.page.comparison import comparison
from herbarium.statistics.tidy import tidy
from herbarium.study import comparison as of_runs
from herbarium.study import differences

NAMES = [f"<b>group {i}</b>" for i in range(20)]


def numbers(shift):
    rows = {"group": NAMES, "estimate": np.arange(20.0) * (1 + shift), "std_error": 1.0, "n": 9}
    of = pd.DataFrame(rows).assign(model="m", metric="toy", definition="own", variant="v", unit="set")
    return tidy(of.assign(ci_low=of["estimate"] - 2, ci_high=of["estimate"] + 2))


@pytest.fixture(scope="module")
def changes():
    return of_runs.changes(numbers(0.0), numbers(0.5)).assign(model_base="m")


def test_the_figure_has_the_first_of_each_kind(changes):
    drawn = differences.table(changes[changes["change"] != of_runs.SAME])
    assert drawn.columns.tolist() == differences.COLUMNS
    assert len(drawn) == differences.LINES
    assert set(drawn["panel"]) == {"toy, own, v (the first 12 of 19)"}
    assert drawn["estimate"].iloc[0] == 9.5  # the largest of 0, 0.5, …, 9.5
    assert len(differences.figure(drawn).axes) == len(differences.panels(drawn)) == 1
    assert "toy, own, v" in differences.describe(drawn)
    assert differences.describe(drawn.iloc[:0]) is differences.EMPTY
    assert not differences.figure(drawn.iloc[:0]).axes


def test_the_page_lists_what_differs_with_its_causes(changes, tmp_path):
    drawn = differences.table(changes[changes["change"] != of_runs.SAME])
    causes = pd.DataFrame([("code", "measure", "a", None)], columns=["kind", "name", "base", "new"])
    picture = pictures_of({"differences": drawn}, tmp_path)["differences"]
    room = comparison(changes, causes, picture, "results_old", "results")
    page = build([room], [], {"seed": 1}, {"libraries": {"torch": "2"}})
    rows = table(page, "table-changes")
    assert len(rows) == 19  # 0 is the same in both
    assert rows[0][:8] == ["m", "m", "toy", "own", "v", "set", NAMES[19], "apart"]
    assert rows[0][12] == "independent"
    assert "<b>" not in page
    assert table(page, "table-causes") == [["code", "measure", "a", "–"]]
    assert table(page, "table-counts")[0][0] == "toy"
    assert "Of 20 numbers, 19 are not the same in both" in words(page)
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(re.findall(r'id="([\w-]+)"', page))


def test_two_equal_runs_differ_in_nothing(tmp_path):
    same = of_runs.changes(numbers(0.0), numbers(0.0)).assign(model_base="m")
    drawn = differences.table(same[same["change"] != of_runs.SAME])
    picture = pictures_of({"differences": drawn}, tmp_path)["differences"]
    room = comparison(same, pd.DataFrame(columns=["kind", "name", "base", "new"]), picture, "old", "new")
    assert "every number is the same in both, to the last bit" in room.html
    assert "None of the inputs differ" in room.html
    assert differences.EMPTY in room.html
