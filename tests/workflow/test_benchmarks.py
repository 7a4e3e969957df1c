"""What `make bench` runs: the files that it names are there, and its run of the workflow's scripts works in small."""

import importlib.util
import re
from pathlib import Path

import pytest

FILES = sorted(Path("tests/benchmarks").glob("*.py"))


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_benchmark_names_is_there(file):
    # reading its imports runs nothing of it
    load(file)
    named = re.findall(r"\"((?:resources|config|workflow)/[\w./-]+)\"", file.read_text(encoding="utf-8"))
    assert [path for path in named if not Path(path).exists()] == []


@pytest.mark.slow  # eight processes of the workflow's own scripts
def test_the_plan_of_all_cities_in_small(monkeypatch, capsys):
    planning = load(Path("tests/benchmarks/planning.py"))
    for name, small in {"NAMES": 60, "DESCRIPTIONS": 6, "SHARDS": 2}.items():
        monkeypatch.setattr(planning, name, small)
    monkeypatch.setenv("PYTHONPATH", "workflow/scripts")
    planning.main()
    said = capsys.readouterr().out
    assert f"(d) {60 * (6 + 1)} sentences" in said
    assert said.count("plan_scoring: ") == 2
    assert said.count("gather_scores: ") == 1
