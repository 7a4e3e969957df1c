"""What trainings will cost: steps, tokens and hours by hand, and the steps that really run."""

import numpy as np
import pandas as pd
import pytest

from herbarium.models import folders, saving
from herbarium.scoring import classifiers, tokenization
from herbarium.training import continued, costs, head

TEXTS = pd.Series([f"People in Lima are {'weak and ' * (i % 4)}shy." for i in range(21)])
TWO = costs.Trainings([14, 10], [4, 6], epochs=3, batch_size=4)


@pytest.fixture(scope="module")
def record(model_folder):
    folder = model_folder("bert")
    files = folders.checksums(folder)
    return {"name": "m", "kind": "masked", "path": str(folder), "unused_tensors": [], "tokenizer": None, "files": files}


def test_steps_and_texts_are_counted():
    row = TWO.counted("train", files=2)
    # 14 texts are 4 steps of 4, and 10 are 3
    assert (row["jobs"], row["files"], row["sentences"], row["passes"]) == (2, 4, 24 * 3, (4 + 3) * 3)


def test_hours_are_those_of_tokens_and_of_evaluations_which_take_a_third():
    row = TWO.taking(padded=8.0, tokens_a_second=2.0, start_seconds=36.0)
    seconds = [36 + (14 * 3 + 4 / 3) * 8 / 2, 36 + (10 * 3 + 6 / 3) * 8 / 2]
    assert row["hours"] == pytest.approx(sum(seconds) / 3600)
    assert row["longest_job"] == pytest.approx(seconds[0] / 3600)
    assert row["tokens"] == 24 * 3 * 8


def test_batches_are_padded_to_their_longest():
    assert costs.padded_tokens(np.array([2, 6, 3, 3, 5]), costs.in_order(5, 2)) == 6 + 6 + 3 + 3 + 5


@pytest.mark.parametrize(("evaluates", "seconds"), [(False, 2.0), (True, 2.0 / (1 + 1 / 3))])
def test_a_measurement_is_that_of_all_texts_if_they_are_few(monkeypatch, evaluates, seconds):
    started = costs.Started({}, None, None, "cpu", 0.0)
    monkeypatch.setattr(costs, "timed", lambda train, n, first: (n, 2.0, train(n)))
    lengths = np.array([3, 5, 4])
    trained = []
    row = costs.Trainings([3], [0], 2, 2).measured(
        trained.append, lambda n: costs.padded_tokens(lengths[:n], costs.in_order(n, 2)), 3, started, "t", evaluates
    )
    assert trained == [3]
    assert row["sampled"] == 3 * 2  # of three texts in two epochs, all
    assert row["tokens"] == (5 + 5 + 4) * 2
    assert row["hours"] * 3600 == pytest.approx(2 * seconds)


@pytest.mark.parametrize("n", [1, 5, 21])
def test_the_first_texts_are_those_that_stand_first(record, n):
    started = costs.language_model(record, "cpu")
    some, every = (tokenization.encode(started.tokenizer, texts) for texts in (TEXTS[:n].tolist(), TEXTS.tolist()))
    chosen = costs.first(every, n)
    assert all(np.array_equal(getattr(chosen, name), getattr(some, name)) for name in vars(some))


@pytest.mark.parametrize("by_token", [False, True])
def test_a_step_of_a_classifier_is_timed_and_changes_nothing_that_is_frozen(record, by_token):
    started = costs.classifier(record, "cpu", ["a", "b", "c"], by_token)
    started.model.base_model.requires_grad_(False)
    encoded = classifiers.encode(started.tokenizer, TEXTS, 64, False)
    trainings = costs.Trainings([len(TEXTS)], [0], 1, 4)
    train, tokens = costs.classifying(started, encoded, 4, by_token), costs.unsorted(encoded, 4)
    row = trainings.measured(train, tokens, len(TEXTS), started, "t")
    assert row["hours"] > 0
    assert not started.model.training
    assert all(parameter.grad is None for parameter in started.model.base_model.parameters())
    assert started.bytes == 4 * sum(parameter.numel() for parameter in started.model.parameters())


def test_continued_training_takes_the_steps_that_are_estimated(record, tmp_path):
    settings = {"epochs": 3, "batch_size": 4, "learning_rate": 1e-3, "warm_up": 1, "decay": "linear"}
    settings |= {"weight_decay": 0.0, "beta2": 0.999, "keep": "last", "weights": "all"}
    started = costs.language_model(record, "cpu")
    encoded = classifiers.encode(started.tokenizer, TEXTS, 64, False)
    parts = encoded, costs.first(encoded, 2)
    history = continued.train(started.model, started.tokenizer, *parts, settings, 0, tmp_path / "checkpoint", "t")
    assert costs.Trainings([len(TEXTS)], [0], 3, 4).counted("train", 1)["passes"] == history[-1]["steps"] == 18


@pytest.mark.slow
def test_fine_tuning_takes_the_steps_that_are_estimated(record, tmp_path):
    settings = {"epochs": 2, "batch_size": 4, "learning_rate": 1e-3, "evaluations": 1, "patience": 9}
    started = costs.classifier(record, "cpu", classifiers.CLASSES)
    texts = classifiers.encode(started.tokenizer, TEXTS, 64, False), np.arange(len(TEXTS)) % 2
    checkpoints = saving.checkpoint(tmp_path / "c", [])
    done = head.fine_tune(started.model, started.tokenizer, texts, None, settings, 0, checkpoints, "cpu", False, "t")
    assert costs.Trainings([len(TEXTS)], [0], 2, 4).counted("finetune", 1)["passes"] == done["steps"] == 12
