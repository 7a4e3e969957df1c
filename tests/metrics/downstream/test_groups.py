"""Groups that columns of the data name: by values, by shares, and their faults with the place."""

import pandas as pd
import pytest
from tests.metrics.downstream.test_section import TASK
from tests.metrics.downstream.test_tasks import prepared, table
from tests.refusals import refused

from herbarium.core import store
from herbarium.core.attributes import Pair, group_of, pairs
from herbarium.metrics.downstream import groups, targets, tasks
from herbarium.study import config

GENDER = {"column": "gender", "values": ["female", "male"], "columns": [], "at_least": 0.5}
RACE = {"column": None, "values": [], "columns": ["white", "black"], "at_least": 0.5}


def test_values_of_a_column_and_shares_by_hand():
    cells = pd.DataFrame(
        {"gender": ["female", "male", "other", ""], "white": ["1", "0.5", "0.4", ""], "black": ["0", "0.5", "0.8", "1"]}
    )
    by_text = groups.of(cells, {"gender": GENDER, "race": RACE}, "talk.csv")
    assert by_text.tolist() == [
        [("gender", "female"), ("race", "white")],
        [("gender", "male")],  # of both: of none
        [("race", "black")],
        [("race", "black")],
    ]
    assert group_of(by_text, "gender", ["female", "male"]).tolist() == [0, 1, -1, -1]
    assert group_of(by_text, "race", ["black", "white"]).tolist() == [1, -1, 0, 0]
    assert groups.of(cells, {}, "talk.csv").isna().all()
    assert group_of(pd.Series([None, None]), "gender", ["female", "male"]).tolist() == [-1, -1]


def test_a_share_of_exactly_the_least_is_enough():
    cells = pd.DataFrame({"white": ["0.5", "0.49"], "black": ["0.1", "0.5"]})
    by_text = groups.of(cells, {"race": RACE}, "talk.csv")
    assert by_text.tolist() == [[("race", "white")], [("race", "black")]]


def test_every_two_groups_are_compared():
    names = {"gender": ["female", "male"], "race": ["a", "b", "c"]}
    assert [pair.name for pair in pairs(names)] == ["gender: female, male", "race: a, b", "race: a, c", "race: b, c"]
    assert pairs(names)[0] == Pair("gender", "female", "male")


def test_they_go_with_the_examples_and_change_nothing_else(tmp_path):
    rows = table().assign(gender=["female", "male", ""] * 8, white=[0.7, 0.3] * 12, black=[0.2, 0.7] * 12)
    _, without = prepared(rows)
    _, examples = prepared(rows, groups={"gender": GENDER, "race": RACE})
    pd.testing.assert_frame_equal(examples.drop(columns="groups"), without.drop(columns="groups"))
    number = {"female": 0, "male": 1, "": -1}
    path = tmp_path / "examples.parquet"
    for made, expected in ((examples, number), (without, dict.fromkeys(number, -1))):
        store.write_table(path, tasks.EXAMPLES, made, {})
        again = store.read_frame(path, "task_examples")
        wanted = rows.set_index("text")["gender"][again["text"]].map(expected)
        assert group_of(again["groups"], "gender", ["female", "male"]).tolist() == wanted.tolist()


@pytest.mark.slow
def test_a_column_that_a_local_table_lacks_is_told_before_anything_runs(values, tmp_path):
    path = tmp_path / "reviews.csv"
    table().assign(sex="F").to_csv(path, index=False)
    entry = TASK | {"data": {"path": str(path)}, "groups": {"gender": {"column": "sex", "values": ["F", "M"]}}}

    def section(**changes):
        return config.load({**values, "downstream": {"tasks": {"reviews": entry | changes}}}).downstream

    targets.require_files(section())
    with refused("reviews.csv", "'gender'"):
        targets.require_files(section(groups={"gender": {"column": "gender", "values": ["F", "M"]}}))


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        (GENDER | {"column": "sex"}, ("talk.csv", "'sex'")),
        (GENDER | {"values": ["female", "M"]}, ("talk.csv", "'M'", "'gender'")),
        (RACE | {"columns": ["white", "gender"]}, ("talk.csv, row 1, column 'gender'", "'female'")),
        (RACE | {"at_least": 0.9}, ("talk.csv", "0.9", "'black'")),
    ],
)
def test_what_the_data_do_not_have_is_told(attribute, told):
    rows = table().assign(gender=["female", "male"] * 12, white=[0.95, 0.2] * 12, black=[0.2, 0.7] * 12)
    with refused(*told):
        prepared(rows, groups={"a": attribute})
