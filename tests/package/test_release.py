"""What a release says of itself, and that its dependencies can be had."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import herbarium

RELEASES = re.split(r"^## ", Path("CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
TWO_PAGES = 1000  # words
PYTHONS = [f"3.{minor}" for minor in (11, 12, 13)]


def test_version_changelog_and_citation_agree():
    citation = yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))
    last = next(release for release in RELEASES if not release.startswith("Unreleased"))
    assert last.splitlines()[0] == f"{herbarium.__version__} ({citation['date-released']})"
    assert citation["version"] == herbarium.__version__


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.splitlines()[0])
def test_a_release_is_told_on_two_pages_numbers_first(release):
    assert len(release.split()) <= TWO_PAGES
    assert re.findall(r"^### (.*)", release, re.MULTILINE)[:1] in ([], ["Changed numbers"])


@pytest.mark.network
@pytest.mark.parametrize("python", PYTHONS)
def test_the_pinned_packages_can_be_had_for(python):
    compiler = shutil.which("uv") or pytest.skip("`make pins` installs uv")
    without_torch = "torch; sys_platform == 'none'"
    command = [compiler, "pip", "compile", "-q", "--python-version", python, "-c", "envs/constraints.txt"]
    done = subprocess.run(
        [*command, "--override", "-", "envs/requirements.in"], input=without_torch, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert Path("envs/constraints.txt").read_text().count("==") == done.stdout.count("==")


def test_python_versions_are_those_that_are_said():
    said = re.findall(r"Python :: (3\.\d+)", Path("pyproject.toml").read_text())
    assert said == PYTHONS
