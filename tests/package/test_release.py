"""What a release says of itself, and that its dependencies can be had."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

import herbarium

RELEASES = re.split(r"^## ", Path("CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
PYTHONS = [f"3.{minor}" for minor in (11, 12, 13)]


def test_version_changelog_and_citation_agree():
    citation = yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))
    last = next(release for release in RELEASES if not release.startswith("Unreleased"))
    assert last.splitlines()[0] == f"{herbarium.__version__} ({citation['date-released']})"
    assert citation["version"] == herbarium.__version__


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


# Packages of the environment for macOS and for machines without apt -> the version asked for, "" if any will do.
CONDA = dict(
    re.fullmatch(r"([\w.-]+)(?:=([\w.]+))?", wanted).groups("")
    for wanted in yaml.safe_load(Path("envs/herbarium.yaml").read_text())["dependencies"]
    if isinstance(wanted, str)
)


def is_built_for(files, platform, version):
    """Whether conda-forge has a version of a package for a platform. files: as its index lists them."""
    return any(
        file["attrs"]["subdir"] in (platform, "noarch")
        and f"{file['version']}.".startswith(f"{version}." if version else "")
        for file in files
    )


def test_a_package_of_conda_is_of_its_platform_and_version():
    files = [
        {"version": "4.2.3", "attrs": {"subdir": "osx-arm64"}},
        {"version": "4.3.0", "attrs": {"subdir": "win-64"}},
    ]
    assert is_built_for(files, "osx-arm64", "4.2")
    assert is_built_for(files, "osx-arm64", "")
    assert not is_built_for(files, "osx-arm64", "4.3")
    assert not is_built_for(files, "osx-arm64", "4.20")


@pytest.mark.network
@pytest.mark.parametrize("package", CONDA)
def test_the_packages_of_conda_can_be_had_on_macos(package):
    try:
        with urlopen(f"https://api.anaconda.org/package/conda-forge/{package}/files", timeout=30) as answer:
            files = json.load(answer)
    except OSError as error:
        pytest.skip(f"the index of conda-forge is not reachable: {error}")
    assert is_built_for(files, "osx-arm64", CONDA[package])


def test_python_versions_are_those_that_are_said():
    said = re.findall(r"Python :: (3\.\d+)", Path("pyproject.toml").read_text())
    assert said == PYTHONS
