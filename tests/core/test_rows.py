"""Keys, filters and counts of rows: other cells have another name, and what matches nothing is refused."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.core import rows

CELLS = st.text("xy/\"'\\", max_size=4)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30))
def test_rows_have_one_name_if_and_only_if_their_cells_are_the_same(cells):
    names = rows.named([pd.Series(column) for column in zip(*cells, strict=True)], "/")
    for (one, its_name), (other, other_name) in itertools.combinations(zip(cells, names, strict=True), 2):
        assert (its_name == other_name) == (one == other)


def test_names_that_are_clear_are_joined_and_others_are_in_quotes():
    first, second = pd.Series(["x/y", "x", "x/y"]), pd.Series(["z", "z", "z"])
    assert rows.named([first, second], "/").tolist() == ["x/y/z", "x/z", "x/y/z"]
    assert rows.named([first, pd.Series(["z", "y/z", "z"])], "/").tolist() == ['"x/y"/"z"', '"x"/"y/z"', '"x/y"/"z"']
    assert rows.named([second], "/").tolist() == ["z"] * 3


@pytest.mark.parametrize("value", ["religon", "Religion", "religion ", ""])
def test_a_value_that_no_row_has_is_refused_with_the_nearest(value):
    facts = ["'religion'"] if value else ["religion", "gender"]
    with refused("t.csv", f"'{value}'", *facts):
        rows.require_matched("t.csv: column 'bias'", ["gender", value], ["gender", "religion", "religion"])
    rows.require_matched("t.csv", ["gender"], ["gender"])
    with refused("t.csv", "'a'"):
        rows.require_matched("t.csv", ["a"], [])


def test_rows_are_used_or_left_out_for_a_reason():
    rows.account("t.csv", 5, 3, {"empty": 2, "twice": 0})
    for n_used in (2, 4):
        with refused("t.csv", "5", n_used):
            rows.account("t.csv", 5, n_used, {"empty": 2})


def test_a_step_keeps_what_becomes_of_the_rows_of_each_table():
    of_step = rows.begin()
    rows.account("t.csv", 5, 3, {"empty": 2, "twice": 0})
    rows.account("u.csv", 2, 2, {})
    assert of_step == {
        "t.csv": {"read": 5, "used": 3, "left_out": {"empty": 2}},
        "u.csv": {"read": 2, "used": 2, "left_out": {}},
    }
    assert rows.begin() == {}
