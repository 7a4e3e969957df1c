"""Sentences of a study, swapped, beside themselves: on planted models."""

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # two models trained (a minute)

MODELS = ["planted-none", "planted-strong"]
STUDY = {
    "shards": 1,
    "models": {name: {"planted": side, "kind": "masked"} for name, side in zip(MODELS, (0.0, 2.0), strict=True)},
    "testbed": {"steps": 300, "batch_size": 64},
    "sentence_sets": {
        "pronouns": {
            "table": "resources/sentence_sets/pronouns/sentences.csv",
            "models": MODELS,
            "quantity": "slot",
            "sides": ["he", "she"],
            "unit": "occupation",
        }
    },
    "counterfactual": {"models": MODELS},
}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def test_a_planted_preference_changes_scores_and_nothing_is_scored_twice(project):
    project.write("study.yaml", yaml.safe_dump(STUDY))
    jobs = project.jobs()
    assert (jobs["score_shard"], jobs["swap_counterfactual"], jobs["pair_counterfactual"]) == (4, 1, 1)
    project.run()
    tables = project.folder / "results/tables"
    numbers = pd.read_csv(tables / "counterfactual_numbers.csv").set_index("model")
    none, strong = (numbers.loc[model] for model in MODELS)
    assert (none["n"], strong["n"]) == (10, 10)  # each pair of he and she once
    assert none["ci_high"] < strong["ci_low"]
    of_sets = pd.read_csv(tables / "sentence_sets_sentences.csv")
    of_sets = of_sets[of_sets["model"] == "planted-strong"].pivot(index="set", columns="side", values="value")
    assert strong["estimate"] == pytest.approx((of_sets["he"] - of_sets["she"]).abs().mean(), abs=1e-5)
    project.write(
        "study.yaml", yaml.safe_dump({key: section for key, section in STUDY.items() if key != "counterfactual"})
    )
    assert not {"score_shard", "swap_counterfactual", "train_testbed"} & project.jobs().keys()
