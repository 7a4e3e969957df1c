"""An encoder without a head, through the workflow: its vectors are those of the masked model that it was the trunk of,
and it learns a task."""

import shutil

import pandas as pd
import pytest
import transformers
import yaml
from tests.conftest import small_bert
from tests.workflow.conftest import copy_project

from herbarium.core import store
from herbarium.metrics.biographies import planted_texts
from herbarium.metrics.downstream.section import WORDS

pytestmark = pytest.mark.slow  # two runs of the workflow (two minutes)

WEAT = {"words": "resources/word_associations/tests/career_family.csv", "templates": ["This is [word]."]}
STUDY = {
    "shards": 1,
    "models": {"whole": {"path": "whole", "kind": "masked"}, "trunk": {"path": "trunk"}},
    "vectors": {f"of-{name}": {"model": name, "layers": "all"} for name in ("whole", "trunk")},
    "word_associations": {"sources": ["of-whole", "of-trunk"], "tests": {"seat": WEAT}},
    "tagging": {
        "tasks": {"entities": {"data": {"planted": True, "sentences": 300}, "models": ["trunk"]}},
        "training": {"sets": 1, "epochs": 2},
    },
}


@pytest.mark.nightly
def test_an_encoder_is_measured_by_vectors_and_tasks(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("bert"), project.folder / "whole")
    shutil.copytree(model_folder("bert"), project.folder / "trunk")
    transformers.AutoModel.from_pretrained(project.folder / "whole").save_pretrained(project.folder / "trunk")
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    results = project.folder / "results"
    assert store.read_json(results / "work/models/trunk.json")["kind"] == "encoder"
    numbers = pd.read_csv(results / "tables/word_associations_numbers.csv").set_index("model")
    whole, trunk = (numbers.loc[f"of-{name}"].reset_index(drop=True) for name in ("whole", "trunk"))
    assert trunk["estimate"].notna().any()
    for rows in (trunk["metric"] == "seat", trunk["unit"] == "layer"):  # others draw numbers by the name of a source
        pd.testing.assert_series_equal(trunk.loc[rows, "estimate"], whole.loc[rows, "estimate"])
    tagged = pd.read_csv(results / "summary.csv")
    tagged = tagged[tagged["metric"] == "tagging"]
    assert set(tagged["model"]) == {"trunk"}
    assert "trunk" in (results / "report/index.html").read_text(encoding="utf-8")


LEARNING = {"epochs": 8, "learning_rate": 5e-3, "evaluations": 1, "max_tokens": 32}
REVIEWS = {"data": {"planted": 2.0, "texts": 1600}, "prefix": "People in [region] are the cast.", "controls": ["town"]}
TRAINED = {
    "models": {"trunk": {"path": "trunk"}},
    "regions": {"countries": ["PE", "NZ", "DE", "NG"], "cities": {"countries": "none"}},
    "biographies": {
        "sets": 1,
        "training": LEARNING,
        "tasks": {"uneven": {"data": {"planted": 1.6, "texts": 1600}, "models": ["trunk"]}},
    },
    "downstream": {
        "tasks": {"reviews": REVIEWS | {"max_test_samples": 60, "models": ["trunk"]}},
        "training": {"sets": 1, "epochs": 8, "learning_rate": 5e-3},
        "bootstrap": {"replicates": 30},
    },
}


@pytest.mark.nightly  # that an encoder learns a task is seen above, with another
def test_an_encoder_learns_occupations_and_a_task_of_texts(tmp_path):
    project = copy_project(tmp_path / "herbarium")
    biographies = planted_texts.table("words", 0.0, 4000, 7)["text"].tolist()
    descriptions = [
        f"People in Peru are {word} and {word}." for file in WORDS for word in file.read_text().splitlines()
    ]
    small_bert(project.folder / "whole", biographies + descriptions)
    shutil.copytree(project.folder / "whole", project.folder / "trunk")
    transformers.AutoModel.from_pretrained(project.folder / "whole").save_pretrained(project.folder / "trunk")
    project.write("study.yaml", yaml.safe_dump(TRAINED))
    project.run()
    results = project.folder / "results"
    summary = pd.read_csv(results / "summary.csv", low_memory=False)
    assert set(summary["model"]) == {"trunk"}
    accuracy = (
        summary[summary["variant"] == "accuracy"].set_index(["metric", "unit", "definition"])["estimate"].sort_index()
    )
    assert accuracy["biographies", "uneven", "scrubbed"] > 0.5  # of eight occupations
    assert accuracy["downstream", "original", "paper"] > 0.6  # of two labels
