"""Fine-tuning: it learns, it ends alike every time, and a run that was killed ends as one that was not."""

import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from tests.conftest import mostly_slow, small_bert
from tests.refusals import refused

from herbarium.models import loading
from herbarium.scoring import classifiers, tokenization
from herbarium.training import head

SETTINGS = {"epochs": 6, "learning_rate": 5e-3, "batch_size": 8, "evaluations": 2, "patience": 12}
GOOD, BAD = ("wise", "loud"), ("weak", "shy")


def texts(n, seed):
    """Sentences whose label is said by one word."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    places = random.choice(["Peru", "Lima", "Canada", "Fiji"], n)
    words = [(BAD, GOOD)[label][random.integers(2)] for label in labels]
    return [f"People in {place} are {word}." for place, word in zip(places, words, strict=True)], labels


def tune(folder, checkpoints, settings=SETTINGS, seed=5, validated=True):
    tokenizer = loading.load_tokenizer(folder, "m")
    model = classifiers.begin(folder, tokenizer, "m", seed)
    parts = []
    for n, of_part in ((64, 1), (16, 2)):
        sentences, labels = texts(n, of_part)
        parts.append((tokenization.encode(tokenizer, sentences), labels))
    if not validated:
        parts[1] = None
    history = head.fine_tune(model, tokenizer, *parts, settings, seed, checkpoints, "cpu", False, "t")
    return model, history


def same_weights(one, other):
    return all((a == b).all() for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return small_bert(tmp_path_factory.mktemp("small"), texts(64, 1)[0])


@pytest.fixture(scope="module")
def undisturbed(folder, tmp_path_factory):
    return tune(folder, tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.slow
def test_it_learns_and_keeps_the_best_weights(undisturbed, folder):
    model, history = undisturbed
    assert history["steps"] == 48
    assert not history["stopped_early"]
    assert [row["step"] for row in history["history"]] == list(range(4, 49, 4))
    losses = [row["loss"] for row in history["history"]]
    assert history["best_step"] == history["history"][int(np.argmin(losses))]["step"]
    tokenizer = loading.load_tokenizer(folder, "m")
    sentences, labels = texts(40, 3)
    log_odds = classifiers.log_odds(model.eval(), "cpu", tokenization.encode(tokenizer, sentences), 1, "t")
    assert ((log_odds > 0) == labels).all()


@pytest.mark.slow
def test_one_seed_gives_one_classifier_and_another_another(undisturbed, folder, tmp_path):
    model, history = undisturbed
    again, said_again = tune(folder, tmp_path / "again")
    assert same_weights(model, again)
    assert history == said_again
    other, _ = tune(folder, tmp_path / "other", seed=6)
    assert not same_weights(model, other)


@pytest.mark.parametrize("family", mostly_slow(["bert", "roberta", "albert", "bart", "gpt2"], "bert"))
def test_every_family_is_trained_and_evaluated(model_folder, family, tmp_path):
    _, history = tune(model_folder(family), tmp_path, SETTINGS | {"epochs": 1})
    assert [row["step"] for row in history["history"]] == [4, 8]
    assert all(0 <= row["accuracy"] <= 1 for row in history["history"])


@pytest.mark.slow
def test_patience_ends_it(folder, tmp_path):
    settings = SETTINGS | {"learning_rate": 0.0, "patience": 2}  # nothing gets better
    _, history = tune(folder, tmp_path, settings)
    assert history["stopped_early"]
    assert len(history["history"]) == 3
    assert history["best_step"] == 4


KILLED = """
import importlib.util, os, signal, sys
from pathlib import Path
from transformers import TrainerCallback

spec = importlib.util.spec_from_file_location("here", sys.argv[1])
here = importlib.util.module_from_spec(spec)
spec.loader.exec_module(here)

class Kill(TrainerCallback):
    def on_step_end(self, _, state, *__, **___):
        if state.global_step == int(sys.argv[4]):
            os.kill(os.getpid(), signal.SIGKILL)

here.head._progress = lambda title: Kill()
here.tune(Path(sys.argv[2]), Path(sys.argv[3]), validated=bool(sys.argv[5]))
"""


def killed(folder, checkpoints, step, validated=True):
    """Fine-tune in a process of its own that kills itself at a step."""
    arguments = map(str, (__file__, folder, checkpoints, step, "yes" if validated else ""))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments],
        env={**os.environ, "PYTHONPATH": "workflow/scripts"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.nightly  # starts Python once a kill
def test_killed_twice_it_ends_as_if_undisturbed_and_loses_at_most_one_checkpoint(undisturbed, folder, tmp_path, caplog):
    model, history = undisturbed
    killed(folder, tmp_path, 14)
    assert {checkpoint.name for checkpoint in tmp_path.iterdir()} >= {"checkpoint-12"}
    # killed again while it wrote a checkpoint: one that is not whole is not gone on from
    shutil.copytree(tmp_path / "checkpoint-12", tmp_path / "checkpoint-16")
    state = tmp_path / "checkpoint-16" / "trainer_state.json"
    state.write_text(state.read_text()[:100])
    with caplog.at_level("INFO"):
        again, said_again = tune(folder, tmp_path)
    assert "continues from step 12" in caplog.text
    assert same_weights(model, again)
    assert history == said_again


@pytest.mark.nightly  # starts Python once
def test_without_validation_the_last_weights_are_kept_and_a_kill_changes_nothing(folder, tmp_path):
    settings = {key: SETTINGS[key] for key in ("epochs", "learning_rate", "batch_size")}
    model, history = tune(folder, tmp_path / "whole", settings, validated=False)
    assert history == {"steps": 48, "best_step": 48, "stopped_early": False, "history": []}
    killed(folder, tmp_path / "killed", 21, validated=False)
    assert {checkpoint.name for checkpoint in (tmp_path / "killed").iterdir()} == {"checkpoint-16"}
    again, _ = tune(folder, tmp_path / "killed", settings, validated=False)
    assert same_weights(model, again)


@pytest.mark.slow
@pytest.mark.parametrize("validated", [True, False])
def test_a_loss_that_is_not_finite_is_told(folder, tmp_path, validated):
    with refused("t", "`learning_rate`"):
        tune(folder, tmp_path, SETTINGS | {"learning_rate": 1e30}, validated=validated)
