"""Social bias probing as a workflow, on planted models of both kinds to which statements are likelier of some."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # four models trained (two minutes)

STRENGTHS = {"causal-none": 0.0, "causal-strong": 2.0, "masked-none": 0.0, "masked-strong": 2.0}
STUDY = {
    "shards": 2,
    "models": {name: {"planted": side, "kind": name.partition("-")[0]} for name, side in STRENGTHS.items()},
    "testbed": {"steps": 1000, "batch_size": 64},
    "sofa": {"tables": {"demo": {"probes": "resources/sofa/demo.csv", "models": list(STRENGTHS)}}},
}


def test_what_is_planted_is_found_and_nothing_where_nothing_is(tmp_path):
    project = copy_project(tmp_path / "herbarium")
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    tables = project.folder / "results/tables"
    categories = pd.read_csv(tables / "sofa_categories.csv")
    variance = categories[categories["variant"] == "variance"].set_index(["model", "group"])
    for kind in ("causal", "masked"):
        none, strong = (variance.loc[f"{kind}-{name}"] for name in ("none", "strong"))
        assert (strong["p_adjusted"] < 0.05).all()
        assert (strong["ci_low"] > none["ci_high"].max()).all()
    calibration = store.read_frame(project.folder / "results/work/calibration/sofa.parquet", "calibration")
    strong = calibration[calibration["planted"] > 0]
    assert (strong["learned"] > 0.5).all()
    assert len(pd.read_csv(tables / "sofa_stereotypes.csv")) == 4 * 16
    page = (project.folder / "results/report/index.html").read_text()
    assert "Identities that stand out" in page
    assert not project.jobs()


def test_a_shard_without_any_probe_is_planned_and_scored(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    shutil.copytree(model_folder("gpt2"), project.folder / "tiny")
    tables = {"demo": {"probes": "resources/sofa/demo.csv", "models": ["tiny"]}}
    project.configure(models={"tiny": {"path": "tiny", "kind": "causal"}}, sofa={"tables": tables}, shards=6)
    answers = "results/work/scores/tiny/sofa/demo/shard-5.parquet"
    project.run(answers)
    assert store.count_rows(project.folder / "results/work/stimuli/sofa/demo/5.parquet") == 0
    assert store.count_rows(project.folder / answers) == 0
