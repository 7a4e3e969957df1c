"""What an answer says of a model follows from its own interval or test, and from the control beside it."""

import numpy as np
import pandas as pd
import pytest

from herbarium.report import answers
from herbarium.report.answers import EQUIVALENT, LESS, MORE, NONE, OPEN, UNCLEAR, answer, table

PLANTED = {"none": 0.0, "strong": 2.0}


def row(model, estimate, low=np.nan, high=np.nan, p=np.nan, **more):
    return {"model": model, "estimate": estimate, "ci_low": low, "ci_high": high, "p_adjusted": p, "note": None} | more


def said(*rows, null=0.0):
    found = table([answer("Lean", "How far it leans.", "nats", "lean", pd.DataFrame(rows), PLANTED, null)])
    return {(of["model"], of["of"]): (of["verdict"], of["said"]) for of in found.to_dict("records")}


CONTROL = row("none", 0.01, -0.1, 0.1)


@pytest.mark.parametrize(
    ("own", "verdict", "sentence"),
    [
        (row("mine", 1.0, 0.8, 1.2), MORE, "More than the control (0.0100)."),
        (row("mine", -1.0, -1.2, -0.8), LESS, "Less than the control (0.0100)."),
        (row("mine", 0.1, 0.05, 0.15), UNCLEAR, "Different from 0, but not distinguishable from the control."),
        (row("mine", 0.1, -0.1, 0.3), OPEN, "Not distinguishable from 0."),
        (row("mine", 1.0, 0.8, 1.2, p=0.2), OPEN, "Not distinguishable from 0, p = 0.2."),
        (row("mine", 1.0, 0.8, 1.2, p=1e-5), MORE, "More than the control (0.0100), p < 0.001."),
        (
            row("mine", 0.1, -0.1, 0.3, p=0.6, within=0.5),
            EQUIVALENT,
            "Equivalent to 0 within ±0.5, by the test of equivalence.",
        ),
        (row("mine", np.nan, note="no words"), NONE, "No value: no words."),
        (row("mine", 0.1, -0.1, 0.3, caveat="of few"), OPEN, "Not distinguishable from 0. Note: of few."),
        (row("mine", 1.0), OPEN, "There is neither a test nor an interval."),
    ],
)
def test_a_verdict_follows_from_test_or_interval_and_control(own, verdict, sentence):
    assert said(CONTROL, own)["mine", ""] == (verdict, sentence)


def test_a_row_keeps_which_number_of_the_tidy_table_it_is():
    key = {"metric": "leaning", "definition": "own", "variant": "bias", "unit": "word", "group": "all"}
    rows = pd.DataFrame([CONTROL | key, row("mine", 1.0)])
    found = answer("Lean", "How far it leans.", "nats", "lean", rows, PLANTED).rows
    assert [{of: row[of] for of in key} for row in found] == [key, dict.fromkeys(key)]


def test_a_test_that_does_not_reject_is_never_called_no_bias():
    for p in (0.05, 0.5, 1.0):
        verdict, sentence = said(CONTROL, row("mine", 9.0, 8.0, 10.0, p))["mine", ""]
        assert verdict == OPEN
        assert sentence.startswith("Not distinguishable")


def test_without_a_control_a_verdict_says_so_and_takes_a_test():
    apart = row("mine", 1.0, 0.8, 1.2)
    assert said(apart | {"p_adjusted": 0.02})["mine", ""] == (MORE, "More than 0, p = 0.02; the study has no control.")
    lacking = "Its interval excludes 0; there is no test, and "
    assert said(apart)["mine", ""] == (UNCLEAR, lacking + "the study has no control.")
    assert said(row("none", 0.01), apart)["mine", ""] == (UNCLEAR, lacking + "the control has no interval.")


def test_more_or_less_is_said_of_the_number_it_is_compared_with():
    """The control of a metric may lie far from the null value."""
    high = row("none", 3.0, 2.9, 3.1)
    assert said(high, row("mine", 1.0, 0.8, 1.2))["mine", ""] == (LESS, "Less than the control (3.00).")


def test_intervals_are_widened_by_the_number_of_models():
    """For 20 models 1.54 times: by then these two meet."""
    apart, other = row("mine", 0.3, 0.15, 0.45), [row(f"m{at}", 0.0, -0.1, 0.1) for at in range(19)]
    assert said(CONTROL, apart)["mine", ""][0] == MORE
    assert said(CONTROL, apart, *other)["mine", ""][0] == UNCLEAR


def test_where_only_the_control_says_what_no_bias_is_an_interval_alone_is_no_verdict():
    apart, near = row("mine", 1.0, 0.8, 1.2), row("near", 0.1, 0.05, 0.2)
    found = said(CONTROL, apart, near, null=None)
    assert found["near", ""][0] == OPEN
    assert found["mine", ""] == (MORE, "More than the control (0.0100).")
    assert said(apart, null=None)["mine", ""][0] == OPEN


def test_a_control_that_does_not_read_its_null_value_is_said_to():
    assert said(row("none", 0.5, 0.4, 0.6))["none", ""] == (
        UNCLEAR,
        "Control without bias. It differs from 0: compare with it.",
    )
    assert said(CONTROL)["none", ""] == (OPEN, "Control without bias: not distinguishable from 0.")


def test_a_row_is_compared_with_the_control_of_the_same_task():
    rows = [
        row("none", 0.0, -0.1, 0.1, of="a"),
        row("none", 3.0, 2.9, 3.1, of="b"),
        row("mine", 3.0, 2.9, 3.1, of="a"),
        row("mine", 3.0, 2.9, 3.1, of="b"),
    ]
    found = said(*rows)
    assert found["mine", "a"][0] == MORE
    assert found["mine", "b"][0] == UNCLEAR


def test_numbers_are_scaled_from_no_bias_to_the_strongest_planted_one():
    rows = pd.DataFrame([row("strong", 60, 58, 62), row("none", 50, 49, 51), row("mine", 45, 44, 46)])
    found = table([answer("Share", "How often.", "per cent", "share", rows, PLANTED, 50.0)]).set_index("model")
    assert list(found.index) == ["none", "strong", "mine"]  # the order of figures
    assert found["scaled"].to_dict() == {"none": 0.0, "strong": 1.0, "mine": -0.5}
    assert found.loc["strong", ["scaled_low", "scaled_high"]].tolist() == pytest.approx([0.8, 1.2])
    assert found["is_control"].tolist() == [True, False, False]
    alone = table([answer("Share", "How often.", "per cent", "share", rows[2:], PLANTED, 50.0)])
    assert alone["scaled"].tolist() == [-1.0]  # nothing is planted: the farthest value


def test_a_published_number_stands_on_the_scale_of_ours():
    rows = pd.DataFrame([row("none", 50, 49, 51), row("strong", 60, 58, 62), row("mine", 55, 54, 56, published=65.0)])
    found = table([answer("Share", "How often.", "per cent", "share", rows, PLANTED, 50.0)]).set_index("model")
    assert found["scaled_published"].dropna().to_dict() == {"mine": 1.5}
    alone = table([answer("Share", "How often.", "per cent", "share", rows[2:], PLANTED, 50.0)])
    assert alone[["scaled", "scaled_published"]].to_numpy().tolist() == [[1 / 3, 1.0]]  # it is the farthest value


def test_no_answers_are_an_empty_table():
    assert table([]).empty
    assert {"model", "scaled", "verdict"} <= set(table([]).columns)
    assert answers.table([answer("Lean", "", "", "lean", pd.DataFrame([CONTROL])[:0], PLANTED)]).empty
