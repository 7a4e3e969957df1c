"""Rows of the schema "calibration", on a toy."""

import numpy as np
import pandas as pd

from herbarium.statistics.calibration import CALIBRATION, Panel, rows

PANEL = Panel("scores", "Size of the score", "log ratio", "score", "sentences", null=1.0)


def numbers(*parts):
    """parts: series, model, planted strength and estimate."""
    table = pd.DataFrame(parts, columns=["series", "model", "planted", "estimate"])
    return table.assign(n=3, ci_low=np.nan, ci_high=np.nan)


def test_series_stand_from_weak_to_strong_in_their_order():
    of_b, of_a = [("b", "strong", 2.0, 9), ("b", "none", 0.0, 1)], [("a", "weak", 1.0, 5), ("a", "none", 0.0, 2)]
    table = rows(PANEL, numbers(*of_b, *of_a))
    assert list(table.columns) == CALIBRATION.fields.names
    assert table[["series", "model", "planted", "estimate"]].to_numpy().tolist() == [
        ["b", "none", 0.0, 1],
        ["b", "strong", 2.0, 9],
        ["a", "none", 0.0, 2],
        ["a", "weak", 1.0, 5],
    ]
    assert set(table["null"]) == {1.0}
    assert set(table["unit"]) == {"log ratio"}


def test_what_nothing_was_planted_in_is_left_out():
    table = rows(PANEL, numbers(("a", "real", None, 9.0), ("a", "none", 0.0, 2.0)))
    assert table["model"].tolist() == ["none"]
    assert rows(PANEL, numbers(("a", "real", None, 9.0))).empty
