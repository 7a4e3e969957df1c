"""`herbarium doctor`: what it looks for is what the project needs, and it finds what is missing."""

import importlib.metadata
import re
import shutil
import tomllib
from pathlib import Path

from herbarium.command import doctor
from herbarium.command.main import main

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())["project"]


def names(requirements):
    return {re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-") for requirement in requirements}


def by_name():
    return {finding.what: finding for finding in doctor.examine()}


def test_it_looks_for_what_the_package_requires():
    extras = PROJECT["optional-dependencies"]
    assert names(extras["r"]) == set(doctor.OF_LME4)
    assert doctor.pinned().keys() - {"huggingface-hub"} <= names(
        [*PROJECT["dependencies"], *extras["r"], *extras["slurm"]]
    )


def test_on_this_machine_everything_needed_is_there(capsys):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert text.endswith("Studies can run.\n")
    assert re.search(r"^ok +lme4|^ok +R packages +lme4, lmerTest", text, re.MULTILINE)
    assert all(re.match("ok|missing", line) for line in text.splitlines()[:-2])


def test_a_package_that_is_missing_is_named_with_what_to_do(monkeypatch, capsys):
    version = importlib.metadata.version

    def without(name):
        if name in ("seqeval", "pymer4"):
            raise importlib.metadata.PackageNotFoundError(name)
        return "99.0" if name == "scipy" else version(name)

    monkeypatch.setattr(importlib.metadata, "version", without)
    pins = doctor.pinned()
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert text.endswith("Needed and missing: seqeval.\n")
    assert re.search(rf"^missing +seqeval +pip install seqeval=={pins['seqeval']}$", text, re.MULTILINE)
    assert re.search(r"^missing +pymer4 +pip install pymer4==\S+ \(only for mixed models", text, re.MULTILINE)
    assert re.search(rf"^ok +scipy +99.0 \(tested with {pins['scipy']}\)$", text, re.MULTILINE)


def test_without_r_studies_run_without_mixed_models(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name in ("Rscript", "chromium") else which(name))
    result = by_name()
    assert not result["R"].is_there
    assert not result["R"].is_needed
    assert "mixed_models: {engine: none}" in result["R"].said
    assert "lme4, lmerTest" in result["R"].said
    assert not result["chromium"].is_there


def test_it_says_where_models_come_from(monkeypatch, tmp_path):
    (tmp_path / "models--org--name").mkdir()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    result = by_name()
    assert result["hub cache"].said == f"1 models in {tmp_path}"
    assert "HF_HUB_OFFLINE is set" in result["hub"].said
