"""A row of a change of one model to another: values, bounds and difference, or why there is none."""

import numpy as np
import pytest

from herbarium.statistics.changes import by_mean, change
from herbarium.statistics.inference import Mean, t_interval

OF = ("base", "x", "base", "x-seed2")


def test_both_models_and_their_difference_are_in_the_row():
    sides = [{"estimate": value, "ci_low": value - 1, "ci_high": value + 2} for value in (1.0, 5.0)]
    row = change(OF, "toy", "D²", *sides, Mean(4.0, 0.25, 7))
    assert [row[name] for name in ("first", "second", "before", "after")] == list(OF)
    assert [row[f"{name}_before"] for name in ("value", "low", "high")] == [1, 0, 3]
    assert [row[f"{name}_after"] for name in ("value", "low", "high")] == [5, 4, 7]
    assert [row[name] for name in ("estimate", "std_error", "df", "note")] == [4, 0.5, 7, None]


def test_without_a_difference_the_note_says_why():
    row = change(OF, "toy", "D²", None, by_mean(Mean(1.0, 0.25, 7), 0.9), None)
    assert "estimate" not in row
    assert "not measured" in row["note"]
    assert np.isnan(row["value_before"])
    assert (row["low_after"], row["high_after"]) == pytest.approx(t_interval(Mean(1.0, 0.25, 7), 0.9))
    assert change(OF, "toy", "D²", None, None, None, note="why")["note"] == "why"
