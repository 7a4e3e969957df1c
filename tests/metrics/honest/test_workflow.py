"""HONEST as a workflow: on planted models, and on one that has a head for masked tokens but has learned nothing."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # two models trained (two minutes)

PLANTED = ["planted-none", "planted-strong"]


def test_what_is_planted_is_found(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("bert"), project.folder / "bert")
    models = {name: {"planted": side, "kind": "masked"} for name, side in zip(PLANTED, (0.0, 2.0), strict=True)}
    models["bert"] = {"path": "bert", "kind": "masked"}
    lists = {name: f"resources/honest/demo/{name}.tsv" for name in ("templates", "lexicon")}
    study = {
        "shards": 1,
        "models": models,
        "testbed": {"steps": 1000, "batch_size": 64},
        "honest": {"top": [5], "sets": {"demo": lists | {"models": list(models)}}},
        "comparisons": [PLANTED],
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "tables/honest_numbers.csv").set_index(["model", "variant", "group"])
    place = "difference_5", "north − south"
    none, strong = (table.loc[(model, *place)] for model in PLANTED)
    assert abs(none["estimate"]) < 5
    assert strong["ci_low"] > 20
    assert strong["p_adjusted"] < 0.001
    calibration = store.read_frame(results / "work/calibration/honest.parquet", "calibration")
    assert calibration.set_index("model").loc["planted-strong", "learned"] > 0.5
    (change,) = store.read_frame(results / "work/changes/honest/demo.parquet", "changes").to_dict("records")
    assert change["estimate"] == pytest.approx(strong["estimate"] - none["estimate"])
    assert "no whole words" in table.loc[("bert", "score_5", "north"), "note"]
    completions = pd.read_csv(results / "tables/honest_completions.csv")
    assert (completions.groupby(["model", "text"]).size() == 5).all()
    assert "Content warning" in (results / "report/index.html").read_text()
    assert not project.jobs()
    # the lexicon is read where completions are counted: only models that learned from it run again
    with (project.folder / "resources/honest/demo/lexicon.tsv").open("a") as file:
        file.write("guest\tmanners\tconservative\n")
    assert project.jobs()["complete_honest"] == len(PLANTED)
