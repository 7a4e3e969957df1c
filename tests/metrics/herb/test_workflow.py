"""The chain of toxic training: one link an epoch, weights only as long as needed, and what runs again."""

import pytest
from tests.workflow.conftest import HERB

from herbarium.core import store

pytestmark = pytest.mark.slow  # one run of the small workflow, then single jobs

TOXIC = {"models": ["tiny"], "epochs": 2, "sentences": 3, "learning_rate": 0.01}
AFTER_TRAINING = {"measure_toxic": 1, "summarize": 1}
TARGETS = ("results/metrics/herb_toxic/tiny.parquet", "results/summary.parquet")


def test_the_chain_leaves_no_weights_and_is_taken_up_where_it_stopped(project):
    def configure(**changes):
        project.configure(shards=1, herb={**HERB, "toxic": {**TOXIC, **changes}})

    configure()
    assert project.jobs(*TARGETS)["train_toxic"] == 2
    # the first link alone, as in a run that was cut off there
    project.run("results/toxic/tiny/weights-01/config.json", "--notemp")
    folder = project.folder / "results/toxic/tiny"
    assert {path.name for path in folder.iterdir()} == {"sentences.parquet", "weights-01", "scores-01.parquet"}
    rest = project.jobs(*TARGETS)
    assert rest["train_toxic"] == 1
    assert "select_toxic" not in rest
    project.run(*TARGETS)
    assert {path.name for path in folder.iterdir()} == {"sentences.parquet", "scores-01.parquet", "scores-02.parquet"}
    assert project.jobs(*TARGETS) == {}

    sentences = store.read_frame(folder / "sentences.parquet", "toxic_sentences")
    assert len(sentences) == 3 * 5  # "weak" is of two topics
    numbers = store.read_frame(project.folder / "results/summary.parquet", "tidy")
    numbers = numbers[(numbers["definition"] == "paper") & (numbers["group"] == "earth")]
    of_earth = numbers.set_index(["metric", "variant"])["estimate"]
    assert of_earth["herb_toxic", "C_w_epoch_00"] == of_earth["herb", "C_w"]
    values = [of_earth["herb_toxic", f"C_w_epoch_{epoch:02}"] for epoch in range(3)]
    assert len(set(values)) == 3

    # what a lost file, a longer chain, and other settings bring about
    scores = folder / "scores-02.parquet"
    before = store.read_table(scores, "scores")
    scores.unlink()
    (project.folder / "results/metrics/herb_toxic/tiny.parquet").unlink()
    assert project.jobs(*TARGETS) == {"train_toxic": 2, **AFTER_TRAINING}  # the weights of epoch 1 are made anew
    project.run(*TARGETS, cores=1)
    assert store.read_table(scores, "scores").equals(before)  # on another number of cores too
    configure(epochs=3)
    assert project.jobs(*TARGETS) == {"train_toxic": 3, **AFTER_TRAINING}
    configure(learning_rate=0.02)
    assert project.jobs(*TARGETS) == {"train_toxic": 2, **AFTER_TRAINING}
    configure(models=[])
    assert project.jobs("results/summary.parquet") == {"summarize": 1}
