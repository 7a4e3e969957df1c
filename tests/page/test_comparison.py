"""The page on two results folders, and its figure."""

import re

import pandas as pd
import pytest
from tests.reports import pictures_of, shown
from tests.study.figure_toys import of_two_runs, that_differ

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


CAUSES = pd.DataFrame([("code", "measure", "a", None)], columns=["kind", "name", "base", "new"])


@pytest.mark.parametrize(("apart", "causes"), [(None, CAUSES), (0.0, CAUSES[:0])], ids=["differences", "none"])
def test_the_page_lists_what_differs_with_its_causes(apart, causes, tmp_path, snapshot):
    changes = of_two_runs() if apart is None else of_two_runs(apart)
    picture = pictures_of({"differences": that_differ(changes)}, tmp_path)["differences"]
    page = build([comparison(changes, causes, picture, "old", "new")], [], {"seed": 1}, {"libraries": {"torch": "2"}})
    assert shown(page) == snapshot
    assert "<b>" not in page
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(re.findall(r'id="([\w-]+)"', page))
