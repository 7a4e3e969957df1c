"""The wheel: the library as a package, the whole workflow inside it, and nothing else."""

import re
import subprocess
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from tests.package.conftest import ROOT, pip

import herbarium
from herbarium.core import provenance

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())["project"]
LARGEST = 15_000_000  # bytes


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def place(file):
    """Where a file of the project stands in the wheel; None for one that it leaves out."""
    if file.startswith("workflow/scripts/herbarium/"):
        return file.removeprefix("workflow/scripts/")
    return (
        f"herbarium/clone/{file}"
        if file.startswith(("workflow/", "resources/", "config/", "profiles/", "envs/", "CITATION.cff"))
        else None
    )


@pytest.mark.slow
def test_it_holds_every_file_of_the_workflow_and_no_other(unpacked):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    ours = {place(file): file for file in listed if Path(file).is_file() and place(file)}
    # a link in the clone
    ours |= {f"herbarium/clone/workflow/{file}": file for file in listed if file.startswith("profiles/")}
    files_by_name = {str(file.relative_to(unpacked)): file for file in unpacked.rglob("*") if file.is_file()}
    of_package = {name for name in files_by_name if name.startswith("herbarium_bias-")}
    assert files_by_name.keys() - of_package == ours.keys()
    for name, file in ours.items():
        assert files_by_name[name].read_bytes() == Path(file).read_bytes()
    assert {name.partition("/")[2] for name in of_package} == {
        "METADATA",
        "WHEEL",
        "RECORD",
        "entry_points.txt",
        "licenses/LICENSE",
    }


@pytest.mark.slow
def test_it_is_small_and_the_same_every_time(wheel, tmp_path):
    assert wheel.stat().st_size < LARGEST
    pip("wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, ROOT)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_an_editable_installation_leaves_everything_in_the_clone(tmp_path):
    """So that a clone can be used, edited and imported in one environment."""
    pip("install", "--no-build-isolation", "--no-deps", "--target", tmp_path, "--editable", ROOT)
    assert not (tmp_path / "herbarium").exists()
    (link,) = tmp_path.glob("*.pth")
    assert link.read_text().strip() == str(ROOT / "workflow/scripts")


@pytest.mark.slow
def test_its_code_has_the_hashes_of_the_clone(unpacked):
    """So that results of either say the same of what made them, and a copy of them is as good in the other."""
    for script in ("resolve_model.py", "score_shard.py", "measure_herb.py", "write_report.py"):
        installed = unpacked / "herbarium/clone/workflow/scripts" / script
        assert provenance.code_hash(installed, unpacked) == provenance.code_hash(Path("workflow/scripts", script))


@pytest.mark.slow
def test_it_says_the_version_of_the_library(unpacked):
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    text = message_from_string(metadata.read_text())
    assert (text["Name"], text["Version"]) == ("herbarium-bias", herbarium.__version__)
    assert text["License-Expression"] == "Apache-2.0"
    assert f"\nversion: {herbarium.__version__}\n" in Path("CITATION.cff").read_text()


def by_name(requirements):
    split = (re.fullmatch(r"([\w.-]+)(.*)", requirement).groups() for requirement in requirements)
    return {name.lower().replace("_", "-"): versions for name, versions in split}


def test_it_requires_what_the_environment_pins_from_that_version_on():
    pins = Path("envs/requirements.in").read_text().partition("# Tests and style")[0]
    tested = by_name(re.findall(r"^[\w.=-]+$", pins, re.MULTILINE))
    required = by_name(PROJECT["dependencies"]) | by_name(
        requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra
    )
    torch = re.search(r"^TORCH=(\S+)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1]
    assert torch.startswith(required.pop("torch").removeprefix(">="))
    assert required == {name: version.replace("==", ">=") for name, version in tested.items()} | {
        "snakemake": tested["snakemake"].replace("==", ">=") + ",<10"
    }
