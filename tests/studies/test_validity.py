"""`make validity` in small, and what its last run in full found: resources/{metric}/validity.csv."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from studies.validity import rates, run


@pytest.mark.nightly
@pytest.mark.parametrize("metric", run.METRICS)
def test_each_design_in_small(metric):
    """The fewest studies of each: that they run. Error rates are what `make validity` is for."""
    table = pd.DataFrame(importlib.import_module(f"studies.validity.{metric}").rates(3))
    assert table.columns.tolist() == rates.COLUMNS
    assert table["share"].between(0, 1).all()
    assert (table["studies"] > 0).all()


@pytest.mark.parametrize("metric", run.METRICS)
def test_the_last_run_holds_what_the_pages_promise(metric):
    table = pd.read_csv(run.results(metric), comment="#", keep_default_na=False)
    assert table.columns.tolist() == rates.COLUMNS
    assert set(table["metric"]) == {metric}
    for row in table.itertuples():
        assert row.holds == rates.holds(row.what, row.share, row.high), row
    limits = Path("docs/known_limits.md").read_text(encoding="utf-8")
    for row in table[table["holds"] == "no"].itertuples():
        assert f"| {row.metric} | {row.variant} | {row.what} |" in limits
    assert (table["studies"] >= 200).all()


def test_what_will_do():
    assert rates.holds("type I error", 0.05, 0.07) == rates.holds("coverage", 0.95, 0.96) == "yes"
    assert rates.holds("type I error", 0.05, 0.1) == rates.holds("type I error", 0.07, 0.08) == "no"
    assert rates.holds("coverage", 0.92, 0.95) == rates.holds("coverage", 0.98, 0.99) == "no"
    assert rates.holds("power", 0.01, 0.02) == rates.holds("type I error, withdrawn", 0.5, 0.6) == ""
    tally = rates.Rates("m", "d")
    for n in range(40):
        tally.add("coverage", "v", n != 0)
    (row,) = tally.rows()
    assert (row["share"], row["studies"]) == (0.975, 40)
    assert row["low"] < 0.975 < row["high"]


@pytest.mark.slow
def test_the_command_in_small(tmp_path):
    (tmp_path / run.results("propagation").parent).mkdir(parents=True)
    root = Path(__file__).parents[2]
    script = [sys.executable, root / "studies/validity/run.py", "2", "propagation"]
    search = os.pathsep.join(map(str, (root / "workflow/scripts", root)))
    subprocess.run(script, cwd=tmp_path, env={**os.environ, "PYTHONPATH": search}, check=True, capture_output=True)
    first, *_ = (tmp_path / run.results("propagation")).read_text().splitlines()
    assert "2 simulated studies of each design" in first
    assert len(pd.read_csv(tmp_path / run.results("propagation"), comment="#")) > 10
