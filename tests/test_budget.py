"""What takes more CPU time than it may is named, and CPU time is that of all processes that a test starts."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests import budget, quick

LOOP = "import time\nwhile time.process_time() < {}: pass"


def test_a_process_that_has_ended_and_one_that_runs_count():
    before = budget.cpu_seconds()
    subprocess.run([sys.executable, "-c", LOOP.format(0.3)], check=True)
    nested = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {LOOP.format(0.3)!r}])\nprint()\ninput()"
    with subprocess.Popen([sys.executable, "-c", nested], stdin=-1, stdout=-1) as running:
        running.stdout.readline()
        assert budget.cpu_seconds() - before > 0.55
        running.communicate(b"\n")


def test_what_many_files_use_is_charged_to_the_fixture():
    class Item:
        nodeid = "tests/study/test_first.py::test_a"
        get_closest_marker = {"slow": True}.get

    class Fixture:
        argname, scope, func = "measured", "session", test_what_many_files_use_is_charged_to_the_fixture

    meter = budget.Meter(Path("cpu.csv"))
    test, fixture = meter.pytest_runtest_protocol(Item), meter.pytest_fixture_setup(Fixture)
    next(test), next(fixture)
    subprocess.run([sys.executable, "-c", LOOP.format(0.3)], check=True)
    assert [*fixture, *test] == []
    assert meter.seconds["tests/study/test_first.py,slow"] < 0.1
    assert meter.shared["tests/test_budget.py::measured,slow"] > 0.25


UNITS = {
    ("collection", ""): 3.0,
    ("tests/metrics/herb/test_score.py", ""): 4.0,
    ("tests/metrics/herb/test_score.py", "slow"): 8.0,
    ("tests/study/test_first.py", "slow"): 16.0,
}


def test_a_command_is_the_sum_of_what_it_runs():
    units = budget.by_place(UNITS)
    assert [units[command] for command in budget.COMMANDS] == [7, 7, 31]
    assert units["tests/metrics/herb/test_score.py"] == 12
    assert budget.by_place(UNITS | {("tests/study/test_first.py", "nightly"): 9.0})["make test-all"] == 40


def test_what_grew_is_named():
    units = budget.by_place(UNITS)
    granted = budget.grants(units)
    assert granted["tests/study/test_first.py"] == pytest.approx(1.3 * 16)
    assert budget.grown(units, granted) == []
    (sentence,) = budget.grown(units | {"tests/study/test_first.py": 21.0}, granted)
    assert sentence.startswith("tests/study/test_first.py: 21.0")
    (sentence,) = budget.grown(units | {"tests/study/test_new.py": 5.1}, granted)
    assert sentence.startswith("tests/study/test_new.py: 5.1")
    (sentence,) = budget.grown(units | {"make quick": 42.1}, granted)
    assert sentence.startswith("make quick: 42.1")


def test_a_new_metric_has_a_budget_as_a_whole():
    units = budget.by_place(UNITS)
    some = {f"tests/metrics/new/test_{number}.py": 1.9 for number in range(7)}
    assert budget.grown(units | some, budget.grants(units)) == []
    some |= {"tests/metrics/new/test_last.py": 1.8}
    (sentence,) = budget.grown(units | some, budget.grants(units))
    assert sentence.startswith("tests/metrics/new: 15.1")


def test_the_command_grants_what_was_measured_and_fails_where_more_is_taken(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    head, row = "file,mark,seconds,units\n", "tests/study/test_first.py,slow,{},{}\n"
    for name, units in (("cpu.csv", 16.0), ("more.csv", 21.0)):
        (tmp_path / name).write_text(head + row.format(3 * units, units))
    budget.main("write", "cpu.csv")
    with pytest.raises(SystemExit, match=r"^0$"):
        budget.main("check", "cpu.csv")
    with pytest.raises(SystemExit, match=r"^tests/study/test_first\.py: 21\.0"):
        budget.main("check", "more.csv")
    assert "make test-all: 21 of" in capsys.readouterr().out


def test_every_choice_of_quick_tests_is_some():
    assert all([*quick.TESTS.glob(pattern)] for pattern in quick.FILES)


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("workflow/scripts/herbarium/metrics/sofa/report/part.py", "tests/metrics/sofa"),
        ("workflow/scripts/herbarium/statistics/paired.py", "tests/statistics"),
        ("workflow/scripts/herbarium/api.py", "tests/test_api.py"),
        ("workflow/scripts/measure_local_group_bias.py", "tests/metrics/local_group_bias"),
        ("workflow/rules/herb.smk", "tests/metrics/herb"),
        ("workflow/Snakefile", "tests/workflow"),
        ("docs/metrics/sofa.md", "tests/metrics/sofa"),
        ("docs/scoring.md", "tests/study/test_docs.py"),
        ("config/demo.yaml", "tests/study"),
        ("studies/validity/run.py", "tests/studies"),
        ("tests/regions/toy.py", "tests/regions"),
        ("tests/regions/test_levels.py", "tests/regions/test_levels.py"),
    ],
)
def test_an_edited_file_has_the_tests_of_its_room(file, tests):
    assert quick.rooms([file]) == [tests]
    assert Path(tests).exists()
