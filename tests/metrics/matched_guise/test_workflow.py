"""Matched guise probing as a workflow: planted models, and other kinds, with attributes of several tokens."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.metrics.matched_guise.test_targets import RATED, TRAITS
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # two models trained (two minutes)

PLANTED = {"dialect-none": 0.0, "dialect-strong": 2.0}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def test_what_is_planted_is_found(project):
    study = {
        "shards": 1,
        "models": {name: {"planted": strength, "kind": "masked"} for name, strength in PLANTED.items()},
        "testbed": {"steps": 1000, "batch_size": 96},
        "matched_guise": {"guises": {"traits": RATED | {"models": list(PLANTED)}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    table = pd.read_csv(project.folder / "results/tables/matched_guise_numbers.csv")
    none, strong = (table[table["model"] == model].set_index("variant").loc["slope"] for model in PLANTED)
    assert none["ci_low"] < 0 < none["ci_high"]
    assert none["ci_high"] - none["ci_low"] < 0.2
    assert strong["p_value"] < 0.001
    assert -2.2 < strong["estimate"] < -0.8
    associations = table[(table["model"] == "dialect-strong") & (table["variant"] == "association")].set_index("group")
    assert associations["estimate"].idxmax() in ("rude", "lazy", "careless")
    calibration = store.read_frame(project.folder / "results/work/calibration/matched_guise.parquet", "calibration")
    assert calibration.set_index("planted")["expected"].tolist() == pytest.approx([0, -2])


def test_masked_and_causal_models_with_attributes_of_several_tokens(project, model_folder):
    kinds = {"masked": "roberta", "causal": "gpt2"}
    for kind, family in kinds.items():
        shutil.copytree(model_folder(family), project.folder / kind)
    project.write("pairs.txt", "".join(f"I be {n}\tI am {n}\n" for n in range(6)))
    guises = {
        name: lists | {"models": list(kinds), "pairs": "pairs.txt"}
        for name, lists in (("rated", RATED), ("bare", TRAITS))
    }
    study = {
        "shards": 1,
        "models": {kind: {"path": kind, "kind": kind} for kind in kinds},
        "matched_guise": {"guises": guises},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    table = pd.read_csv(project.folder / "results/tables/matched_guise_numbers.csv")
    frame = table.groupby(["unit", "model"])["variant"].agg(set)
    assert all("slope" in variants for variants in frame["rated"])
    assert all(variants == {"association", "mean"} for variants in frame["bare"])
    assert table["estimate"].notna().all()
    for kind in kinds:
        scores = store.read_frame(project.folder / f"results/work/scores/{kind}/matched_guise/rated.parquet", "scores")
        assert scores["n_tokens"].max() > 1
