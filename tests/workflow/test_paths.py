"""A clone may be anywhere: its path, and with it that of its Python, may hold what a shell would trip over. On a
cluster, where jobs are commands, that is refused."""

import subprocess
import sys

import pytest
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # runs of the workflow


SPACE, ODD, LONG = "two words", 'it\'s "größer" & $HOME; (1)', "long" * 50


@pytest.mark.parametrize("name", [ODD, *(pytest.param(name, marks=pytest.mark.nightly) for name in (SPACE, LONG))])
def test_a_job_starts_wherever_the_clone_is(tmp_path, name):
    project = copy_project(tmp_path / name)
    environment = project.folder / ".venv"
    environment.symlink_to(sys.prefix)
    project.configure(models={"tiny": {"kind": "masked", "planted": 0}})
    python = [environment / "bin/python", "-m", "snakemake", "--cores", "1", "--configfile", "study.yaml", "--"]
    made = subprocess.run(
        [*python, "results/work/regions.parquet"],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (project.folder / "results/work/regions.parquet").is_file(), made.stdout


def test_a_cluster_gets_no_command_from_a_path(tmp_path):
    project = copy_project(tmp_path / "it's $(touch ran)")
    project.configure(models={"tiny": {"kind": "masked", "planted": 0}})
    project.warm = False  # what again.py keeps of rules has no such path in it
    output = project.fails("results/work/regions.parquet", "--executor", "slurm", "--jobs", "1", cores=1)
    assert "could be read as a pattern or a command" in output
    assert str(project.folder) in output
    assert not [*tmp_path.rglob("ran")]
