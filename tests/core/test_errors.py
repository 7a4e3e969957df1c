"""Where errors say that they lie, and what a test finds in them."""

import pytest
from tests.refusals import is_at, names, refused

from herbarium.core.errors import HerbariumError

LISTED = """The configuration is not valid.
  - study.yaml, line 2: models.m: 'x' is no model
  - study.yaml, line 3: seed: 1.5"""


@pytest.mark.parametrize(
    ("place", "line", "is_there"),
    [
        ("a.csv, row 2", "/some folder/a.csv, row 2: '' is empty.", True),
        ("a.csv", "/folder/a.csv, row 2: '' is empty.", True),
        ("folder/a.csv", "/folder/a.csv is damaged.", True),
        ("a.csv, row 2", "/folder/a.csv, row 21: '' is empty.", False),
        ("a.csv", "/folder/data.csv: no such file.", False),
        ("a.csv", "/folder/a.csv.gz: no such file.", False),
        ("models.m", "models.m: /folder/config.json: no such file.", True),
        ("config.json", "models.m: /folder/config.json: no such file.", True),
        ("models.m", "  - study.yaml, line 2: models.m: no such folder", True),
        ("models.m", "models.m.adapter: no such folder", False),
        ("models.m", "use another key than models.m: it is taken", False),
    ],
)
def test_the_place_of_a_message_is_what_it_begins_with(place, line, is_there):
    assert is_at(place, line) == is_there


@pytest.mark.parametrize(
    ("fact", "is_named"),
    [("'x'", True), ("x", True), (3, True), (1.5, True), ("1,200", True), (1, False), (200, False), ("wor", False)],
)
def test_a_fact_is_not_a_part_of_a_word_or_number(fact, is_named):
    assert names("a.csv: 'x' has 3 words, 1.5 of 1,200.", str(fact)) == is_named


@pytest.mark.parametrize(
    "expected", [("models.m", "'x'"), ("seed", 1.5), ("study.yaml, line 3", "seed"), (None, "'x'", "models.m")]
)
def test_each_line_of_a_message_has_its_own_place_and_facts(expected):
    with refused(*expected):
        raise HerbariumError(LISTED)


@pytest.mark.parametrize(
    "expected", [("models.n",), ("models.m", "'y'"), ("models.m", 1.5), ("seed", "'x'"), (None, "'x'", 1.5)]
)
def test_another_place_or_fact_fails(expected):
    with pytest.raises(AssertionError), refused(*expected):
        raise HerbariumError(LISTED)


def test_an_error_of_another_class_fails():
    with refused("models.m", "'x'", kind=ValueError):
        raise ValueError(LISTED)
    with pytest.raises(ValueError, match="models"), refused("models.m", "'x'"):
        raise ValueError(LISTED)


def test_no_error_fails():
    with pytest.raises(pytest.fail.Exception), refused("models.m"):
        pass
