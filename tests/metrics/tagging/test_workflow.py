"""The whole way of named entities: planted sentences, taggers of two planted models, numbers, changes, and the page."""

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # trains three taggers, and dry runs of the workflow

CONLL = "".join(f"Ann{n} B-PER\nsaw O\nLima{n} B-LOC\n. O\n\n" for n in range(40))
BY = {"recipe": "continued", "corpus": "same", "batch_size": 64, "epochs": 1, "weights": "head", "max_tokens": 32}
STUDY = {
    "results": "results",
    "seed": 5,
    "shards": 1,
    "testbed": {"steps": 20, "batch_size": 32},
    "models": {"base": {"planted": 0.0, "kind": "masked"}, "head": {"derived": {"from": "base", "by": BY}}},
    "corpora": {"same": {"planted": "base", "max_texts": 200}},
    # the text that is planted
    "sentence_sets": {
        "pronouns": {
            "table": "resources/sentence_sets/pronouns/sentences.csv",
            "models": ["base"],
            "quantity": "pll",
            "sides": ["he", "she"],
        }
    },
    "tagging": {
        "tasks": {
            "entities": {"data": {"planted": True, "sentences": 1200}, "models": ["base"]},
            "german": {"data": {"path": "own.conll"}, "models": ["base", "head"]},
        },
        "training": {"sets": 1, "epochs": 24, "learning_rate": 2e-3},
    },
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = copy_project(tmp_path_factory.mktemp("tagging") / "herbarium")
    made.write("own.conll", CONLL)
    made.write("study.yaml", yaml.safe_dump(STUDY, sort_keys=False))
    return made


def test_what_runs(project):
    jobs = project.jobs()
    expected = {"read_tagging": 2, "train_tagging": 3, "measure_tagging": 3, "compare_tagging": 1}
    expected |= {"table_tagging": 1, "part_tagging": 1, "draw_changes": 1}
    assert {rule: jobs[rule] for rule in expected} == expected


def test_a_faulty_file_is_told_before_the_first_job(project):
    project.write("own.conll", CONLL.replace("B-LOC", "LOC-B", 1))
    message = project.fails("-n")
    project.write("own.conll", CONLL)
    assert "own.conll, line 3: 'LOC-B' is not an IOB2 tag" in message
    assert "Traceback" not in message


def test_it_finds_what_is_planted_and_compares(project):
    project.run()
    results = project.folder / "results"
    numbers = store.read_frame(results / "summary.parquet", "tidy")
    of_all = numbers[(numbers["metric"] == "tagging") & (numbers["unit"] == "all")].set_index(["model", "group"])
    planted = of_all.loc[("base", "entities/all")]
    # one that finds every name and guesses which type of the two of its sentence it is of has 1/2
    assert planted["ci_low"] > 0.5
    table = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    row = table.loc["Task german, entity F1"]
    # what was changed is in the head, which a tagger does not have
    assert (row["kind"], row["estimate"]) == ("cost", 0)
    published = store.read_frame(results / "work/published/tagging.parquet", "published")
    of_german = published[published["row"] == "german"].set_index("column")
    assert pd.notna(of_german.loc["not aligned, not frozen", "paper"])
    assert (of_german.loc["aligned, frozen", "agreement"]) == "not measured"
    assert 'id="table-tagging-entities"' in (results / "report/index.html").read_text(encoding="utf-8")
