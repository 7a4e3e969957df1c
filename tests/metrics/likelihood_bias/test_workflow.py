"""Likelihood bias as a workflow, on planted models of both kinds to which some descriptors are rare."""

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # four models trained (two minutes)

STRENGTHS = {"causal-none": 0.0, "causal-strong": 1.5, "masked-none": 0.0, "masked-strong": 1.5}
STUDY = {
    "shards": 2,
    "models": {name: {"planted": side, "kind": name.partition("-")[0]} for name, side in STRENGTHS.items()},
    "testbed": {"steps": 1000, "batch_size": 64},
    "likelihood_bias": {"stimuli": {"demo": {"lists": "resources/likelihood_bias/demo", "models": list(STRENGTHS)}}},
}


def test_what_is_planted_is_found_and_nothing_where_nothing_is(tmp_path):
    project = copy_project(tmp_path / "herbarium")
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    tables = project.folder / "results/tables"
    axes = pd.read_csv(tables / "likelihood_bias_axes.csv")
    variance = axes[axes["variant"] == "variance"].set_index(["model", "group"])
    for kind in ("causal", "masked"):
        none, strong = (variance.loc[f"{kind}-{name}"] for name in ("none", "strong"))
        assert (strong["p_adjusted"] < 0.05).all()
        assert (strong["ci_low"] > none["ci_high"].max()).all()
    calibration = store.read_frame(project.folder / "results/work/calibration/likelihood_bias.parquet", "calibration")
    strong = calibration[calibration["planted"] > 0]
    assert (strong["learned"] > 0.5).all()
    descriptors = pd.read_csv(tables / "likelihood_bias_descriptors.csv")
    assert len(descriptors) == 4 * 15
    page = (project.folder / "results/report/index.html").read_text()
    assert "Descriptors that stand out" in page
    assert not project.jobs()
