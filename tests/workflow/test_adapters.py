"""A model and the same with an adapter, through the workflow: merged once, measured side by side, and known by both."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.models.test_adapters import write_adapter
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store
from herbarium.models import folders

pytestmark = pytest.mark.slow  # one run of the workflow, and parts of others (a minute)

SENTENCES = [
    (f"{word}-{side}", word, side, f"People in {place} are {word}.")
    for word in ("weak", "wise", "shy", "loud")
    for side, place in (("peru", "Peru"), ("zealand", "New Zealand"))
]
STUDY = {
    "results": "results",
    "shards": 1,
    "models": {
        "tiny": {"path": "tiny", "kind": "masked"},
        "adapted": {"path": "tiny", "kind": "masked", "adapter": {"path": "adapter"}},
    },
    "sentence_sets": {
        "pairs": {
            "table": "pairs.csv",
            "models": ["tiny", "adapted"],
            "quantity": "likelihood",
            "contrast": "share",
            "sides": ["peru", "zealand"],
        }
    },
}
RESCORED = {"merge_adapter": 1, "resolve_model": 1, "plan_scoring": 1, "score_shard": 1}


@pytest.fixture(scope="module")
def measured(tmp_path_factory, model_folder):
    """The study of a base and what an adapter makes of it, done."""
    made = copy_project(tmp_path_factory.mktemp("adapters"))
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    write_adapter(model_folder("bert"), "bert", made.folder / "adapter")
    made.write("pairs.csv", pd.DataFrame(SENTENCES, columns=["id", "set", "side", "text"]).to_csv(index=False))
    made.write("study.yaml", yaml.safe_dump(STUDY))
    made.run("sentence_sets", "results/report/index.html")
    return made


def test_both_are_scored_and_by_their_own_weights(measured):
    sentences = pd.read_csv(measured.folder / "results/tables/sentence_sets_sentences.csv")
    values = {}
    for model, adapter in (("tiny", None), ("adapted", {"path": measured.folder / "adapter"})):
        rows = sentences[sentences["model"] == model]
        assert len(rows) == len(SENTENCES)
        values[model] = rows["value"].to_numpy()
        expected = herbarium.score(rows["text"], measured.folder / "tiny", "pll", adapter=adapter)
        assert values[model] == pytest.approx(expected.to_numpy(), abs=1e-4)
    assert abs(values["tiny"] - values["adapted"]).mean() > 0.01
    numbers = pd.read_csv(measured.folder / "results/summary.csv")
    assert set(numbers["model"]) == {"tiny", "adapted"}


def test_the_record_names_base_and_adapter(measured):
    record = store.read_json(measured.folder / "results/work/models/adapted.json")
    merged = record["merged"]
    assert merged["base"]["files"] == folders.checksums(measured.folder / "tiny")
    assert merged["adapter"]["files"] == folders.checksums(measured.folder / "adapter")
    assert (merged["base"]["path"], merged["adapter"]["path"]) == ("tiny", "adapter")
    assert merged["change"]["max"] < 1e-4
    assert record["path"] == "results/work/merged/adapted"
    assert store.read_json(measured.folder / "results/work/models/tiny.json")["merged"] is None
    page = (measured.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert "<td>tiny, with the adapter adapter</td>" in page


def test_another_adapter_scores_its_model_anew_and_no_other(measured, model_folder):
    targets = ("sentence_sets", "results/report/index.html")
    assert measured.jobs(*targets) == {}
    before = store.read_json(measured.folder / "results/work/models/adapted.json")
    write_adapter(model_folder("bert"), "bert", measured.folder / "adapter", seed=2)
    assert RESCORED.items() <= measured.jobs(*targets).items()
    measured.run("results/work/models/adapted.json")
    after = store.read_json(measured.folder / "results/work/models/adapted.json")
    assert after["files"] != before["files"]
    assert after["merged"]["adapter"]["files"] != before["merged"]["adapter"]["files"]
    assert after["merged"]["base"] == before["merged"]["base"]


def test_what_says_no_more_of_the_adapter_is_still_in_the_record(measured):
    """Files that merge to the same weights: the model is recorded anew, and nothing is scored again."""
    measured.run("sentence_sets")
    measured.edit("adapter/adapter_config.json", '"bias": "none"', '"bias":  "none"')
    assert "score_shard" in measured.jobs("sentence_sets")  # as long as nobody knows what comes of it
    log = measured.run("sentence_sets")
    assert "resolve_model" in log or "Record what" in log
    record = store.read_json(measured.folder / "results/work/models/adapted.json")
    assert record["merged"]["adapter"]["files"] == folders.checksums(measured.folder / "adapter")


def test_an_adapter_for_another_base_stops_a_dry_run(measured, model_folder):
    write_adapter(model_folder("roberta"), "roberta", measured.folder / "other")
    models = {**STUDY["models"], "wrong": {"path": "tiny", "kind": "masked", "adapter": {"path": "other"}}}
    measured.write("wrong.yaml", yaml.safe_dump({**STUDY, "models": models}))
    log = measured.fails("-n", config="wrong.yaml")
    assert "models.wrong.adapter: other is for another base: it changes 'roberta.encoder" in log
    assert "Traceback" not in log
