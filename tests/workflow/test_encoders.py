"""An encoder without a head, through the workflow: its vectors are those of the masked model that it was the trunk of,
and it learns a task."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project
from transformers import AutoModel

from herbarium.core import store

pytestmark = pytest.mark.slow  # one run of the workflow (a minute)

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


def test_an_encoder_is_measured_by_vectors_and_tasks(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("bert"), project.folder / "whole")
    shutil.copytree(model_folder("bert"), project.folder / "trunk")
    AutoModel.from_pretrained(project.folder / "whole").save_pretrained(project.folder / "trunk")
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
