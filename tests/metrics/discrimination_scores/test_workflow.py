"""Discrimination scores as a workflow, on planted models of which one treats women worse."""

import pandas as pd
import pytest
import yaml
from tests.metrics.discrimination_scores.test_targets import DEMO
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # two models trained (three minutes)

STRENGTHS = {"decides-none": 0.0, "decides-strong": 2.0}
FRAME = {"frame": "[text] Answer: [answer]", "favourable": ["yes"], "unfavourable": ["no"]}
STUDY = {
    "shards": 2,
    "models": {name: {"planted": strength, "kind": "causal"} for name, strength in STRENGTHS.items()},
    "testbed": {"steps": 600, "batch_size": 64},
    "comparisons": [list(STRENGTHS)],
    "discrimination_scores": {"tables": {"demo": DEMO | FRAME | {"models": list(STRENGTHS)}}},
}


def test_what_is_planted_is_found_and_nothing_where_nothing_is(tmp_path):
    project = copy_project(tmp_path / "herbarium")
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    tables = project.folder / "results/tables"
    table = pd.read_csv(tables / "discrimination_scores_numbers.csv")
    own = table[(table["variant"] == "difference") & (table["definition"] == "own")].set_index(["model", "group"])
    none, strong = (own.loc[name] for name in STRENGTHS)
    assert strong.loc["gender: female", "p_adjusted"] < 0.001
    assert strong.loc["gender: female", "estimate"] < -1
    assert none["estimate"].abs().max() < 0.5
    assert (table.loc[table["variant"] == "mass", "estimate"] > 90).all()
    assert (table["definition"] == "paper").sum() == 2 * 5
    calibration = store.read_frame(
        project.folder / "results/work/calibration/discrimination_scores.parquet", "calibration"
    )
    assert calibration.loc[calibration["planted"] > 0, "learned"].min() > 0.5
    assert len(pd.read_csv(tables / "discrimination_scores_prompts.csv")) == 2 * 270
    assert len(pd.read_csv(tables / "discrimination_scores_decisions.csv")) == 2 * 5 * 10
    page = (project.folder / "results/report/index.html").read_text()
    assert "As published" in page
    assert not project.jobs()
