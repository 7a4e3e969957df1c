"""Numbers as the page writes them: their texts, what these know, and p-values that could say nothing."""

import ast
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import herbarium
from herbarium.drawing import style
from herbarium.report import numbers
from herbarium.report.part import render

LIBRARY = Path(herbarium.__file__).parent


@pytest.mark.parametrize(
    ("value", "form", "message"),
    [
        (-0.004, ".0%", "0%"),
        (-0.0004, "+.3f", "0.000"),
        (0.0004, "+.3f", "0.000"),
        (-0.0, "g", "0"),
        (-1234, ",.0f", "−1,234"),
        (-1e-7, ".2g", "−1e−07"),
        (0.5, "+.1f", "+0.5"),
    ],
)
def test_no_minus_stands_before_a_rounded_zero(value, form, message):
    assert style.text(value, form) == message
    assert numbers.text(value, form) == message


def test_every_formatter_leaves_out_that_minus():
    row = pd.Series({"estimate": 0.4, "ci_low": -0.0004, "ci_high": 0.9})
    assert numbers.number(row, scale=1)["low"] == "0.000"
    assert style.with_interval(0.0, -0.001, 0.2, ".0%") == "0% [0%, 20%]"


@pytest.mark.slow
def test_signs_are_written_in_one_place():
    """Every other f-string that writes a sign, or makes a minus of a hyphen, would have to know of the rounded zero."""
    values = []
    for folder in ("drawing", "report", "page", "metrics"):
        for path in (LIBRARY / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                form = (
                    ast.unparse(node.format_spec) if isinstance(node, ast.FormattedValue) and node.format_spec else ""
                )
                minus = isinstance(node, ast.Constant) and node.value == "−"
                if re.match(r"f'\+", form) or minus:
                    values.append(path.relative_to(LIBRARY).as_posix())
    assert values == ["drawing/style.py"]


def test_a_number_knows_what_it_is_of():
    cell = numbers.number(pd.Series({"estimate": 0.0807123, "ci_low": 0.04471, "ci_high": np.nan}))
    assert (cell["value"], cell["low"], cell["high"]) == ("80.7", "44.7", None)
    assert cell["value"].number == pytest.approx(80.7123, abs=1e-9)
    assert numbers.p_text(1e-9) == "< 0.001"
    assert numbers.p_text(1e-9).number == 1e-9


def test_a_cell_holds_one_value_a_name(tmp_path):
    (tmp_path / "cell.html.j2").write_text(
        '{% from "macros.html.j2" import with_p, value %}{{ with_p(cell) }}|{{ value(none) }}|{{ value(3) }}'
    )
    cell = numbers.number(pd.Series({"estimate": 0.0807123, "ci_low": 0.04471, "ci_high": 0.11812}))
    cell |= {"p": numbers.p_text(1e-9), "note": None}
    text = render(tmp_path, "cell.html.j2", {"cell": cell}).replace("\n", "")
    assert re.findall(r'<data(?: data-of="(\w+)")? value="([^"]+)">([^<]+)', text) == [
        ("", "80.7123", "80.7"),
        ("low", "44.71", "44.7"),
        ("high", "118.12", "118.1"),
        ("p", "1e-09", "&lt; 0.001"),
        ("", "3", "3"),
    ]
    assert "|–|" in text


def test_a_p_value_that_could_say_nothing_is_not_written():
    assert numbers.p_value(0.42, least=0.42) == "cannot fall below 0.42 here"
    assert numbers.p_text(1.0, least=0.05) == "cannot fall below 0.05 here"
    assert numbers.p_value(0.42, least=0.049) == numbers.p_value(0.42) == "0.42"
    assert numbers.p_value(0.42, least=np.nan) == "0.42"
    assert numbers.p_value(np.nan, least=0.42) is None
    assert numbers.p_value(0.42, least=0.42).number == 0.42


def test_the_least_p_value_is_that_of_its_family():
    rows = pd.DataFrame({"model": ["a", "a", "a", "b"], "p_value": [0.5, 0.01, np.nan, 0.5]}, [3, 1, 2, 0])
    least = numbers.least_p(rows, 0.02, ["model"], "holm")
    assert least.index.tolist() == [3, 1, 2, 0]
    assert least.tolist()[:2] == [0.04, 0.04]
    assert np.isnan(least[2])
    assert least[0] == 0.02
    least_alone = pd.Series([0.04, 0.0, 0.0, 0.0], rows.index)  # a test without a limit can do no harm
    assert numbers.least_p(rows, least_alone, ["model"], "holm")[3] == 0.04


def test_a_number_with_its_note():
    row = pd.Series({"estimate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "note": "two pairs left out"})
    assert numbers.noted(row) == numbers.number(row, scale=1) | {"note": "two pairs left out"}
    assert numbers.noted(row, scale=100)["value"] == "50.0"
    for absent in (None, np.nan):
        row["note"] = absent
        assert numbers.noted(row)["note"] is None
