"""Interventions as a workflow, on planted models that take advice, and on what others have: a head for questions."""

import json
import shutil

import pandas as pd
import pytest
import yaml
from tests.metrics.interventions.test_lei import KEY, paragraph
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # two models trained (two minutes)

PLANTED = ["planted-none", "planted-strong"]
STUDY = {
    "shards": 1,
    "models": {name: {"planted": side, "kind": "masked"} for name, side in zip(PLANTED, (0.0, 1.5), strict=True)},
    "testbed": {"steps": 2000, "batch_size": 64},
    "interventions": {"questions": {"few": {"table": "resources/interventions/demo", "models": PLANTED}}},
}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def test_what_is_planted_is_found_and_what_advice_does_to_it(project):
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    table = pd.read_csv(project.folder / "results/tables/interventions_numbers.csv")
    rows = table[table["definition"] == "own"].set_index(["model", "variant", "group"])
    none, strong = (rows.loc[model] for model in PLANTED)
    assert (none.loc["preference", "ci_high"] < 0.05).all()
    preference, kept = strong.loc["preference"], strong.loc["kept", "estimate"]
    assert preference.loc["none", "ci_low"] > 0.2
    assert kept["ethical"] < kept[["irrelevant", "adversarial"]].min()
    assert strong.loc[("kept_difference", "ethical"), "p_adjusted"] < 0.05
    calibration = store.read_frame(project.folder / "results/work/calibration/interventions.parquet", "calibration")
    assert calibration["expected"].notna().all()


def test_models_of_every_kind_and_the_authors_own_numbers(project, model_folder):
    """A masked, a causal and an extractive model: one text to fill in, one to find; `released` of the last alone."""
    kinds = {"masked": "roberta", "causal": "gpt2", "extractive": "roberta-extractive"}
    for kind, family in kinds.items():
        shutil.copytree(model_folder(family), project.folder / kind)
    texts = [paragraph(*names, KEY, "Note that, no.") for names in (("Ann", "Bob"), ("Bob", "Ann"))]
    project.write("asked_squad.json", json.dumps({"data": [{"paragraphs": [text]} for text in texts]}))
    demo = {"table": "resources/interventions/demo", "models": list(kinds)}
    authors = {"format": "lei", "table": "asked_squad.json", "models": ["extractive"]}
    study = {
        "shards": 1,
        "models": {kind: {"path": kind, "kind": kind} for kind in kinds},
        "interventions": {"questions": {"few": demo | {"max_pairs": 2}, "theirs": authors}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    table = pd.read_csv(results / "tables/interventions_numbers.csv")
    frame = table[table["variant"] == "mu"].groupby(["unit", "model"])["definition"].agg(set).to_dict()
    assert frame == {
        ("few", "masked"): {"own", "paper"},
        ("few", "causal"): {"own", "paper"},
        ("few", "extractive"): {"own", "paper", "released"},
        ("theirs", "extractive"): {"own", "paper", "released"},
    }
    assert table.loc[table["variant"] == "mu", "estimate"].notna().all()
    stored = pd.read_csv(results / "tables/interventions_stored.csv")
    assert set(stored["group"]) == {"ethical"}
    assert stored.set_index("variant").loc["mu", "estimate"] == pytest.approx(0)  # both questions are answered alike
    forms = {path.parent.name for path in results.glob("work/stimuli/interventions/few/*/0.parquet")}
    assert forms == {"fill", "span"}
    page = (results / "report/index.html").read_text()
    assert "Content warning" in page
    assert not project.jobs()
