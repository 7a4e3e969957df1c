"""What `make bench` runs: each benchmark in its short form, and the table of ratios that is made of their figures."""

import datetime
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from tests import forks

pytestmark = pytest.mark.nightly  # runs every benchmark in its short form (a minute)

BENCHMARKS = Path("studies/benchmarks")
SHARED = BENCHMARKS / "shared.py"
FILES = sorted(set(BENCHMARKS.glob("*.py")) - {SHARED})


@pytest.fixture(scope="module", autouse=True)
def root_is_searched():
    """For forks, too, which find modules where this process does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path.cwd())
        yield


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_short_form_prints_its_figures_and_writes_them_down(file, tmp_path):
    if file.stem == "page" and not shutil.which("chromium"):
        pytest.skip("there is no browser: make browser")
    settings = {"BENCHMARKS": str(tmp_path / "figures.jsonl"), "PYTHONPATH": "workflow/scripts:.:.oracles"}
    status, printed, errors = forks.run(file, tmp_path, SHORT="1", **settings)
    assert status == 0, errors
    assert [line for line in printed.splitlines() if not line.startswith("short form: ")] == []
    figures = [json.loads(line) for line in (tmp_path / "figures.jsonl").read_text(encoding="utf-8").splitlines()]
    assert figures
    for figure in figures:
        assert figure["benchmark"] == file.stem
        assert figure["short"] is True
        assert figure["value"] >= 0
        assert figure["threads"] >= 1
        assert figure["processor"].startswith("CPU (")
        assert (figure["unit"] == "ratio") == (figure["peer"] is not None)
        datetime.datetime.fromisoformat(figure["date"])
    keys = [(figure["what"], figure["unit"], figure["peer"]) for figure in figures]
    if file.stem != "planning":  # it plans several shards
        assert len(set(keys)) == len(keys)


@pytest.fixture
def shared():
    from studies.benchmarks import shared

    return shared


FIGURE = {
    "date": "2026-01-02T03:04:05+00:00",
    "commit": "abc1234",
    "benchmark": "scoring",
    "processor": "CPU (x avx2)",
    "threads": 2,
    "short": False,
    "what": "(a) HERB, float32",
    "value": 1.02,
    "unit": "ratio",
    "peer": "floor",
}


def test_only_ratios_of_full_runs_enter_the_table(shared):
    others = [FIGURE | {"short": True}, FIGURE | {"unit": "s", "peer": None}]
    table = shared.ratios(pd.DataFrame([FIGURE, *others]))
    assert table.to_dict("records") == [
        {**{column: FIGURE[column] for column in shared.COLUMNS}, "date": FIGURE["date"][:10]}
    ]


def test_the_later_of_two_runs_of_a_day_stays(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(shared, "FIGURES", tmp_path / "figures.jsonl")
    monkeypatch.setattr(shared, "TABLE", tmp_path / "table.csv")
    for value in (1.02, 1.05):
        with shared.FIGURES.open("a") as file:
            file.write(json.dumps(FIGURE | {"value": value}) + "\n")
        shared.main()
        shared.main()  # adds nothing
    other_day = FIGURE | {"date": "2026-02-03T00:00:00+00:00"}
    shared.FIGURES.write_text(json.dumps(other_day) + "\n")
    shared.main()
    table = pd.read_csv(shared.TABLE)
    assert table[["date", "value"]].to_numpy().tolist() == [["2026-01-02", 1.05], ["2026-02-03", 1.02]]


def test_the_table_of_the_documentation(shared):
    table = pd.read_csv(shared.TABLE)
    assert list(table.columns) == shared.COLUMNS
    every = {file.stem for file in FILES}
    has_none = {"gpu", "stages"}  # as long as no GPU is measured; figures without a ratio
    assert every - has_none <= set(table["benchmark"]) <= every
    assert (table["value"] > 0).all()
    assert (table["threads"] >= 1).all()
    assert (table["processor"].str.startswith("CPU (") == (table["benchmark"] != "gpu")).all()
    assert table[[column for column in shared.COLUMNS if column != "commit"]].notna().all(axis=None)
    for date in table["date"]:
        datetime.date.fromisoformat(date)
