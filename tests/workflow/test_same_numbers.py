"""The same study again, on other cores and in other shards: the same tables, figures and report, to the byte."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from tests.workflow.conftest import copy_project
from tests.workflow.test_downstream import DOWNSTREAM, TALK, TASK
from tests.workflow.test_languages import files_of_the_example
from tests.workflow.test_mixed_effects import CROWS, TABLES

pytestmark = pytest.mark.slow  # two runs of a small study with every metric, part of it a third time (three minutes)

# What is cut into shards, and so is other files with more of them.
CUT = ("probes/", "plans/", "scores/", "predictions-")
# What is about the run itself.
OF_THE_RUN = ("logs/", "benchmarks/", "passes/", ".snakemake/")


def every_metric(folder, model_folder, shards):
    """A small study of one model with everything that can be measured of it."""
    project = copy_project(folder)
    shutil.copytree(model_folder("roberta"), project.folder / "tiny")
    for name, text in files_of_the_example().items():
        project.write(name, text)
    for name, text in TABLES.items():
        project.write(f"lists/{name}.csv", text)
    for name, table, columns in (
        ("talk", TALK, ["id", "text", "label"]),
        ("crows", CROWS, ["bias_type", "sent_more", "sent_less"]),
    ):
        project.write(f"{name}.csv", pd.DataFrame(table, columns=columns).to_csv())
    task = {key: value for key, value in TASK.items() if key != "classifiers"}
    project.configure(
        shards=shards,
        categorical_bias={"languages": {"italian": {"lists": {"mine": "italian"}, "models": ["tiny"]}}},
        mixed_effects={
            "probes": {"mine": {"lists": "lists", "models": ["tiny"], "determiners": ["the", "my"]}},
            "crows_pairs": {"table": "crows.csv", "models": ["tiny"]},
            "bootstrap": {"replicates": 10},
        },
        downstream={
            **DOWNSTREAM,
            "tasks": {"talk": task},
            "training": {**DOWNSTREAM["training"], "seeds": 1, "epochs": 1},
        },
    )
    return project


def files(project):
    """What stands in the results: path -> bytes."""
    results = project.folder / "results"
    found = {path.relative_to(results).as_posix(): path for path in results.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(OF_THE_RUN)}


def test_cores_shards_and_a_second_run_change_no_byte(tmp_path, model_folder):
    study = every_metric(tmp_path / "one", model_folder, shards=2)
    study.run()
    first = files(study)
    assert {Path(name).suffix for name in first} == {
        ".parquet",
        ".csv",
        ".json",
        ".pdf",
        ".png",
        ".html",
        ".safetensors",
    }
    assert len([name for name in first if name.startswith("tables/")]) > 20

    other = every_metric(tmp_path / "other", model_folder, shards=5)
    other.run("--cores", "1")
    whole = [
        {name: file for name, file in run.items() if not any(cut in name for cut in CUT)}
        for run in (first, files(other))
    ]
    assert whole[0].keys() == whole[1].keys()
    assert [name for name, file in whole[0].items() if file != whole[1][name]] == []

    for folder in ("models", "probes", "plans", "scores"):
        shutil.rmtree(study.folder / "results" / folder)
    study.run("--until", "gather_scores", "--cores", "1")
    assert [name for name, file in files(study).items() if file != first[name]] == []
