"""What holds of any figure, and of the panels of any interactive one."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from herbarium.drawing import style

BOUNDS = ("ci_low", "ci_high")


def assert_shows(panels: list[dict], rows: pd.DataFrame, column: str, axis: str, bounds=(), scale: float = 1) -> None:
    """Each row is a mark with its number and interval, and there is no other mark.

    axis: of the numbers in `column` ("z": of a map). bounds: columns of the ends of intervals. scale: of what is drawn.
    """
    rows = rows.dropna(subset=column)
    traces = [trace for panel in panels for trace in panel["data"] if "text" in trace]
    marks = [value for trace in traces for value in trace[axis] if value is not None]
    assert sorted(marks) == pytest.approx(sorted(scale * rows[column]), rel=1e-5, abs=1e-9)
    assert all(len(trace["text"]) == len(trace[axis]) for trace in traces)
    if bounds:
        ends = [
            (value - below, value + above)
            for trace in traces
            for value, below, above in zip(
                trace[axis], trace[f"error_{axis}"]["arrayminus"], trace[f"error_{axis}"]["array"], strict=True
            )
            if None not in (value, below, above)
        ]
        wanted = scale * rows[list(bounds)].dropna().to_numpy()
        np.testing.assert_allclose(sorted(ends), sorted(map(tuple, wanted)), rtol=1e-3, atol=1e-5)


def assert_stands_without_numbers(panels, table: pd.DataFrame, columns: list[str]) -> None:
    """A table whose numbers are lost, or without rows, makes no trouble. panels: that of the figure's module."""
    json.dumps(panels(table.assign(**dict.fromkeys(columns, np.nan))), allow_nan=False)
    assert_shows(panels(table[:0]), table[:0], columns[0], "x")


def assert_lays_out(figure) -> None:
    """There is room for everything, and no warning; no file is written, which takes longer."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.save(figure, [])
