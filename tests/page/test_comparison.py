"""The page on two results folders, and its figure."""

import re

import pandas as pd
import pytest
from tests.reports import pictures_of, table, words
from tests.study.figure_toys import NAMES, of_two_runs, that_differ

from herbarium.page.build import build
from herbarium.page.comparison import comparison
from herbarium.study import differences


@pytest.fixture(scope="module")
def changes():
    return of_two_runs()


def test_the_figure_has_the_first_of_each_kind(changes):
    drawn = that_differ(changes)
    assert drawn.columns.tolist() == differences.COLUMNS
    assert len(drawn) == differences.LINES
    assert set(drawn["panel"]) == {"toy, own, v (the first 12 of 19)"}
    assert drawn["estimate"].iloc[0] == 9.5  # the largest of 0, 0.5, …, 9.5
    assert len(differences.panels(drawn)) == 1
    assert "toy, own, v" in differences.describe(drawn)


def test_the_page_lists_what_differs_with_its_causes(changes, tmp_path):
    causes = pd.DataFrame([("code", "measure", "a", None)], columns=["kind", "name", "base", "new"])
    picture = pictures_of({"differences": that_differ(changes)}, tmp_path)["differences"]
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
    same = of_two_runs(0.0)
    picture = pictures_of({"differences": that_differ(same)}, tmp_path)["differences"]
    room = comparison(same, pd.DataFrame(columns=["kind", "name", "base", "new"]), picture, "old", "new")
    assert "every number is the same in both, to the last bit" in room.html
    assert "None of the inputs differ" in room.html
    assert differences.EMPTY in room.html
