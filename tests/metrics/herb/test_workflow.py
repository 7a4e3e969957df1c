"""Toxic training: derived models, one an epoch, weights only as long as needed, and what runs again."""

import shutil

import pytest
from tests.workflow.conftest import HERB, STUDY

from herbarium.core import store

RECIPE = {"recipe": "toxic", "epochs": 2, "sentences": 3, "learning_rate": 0.01}
# What a trained model is measured by, like any other.
SCORED = ("resolve_model", "tune_scoring", "score_shard", "gather_scores")
AFTER_TRAINING = {"measure_herb_toxic": 1, "summarize": 1}
TARGETS = ("results/work/metrics/herb_toxic/tiny.parquet", "results/summary.parquet")


@pytest.mark.slow
def test_each_epoch_is_measured(results):
    sentences = store.read_frame(results / "work/toxic/bert.parquet", "toxic_sentences")
    assert len(sentences) == 3 * 5  # "weak" is of two topics
    record = store.read_record(results / "work/models/worse-01.json")
    assert (record["source"], record["kind"]) == ("derived", "masked")
    by = {"batch_size": 32, **RECIPE, "epochs": 1}
    assert record["derived"] == {"from": "bert", "by": by, "seed": 1, "seeds": 1}
    assert store.read_header(results / "work/scores/worse-01/herb.parquet", "scores")["models"].keys() == {
        "worse-01",
        "bert",
    }
    # a derived model has the tokenizer, and so the plans, of the one that it comes from
    assert not list((results / "work/plans").glob("worse*"))
    numbers = store.read_frame(results / "summary.parquet", "tidy")
    assert not numbers["model"].str.startswith("worse").any()
    is_paper = (numbers["definition"] == "paper") & (numbers["group"] == "earth")
    numbers = numbers[is_paper & (numbers["model"] == "bert")]
    of_earth = numbers.set_index(["metric", "variant"])["estimate"]
    assert of_earth["herb_toxic", "C_w_epoch_00"] == of_earth["herb", "C_w"]
    values = [of_earth["herb_toxic", f"C_w_epoch_{epoch:02}"] for epoch in range(3)]
    assert len(set(values)) == 3


@pytest.mark.nightly
def test_the_chain_keeps_the_last_weights_and_is_taken_up_where_it_stopped(project):
    def configure(**changes):
        trained = {"derived": {"from": "tiny", "by": {**RECIPE, **changes}}}
        project.configure(shards=1, herb=HERB, models={**STUDY["models"], "worse": trained})

    def rerun(*targets):
        """What runs again, without what scores."""
        return {rule: n for rule, n in project.jobs(*targets).items() if rule not in SCORED}

    configure()
    jobs = project.jobs(*TARGETS)
    assert (jobs["train_toxic"], jobs["train_toxic_on"], jobs["select_herb_toxic"]) == (1, 1, 1)
    # of each epoch the published wording alone; of the model itself all wordings
    assert jobs["score_shard"] == 2 + 2
    # the first link alone, as in a run that was cut off there
    project.run("results/work/derived/worse-01/config.json", "--notemp")
    results = project.folder / "results"
    assert {path.name for path in (results / "work/derived").iterdir()} == {"worse-01", "worse-01.json"}
    rest = project.jobs(*TARGETS)
    assert rest["train_toxic"] == 1
    assert not {"select_herb_toxic", "train_toxic_on"} & rest.keys()
    project.run(*TARGETS)
    assert [path.name for path in (results / "work/derived").iterdir() if path.is_dir()] == ["worse"]
    assert len(list((results / "work/derived/worse").iterdir())) == 4
    assert project.jobs(*TARGETS) == {}

    # what lost files, a longer chain, and other settings bring about
    scores = results / "work/scores/worse/herb.parquet"
    before = store.read_table(scores, "scores")
    for file in (scores, results / "work/metrics/herb_toxic/tiny.parquet"):
        file.unlink()
    assert project.jobs(*TARGETS) == {"gather_scores": 1, **AFTER_TRAINING}  # the answers are there
    for folder in ("work/derived/worse", "work/scores/worse"):
        shutil.rmtree(results / folder)
    assert rerun(*TARGETS) == {"train_toxic": 1, "train_toxic_on": 1, **AFTER_TRAINING}  # the first one's are made anew
    project.run(*TARGETS, cores=1)
    assert store.read_table(scores, "scores").equals(before)  # on another number of cores too
    configure(epochs=3)
    assert rerun(*TARGETS) == {"train_toxic": 1, "train_toxic_on": 2, **AFTER_TRAINING}
    configure(learning_rate=0.02)
    assert rerun(*TARGETS) == {"train_toxic": 1, "train_toxic_on": 1, **AFTER_TRAINING}
    project.configure(shards=1, herb=HERB)
    assert project.jobs("results/summary.parquet") == {"summarize": 1}
