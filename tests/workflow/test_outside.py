"""A study that lies outside the clone: by its Snakefile, or as a module of somebody else's workflow."""

import json
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from tests import warm
from tests.conftest import mostly_nightly
from tests.workflow.conftest import STUDY, copy_project

from herbarium.core import baseline, store

pytestmark = pytest.mark.slow  # each starts snakemake (seconds) and runs a few jobs

TEMPLATES = {"published": "resources/herb/templates/published.txt", "mine": "words/mine.txt"}
MADE = ["results/work/models/tiny.json", "results/work/stimuli/herb/0.parquet", "results/work/names.parquet"]
ALL = "results/run.json"


@pytest.fixture
def folders(tmp_path, model_folder):
    """A clone, and a study with lists and a model of its own that names some of the clone's, too."""
    clone = copy_project(tmp_path / "the clone").folder
    study = tmp_path / "a study"
    (study / "words").mkdir(parents=True)
    for file in ("regions.csv", "words/mind.txt", "words/body.txt"):
        (clone / file).rename(study / file)
    (clone / "study.yaml").unlink()
    shutil.copytree(model_folder("bert"), study / "tiny")
    (study / "words/mine.txt").write_text("The [description] come from [region].\n")
    names = {"official": "resources/herb/official_names.csv", "ascii": "ascii"}
    values = {**STUDY, "regions": {**STUDY["regions"], "names": names}}
    values["herb"] = {**STUDY["herb"], "templates": TEMPLATES}
    (study / "mine.yaml").write_text(yaml.safe_dump(values))
    before = {path.relative_to(clone) for path in clone.rglob("*")}
    yield clone, study
    after = {path.relative_to(clone) for path in clone.rglob("*") if path.name != "__pycache__"}
    assert {path for path in after - before if path.suffix != ".pyc"} == set()  # nothing is written there


def snakemake(folder, *arguments, is_warm=True):
    python = warm.python() if is_warm else sys.executable
    done = subprocess.run(
        [python, shutil.which("snakemake"), *map(str, arguments), "--cores", "1"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", "HERBARIUM_PYTHON": python if is_warm else ""},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def is_right(study):
    """What was made is of the study's lists and of the clone's."""
    assert {path for path in MADE if not (study / path).is_file()} == set()
    sentences = set(store.read_frame(study / MADE[1], "herb_stimuli")["text"])
    regions = store.read_frame(study / "results/work/regions.parquet", "regions")
    assert regions["name"].tolist()[1:3] == ["America", "Oceania"]
    assert any("Peru" in text for text in sentences)
    return True


@pytest.mark.parametrize("where", mostly_nightly(["study", "elsewhere"], "study"))
def test_by_the_snakefile_of_the_clone(folders, tmp_path, where):
    clone, study = folders
    place = study if where == "study" else tmp_path
    given = ["-s", clone / "workflow/Snakefile", "-d", study, "--configfile"]
    given.append("mine.yaml" if where == "study" else study / "mine.yaml")
    output = snakemake(place, *MADE, *given)
    assert "profiles/default" in output.splitlines()[0]  # what decides which jobs run again
    assert is_right(study)
    snakemake(place, ALL, *given, "-n")  # with published figures and maps, which are the clone's
    # and the module sees the same files
    snakefile = study / "Snakefile"
    snakefile.write_text(module(clone, "config", "*"))
    assert "Nothing to be done" in snakemake(study, *MADE, *profile(clone), "-n", "--configfile", study / "mine.yaml")


def profile(clone):
    return ["--workflow-profile", clone / "profiles/default"]


def module(clone, configuration, rules):
    return f"""
configfile: "mine.yaml"

rule mine:
    output: "mine.txt"
    log: "mine.log"
    script: "mine.py"

module herbarium:
    snakefile: "{clone}/workflow/Snakefile"
    config: {configuration}

use rule * from herbarium as {rules}
"""


@pytest.mark.parametrize(
    ("configuration", "rules"), mostly_nightly([("config", "*"), ('config["bias"]', "herbarium_*")], "*")
)
def test_as_a_module(folders, configuration, rules):
    clone, study = folders
    values = yaml.safe_load((study / "mine.yaml").read_text())
    if configuration != "config":
        (study / "mine.yaml").write_text(yaml.safe_dump({"bias": values, "models": ["of", "mine"]}))
    (study / "Snakefile").write_text(module(clone, configuration, rules))
    (study / "mine.py").write_text("open(snakemake.output[0], 'w').write('mine')\n")
    snakemake(study, *MADE, "mine.txt", is_warm=rules != "*")  # a warm job has no benchmark, whoever's it is
    assert is_right(study)
    record = json.loads((study / "results/work/models/tiny.json").read_text())
    assert record["path"] == "tiny"
    assert "tiny/config.json" in baseline.read(study / "results").sources
    assert not (study / "results/work/benchmarks/mine.tsv").exists()
    assert (study / f"results/work/logs/{rules.replace('*', 'resolve_model')}/tiny.log").exists()
    snakemake(study, rules.replace("*", "all"), "-n")


def test_a_mistake_in_a_module_is_told_as_plainly(folders):
    clone, study = folders
    (study / "Snakefile").write_text(module(clone, '{"models": {"m": {"path": "org/name", "kind": "masked"}}}', "*"))
    done = subprocess.run(["snakemake", "-n"], cwd=study, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 1
    assert "Error: models.m: no such folder: org/name. If it is a model on the hub, use `hub: org/name`" in done.stdout
    assert "Traceback" not in done.stdout
    assert ".smk" not in done.stdout
