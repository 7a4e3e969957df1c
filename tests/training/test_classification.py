"""Fine-tuning to tell any number of classes of texts apart."""

import numpy as np
import pytest
from tests.conftest import small_bert

from herbarium.models import folders, saving
from herbarium.scoring import answering, classifiers, tuning
from herbarium.training import classification

SETTINGS = {"epochs": 8, "learning_rate": 5e-3, "batch_size": 8, "evaluations": 1, "patience": 8, "max_tokens": 64}
WORDS = {"baker": ("bread", "dough"), "nurse": ("wards", "fevers"), "pilot": ("cockpits", "runways")}


def texts(n, seed):
    random, names = np.random.default_rng(seed), list(WORDS)
    label = np.arange(n) % len(names)
    people = random.choice(["Mira", "Hugo", "Ines"], n)
    return [
        f"{who} knows {random.choice(WORDS[names[class_number]])}."
        for who, class_number in zip(people, label, strict=True)
    ], label


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = small_bert(tmp_path_factory.mktemp("small"), texts(96, 1)[0])
    files = {"path": str(folder), "files": folders.checksums(folder)}
    return files | {
        "name": "m",
        "dtype": "float32",
        "lowercase": False,
        "tokenizer": None,
        "unused_tensors": [],
        "max_tokens": 16,
    }


def tuned(record, place, seed=5, **settings):
    parts = texts(96, 1), texts(24, 2)
    given = (SETTINGS | settings, {"max": 1.0, "mean": 1.0}, seed, "cpu", place, "what", "t")
    return classification.tune(record, list(WORDS), *parts, parts[0][0], *given)


@pytest.mark.slow
def test_it_learns_as_many_classes_as_there_are(record, tmp_path):
    result = tuned(record, tmp_path / "checkpoints")
    assert result.limits == {"max_tokens": 16, "lowercase": False}
    assert result.training["bfloat16"] is False
    assert result.training["steps"] == 96
    assert result.checkpoints.is_dir()
    sentences, label = texts(60, 3)
    encoded = classifiers.encode(result.tokenizer, sentences, **result.limits)
    text = classifiers.logits(answering.place(result.model.eval(), "cpu"), "cpu", encoded, "t")
    assert (text.argmax(axis=1) == label).all()


@pytest.mark.slow
def test_trained_with_products_in_bfloat16_it_answers_as_it_does_when_it_is_read_again(record, tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "faster_dtypes", lambda device: ("bfloat16",))
    result = tuned(record | {"dtype": "auto"}, tmp_path / "checkpoints", epochs=1)
    assert result.training["bfloat16"] is True
    encoded = classifiers.encode(result.tokenizer, texts(60, 3)[0], **result.limits)
    (tmp_path / "saved").mkdir()
    saving.save(tmp_path / "saved", result.model, result.tokenizer)
    again = type(result.model).from_pretrained(tmp_path / "saved")
    text = [
        classifiers.logits(answering.place(side.eval(), "cpu"), "cpu", encoded, "t") for side in (result.model, again)
    ]
    assert (text[0] == text[1]).all()


@pytest.mark.slow
def test_another_seed_or_another_setting_goes_on_from_no_checkpoint_of_the_first(record, tmp_path):
    place = tmp_path / "checkpoints"
    kept = [
        tuned(record, place, epochs=1).checkpoints,
        tuned(record, place, epochs=1, seed=6).checkpoints,
        tuned(record, place, epochs=1, seed=6, learning_rate=1e-3).checkpoints,
    ]
    assert len(set(kept)) == 3
    assert [folder.is_dir() for folder in kept] == [False, False, True]
