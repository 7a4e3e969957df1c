"""The environment: what is pinned is what is installed, by pip and by conda alike, and R answers."""

import importlib.metadata
import re
import subprocess
from pathlib import Path

import pytest
import yaml

PINS = dict(re.findall(r"^([\w.-]+)==(\S+)$", Path("envs/constraints.txt").read_text(), re.MULTILINE))


def test_installed_packages_are_the_pinned_ones():
    assert len(PINS) > 50
    assert {name: importlib.metadata.version(name) for name in PINS} == PINS


def test_direct_requirements_are_all_pinned():
    wanted = re.findall(r"^([\w.-]+)", Path("envs/requirements.in").read_text(), re.MULTILINE)
    assert {name.lower().replace("_", "-") for name in wanted} <= PINS.keys()


@pytest.mark.parametrize("file", sorted(Path("envs").glob("*.yaml")), ids=str)
def test_conda_environments_hold_the_same_versions(file):
    packages = yaml.safe_load(file.read_text())["dependencies"]
    (by_pip,) = (entry["pip"] for entry in packages if isinstance(entry, dict))
    torch = re.search(r"^TORCH=(\S+)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1]
    for package in by_pip:
        name, version = package.split("==")
        assert version == ({**PINS, "torch": torch})[name], package


def test_lme4_answers():
    lme4 = "suppressMessages(library(lmerTest)); cat(class(lmer(Reaction ~ Days + (1 | Subject), lme4::sleepstudy)))"
    done = subprocess.run(["Rscript", "-e", lme4], capture_output=True, text=True, check=True)
    assert done.stdout == "lmerModLmerTest"
