"""What the container image holds, and what `--sdm apptainer` runs in it. No test builds the image."""

import os
import re
import shlex
import textwrap
from pathlib import Path

import pytest
import yaml
from tests.study.test_docs import absent
from tests.workflow.conftest import PARTS

pytestmark = pytest.mark.slow  # dry runs of the workflow

CONTAINERFILE = Path("Containerfile").read_text()
CONTEXT = re.findall(r"^!(.+)$", Path(".dockerignore").read_text(), re.MULTILINE)
# In the place of Apptainer: says what it is asked for, and runs the command without a container.
ENGINE = """#!/bin/bash
[ "$1" = --version ] && { echo "apptainer version 1.3.6"; exit; }
echo "$@" >> "$ASKED"
exec "${@: -3}"
"""
# A storage plugin that is there, and no more.
STORAGE = """
from snakemake_interface_storage_plugins.storage_object import StorageObjectRead, StorageObjectWrite
from snakemake_interface_storage_plugins.storage_provider import StorageProviderBase, StorageQueryValidationResult


class StorageProvider(StorageProviderBase):
    example_queries = rate_limiter_key = default_max_requests_per_second = use_rate_limiter = None

    @classmethod
    def is_valid_query(cls, query):
        return StorageQueryValidationResult(query, True)


class StorageObject(StorageObjectRead, StorageObjectWrite):
    pass
"""


def instructions(name):
    """The arguments of each instruction of that name."""
    return re.findall(rf"^{name} (.+)$", CONTAINERFILE, re.MULTILINE)


def test_the_image_holds_what_a_clone_needs_to_run():
    assert [part for part in CONTEXT if not Path(part).exists()] == []
    assert set(PARTS) <= set(CONTEXT)


def test_all_that_is_copied_exists_and_is_let_into_the_image():
    for line in instructions("COPY"):
        *sources, _ = shlex.split(line)
        for source in sources:
            assert source == "." or (Path(source).exists() and source.split("/")[0] in CONTEXT), source


def test_packages_are_those_of_the_set_up():
    """It names none itself, and the set-up has each of its own files there."""
    first, *others = instructions("RUN")
    assert "bash envs/setup.sh" in first
    assert [line for line in others if re.search(r"\b(apt-get|pip|uv|conda)\b", line)] == []
    (copied,) = [line for line in instructions("COPY") if "setup.sh" in line]
    used = re.findall(r"envs/[\w.-]+", Path("envs/setup.sh").read_text())
    assert {file for file in used if not file.endswith(".yaml")} == set(copied.split()[:-1])


def test_it_does_not_run_as_root():
    assert all(user.isdecimal() and user != "0" for user in instructions("USER"))
    assert CONTAINERFILE.index("\nUSER") > CONTAINERFILE.rindex("\nRUN")


def test_a_pod_of_the_page_runs_what_snakemake_takes():
    page = Path("docs/cluster.md").read_text()
    of_job = textwrap.dedent(re.search(r"^  ```yaml\n(  apiVersion:.*?)^  ```$", page, re.DOTALL | re.MULTILINE)[1])
    pod = yaml.safe_load(of_job)["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert absent(["snakemake", *container["args"]], {"study/my.yaml"}) == []
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    assert [str(pod["securityContext"]["runAsUser"])] == instructions("USER")


# --- workflows: a dry run or a rule each, some seconds ---


@pytest.fixture
def project(project):
    project.configure(models={"tiny": {"kind": "masked", "planted": 0}})
    return project


def test_scripts_run_in_the_image_that_is_named(project, tmp_path):
    engine, image = tmp_path / "bin/apptainer", tmp_path / "herbarium.sif"
    engine.parent.mkdir()
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    image.touch()
    around = {"ASKED": str(tmp_path / "asked"), "HERBARIUM_IMAGE": str(image)}
    path = f"{engine.parent}:{os.environ['PATH']}"
    project.run("results/work/regions.parquet", "--sdm", "apptainer", PATH=path, **around)
    (asked,) = (tmp_path / "asked").read_text().splitlines()
    assert f" {image} " in asked
    assert "list_regions.py" in asked
    assert (project.folder / "results/work/regions.parquet").exists()


@pytest.mark.parametrize(("image", "message"), [("", "it is not set"), ("no.sif", "no.sif is not a file")])
def test_without_an_image_nothing_runs(project, image, message):
    log = project.fails("-n", "--sdm", "apptainer", HERBARIUM_IMAGE=image)
    assert f"HERBARIUM_IMAGE must name the image for --sdm apptainer, but {message}." in log
    assert "Traceback" not in log


def test_object_storage_is_refused_before_anything_runs(project, tmp_path):
    (tmp_path / "snakemake_storage_plugin_bucket").mkdir()
    (tmp_path / "snakemake_storage_plugin_bucket/__init__.py").write_text(STORAGE)
    storage = ["--default-storage-provider", "bucket", "--default-storage-prefix", "b", "--shared-fs-usage", "none"]
    log = project.fails("-n", *storage, PYTHONPATH=str(tmp_path))
    heading = re.search(r"docs/cluster\.md \(([^)]+)\)", " ".join(log.split()))[1]
    assert f"## {heading}\n" in Path("docs/cluster.md").read_text()
    assert "Traceback" not in log
