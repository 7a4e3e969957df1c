"""Mutants are faults, each in one place; and the runner tells those that a test notices from those that none does."""

import ast

import pytest
import yaml
from tests.mutation import run

MUTANTS = run.mutants()


def test_there_are_many():
    assert len(MUTANTS) >= 250


@pytest.mark.parametrize("room", {mutant.room: None for mutant in MUTANTS})
@pytest.mark.slow
def test_each_mutant_is_a_fault_in_one_place(room):
    for mutant in run.mutants(rooms=[room]):
        ast.parse(run.mutated(mutant))
        assert mutant.old.split() != mutant.new.split(), mutant
        assert mutant.why, mutant


@pytest.fixture
def project(tmp_path):
    """A project with two functions, of which the tests of its room know one, and three faults."""
    for name, text in {
        "pyproject.toml": (
            '[tool.pytest.ini_options]\npythonpath = ["workflow/scripts"]\naddopts = "--import-mode=importlib"\n'
            'markers = ["slow", "nightly", "network"]\n'
        ),
        "workflow/scripts/herbarium/__init__.py": "",
        "workflow/scripts/herbarium/toy/__init__.py": "",
        "workflow/scripts/herbarium/toy/sides.py": (
            "def first(pair):\n    return pair[0]\n\n\ndef second(pair):\n    return pair[1]\n"
        ),
        "tests/toy/test_sides.py": (
            "import pytest\n"
            "from herbarium.toy import sides\n"
            "\n"
            "def test_first():\n"
            "    assert sides.first([3, 4]) == 3\n"
            "\n"
            "@pytest.mark.slow\n"
            "def test_second():\n"
            "    assert sides.second([3, 4]) == 4\n"
        ),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def mutants(project, *faults):
    data = [{"file": "toy/sides.py", "old": old, "new": new, "why": "a side"} for old, new in faults]
    (project / "tests/mutation/mutants").mkdir(parents=True, exist_ok=True)
    (project / "tests/mutation/mutants/toy.yaml").write_text(yaml.safe_dump(data))


@pytest.mark.nightly
def test_a_fault_is_noticed_by_a_fast_test_or_survives(project, capfd):
    mutants(project, ("pair[0]", "pair[-1]"), ("pair[1]", "pair[0]"))
    assert run.main(root=project) == 1
    printed = capfd.readouterr().out
    assert printed.count("killed by") == 1
    assert "killed by tests/toy/test_sides.py::test_first" in printed
    assert "survived  toy/sides.py: a side\n- pair[1]\n+ pair[0]" in printed
    assert "toy: 1 of 2 killed, 50.0%" in printed
    assert (project / "workflow/scripts/herbarium/toy/sides.py").read_text().count("pair[1]") == 1

    mutants(project, ("pair[0]", "pair[-1]"))
    assert run.main(root=project) == 0


@pytest.mark.nightly
def test_a_test_that_fails_anyway_kills_nothing(project, capfd):
    file = project / "tests/toy/test_sides.py"
    file.write_text(file.read_text().replace("== 3", "== 5"))
    mutants(project, ("pair[0]", "pair[-1]"))
    assert run.main(root=project) == 1
    assert "test_first" in capfd.readouterr().out.splitlines()[-1]


def test_a_fault_stands_in_one_place(project):
    mutants(project, ("pair", "couple"))
    with pytest.raises(SystemExit, match=r"4 times in toy/sides\.py"):
        run.main(root=project)
