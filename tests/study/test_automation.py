"""The workflows of GitHub that stand in .github/: what they run exists. None of them can run here."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.study.test_docs import absent

WORKFLOWS = sorted(Path(".github/workflows").glob("*.yml"))


def read(file):
    """Of YAML's words for true, `on` is a key here."""
    workflow = yaml.safe_load(file.read_text())
    return {"on" if key is True else key: value for key, value in workflow.items()}


def steps(file):
    return [step for job in read(file)["jobs"].values() for step in job["steps"]]


def commands(file):
    """The commands of a workflow as words."""
    lines = [line for step in steps(file) for line in step.get("run", "").splitlines()]
    return [shlex.split(line.removeprefix(".venv/bin/")) for line in lines]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_is_one(file):
    workflow = read(file)
    assert {"name", "on", "permissions", "jobs"} <= workflow.keys()
    for job in workflow["jobs"].values():
        assert {"runs-on", "timeout-minutes", "steps"} <= job.keys()
    for step in steps(file):
        assert ("run" in step) != ("uses" in step), step
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", step["uses"]), step


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_what_a_workflow_runs_exists(file):
    assert [(command, lost) for command in commands(file) if (lost := absent(command, set()))] == []
    named = re.findall(r"(?<![\w/])(?:\.ci|config|envs)/[\w.-]+", re.sub(r"\$\{\{.*?\}\}", "*", file.read_text()))
    for path in named:
        assert list(Path().glob(f"{path}*")), path


def test_each_environment_is_solved():
    (job,) = read(Path(".github/workflows/environments.yml"))["jobs"].values()
    assert set(job["strategy"]["matrix"]["environment"]) == {path.stem for path in Path("envs").glob("*.yaml")}


def test_a_change_is_checked_as_here():
    assert [".ci/run"] in commands(Path(".github/workflows/ci.yml"))
    wrong = ["make", "tests"], ["snakemake", "herbs", "--cores", "1"]
    assert all(absent(command, set()) for command in wrong)
