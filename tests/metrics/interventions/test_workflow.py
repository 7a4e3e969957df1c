"""Interventions as a workflow, on planted models that take advice, and on what others have: a head for questions."""

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # two models trained (two minutes)

PLANTED = ["planted-none", "planted-strong"]
STUDY = {
    "shards": 1,
    "models": {name: {"planted": of, "kind": "masked"} for name, of in zip(PLANTED, (0.0, 3.0), strict=True)},
    "testbed": {"steps": 1200, "batch_size": 128},
    "interventions": {"questions": {"few": {"table": "resources/interventions/demo", "models": PLANTED}}},
}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def test_what_is_planted_is_found_and_what_advice_does_to_it(project):
    project.write("study.yaml", yaml.safe_dump(STUDY))
    project.run()
    table = pd.read_csv(project.folder / "results/tables/interventions_numbers.csv")
    own = table[table["definition"] == "own"].set_index(["model", "variant", "group"])
    none, strong = (own.loc[model] for model in PLANTED)
    assert (none.loc["preference", "p_adjusted"] > 0.01).all()
    assert none.loc["kept", "estimate"].isna().all()
    assert strong.loc[("preference", "none"), "p_adjusted"] < 0.01
    kept = strong.loc["kept", "estimate"]
    assert kept["ethical"] < kept["irrelevant"] < kept["adversarial"]
    assert strong.loc[("kept", "ethical"), "ci_high"] < 1 < strong.loc[("kept", "adversarial"), "ci_low"]
