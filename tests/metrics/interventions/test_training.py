"""A model that is trained on interventions, in the workflow: measured like the one that it comes from, and compared."""

import json

import pandas as pd
import pytest
import yaml
from tests.metrics.interventions import toy
from tests.workflow.conftest import copy_project

from herbarium.core import store
from herbarium.metrics.interventions import stimuli
from herbarium.training import untrained

pytestmark = pytest.mark.slow  # a workflow of a minute

BY = {"recipe": "advice", "questions": "few", "squad": "squad.json", "learning_rate": 2e-3, "epochs": 4}
STUDY = {
    "shards": 1,
    "seed": 3,
    "models": {"qa": {"path": "qa", "kind": "extractive"}, "advised": {"derived": {"from": "qa", "by": BY}}},
    "interventions": {
        "questions": {
            "few": {
                "table": "resources/interventions/demo",
                "subjects": {"file": "subjects.txt"},
                "models": ["qa", "advised"],
            }
        }
    },
}
SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
CONTEXT = "The Arvians lied."
ASKED = [
    {"question": "Who lied?", "answers": [{"text": "Arvians", "answer_start": 4}]},
    {"question": "Who was rude?", "answers": []},
]


@pytest.fixture
def project(tmp_path):
    made = copy_project(tmp_path / "herbarium")
    tokenizer = untrained.word_piece(toy.sentences(stimuli.SPAN_FORM)["text"].tolist(), 500, 64, lowercase=False)
    model = untrained.model("BertForQuestionAnswering", SIZES, len(tokenizer), 0, "qa")
    for save in (tokenizer, model):
        save.save_pretrained(made.folder / "qa")
    made.write("squad.json", json.dumps({"data": [{"paragraphs": [{"context": CONTEXT, "qas": ASKED}]}]}))
    made.write("subjects.txt", "Arvians\nBelorns\nCorlens\n")
    made.write("study.yaml", yaml.safe_dump(STUDY))
    return made


def test_a_model_is_trained_measured_and_compared(project):
    jobs = project.jobs()
    expected = {"train_advice": 1, "resolve_model": 2, "plan_scoring": 1, "measure_interventions": 2}
    assert {rule: jobs[rule] for rule in expected} == expected
    project.run()
    results = project.folder / "results"
    training = store.read_record(results / "work/derived/advised.json")["training"]
    assert training["texts"] == dict.fromkeys(("ethical", "adversarial", "irrelevant"), 3 * 2 * 4 * 4)
    assert training["squad"] == {"questions": 1, "without_answer": 1, "left_out": 0}
    assert training["questions_left_out"] == 0
    history = training["history"]
    assert [row["steps"] for row in history] == [0, 12, 24, 36, 48]
    assert history[-1]["squad"] < history[1]["squad"]
    project.run("estimate")
    costs = pd.read_csv(results / "estimate.csv").set_index(["model", "stage"])
    expected = costs.loc[("advised", "train")]
    assert (expected["passes"], expected["sentences"]) == (48, 4 * sum(training["texts"].values()))
    assert expected["hours"] > 0
    numbers = pd.read_csv(results / "tables/interventions_numbers.csv")
    assert set(numbers["model"]) == {"qa", "advised"}
    mu = numbers[(numbers["definition"] == "paper") & (numbers["variant"] == "mu")].set_index(["model", "group"])
    assert (mu.loc["qa", "estimate"] != mu.loc["advised", "estimate"]).all()
    changes = store.read_frame(results / "work/changes/interventions/few.parquet", "changes")
    assert len(changes) == 4
    assert changes[["before", "after"]].drop_duplicates().to_numpy().tolist() == [["qa", "advised"]]
    assert project.jobs() == {}
    project.edit("squad.json", "Who lied?", "Who was it that lied?")
    assert project.jobs()["train_advice"] == 1
