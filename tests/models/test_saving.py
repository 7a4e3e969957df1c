"""Models that the workflow writes are the same files in every family, and read back as what they were."""

import pytest
import torch
from tests.conftest import FAMILIES, mostly_slow

from herbarium.models import loading, saving
from herbarium.scoring import classifiers


@pytest.mark.parametrize("family", mostly_slow(FAMILIES, "bert", "gpt2"))
def test_every_family_is_written_as_the_same_files(model_folder, tmp_path, family):
    kind, source = FAMILIES[family][0], model_folder(family)
    tokenizer = loading.load_tokenizer(source, "m")
    tokenizer.chat_template = "{{ messages }}"  # a file of its own, like the generation configuration of GPT-2
    model = loading.load(source, kind, "float32", "m")
    saving.save(tmp_path / "language", model, tokenizer)
    saving.save(tmp_path / "classifier", classifiers.begin(source, tokenizer, "m", seed=1), tokenizer)
    for folder in tmp_path.iterdir():
        assert {file.name for file in folder.iterdir()} == set(saving.FILES)
    classifiers.load(tmp_path / "classifier", "m", "float32")
    again = loading.load(tmp_path / "language", kind, "float32", "m")
    for one, other in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    text = "People in Peru are weak."
    assert loading.load_tokenizer(tmp_path / "language", "m")(text) == tokenizer(text)


def test_a_checkpoint_is_kept_for_the_same_training_alone(tmp_path):
    place = tmp_path / ".x.checkpoint"
    file = saving.checkpoint(place, ["code", {"epochs": 2}])
    file.write_text("half way")
    other_model = tmp_path / ".y.checkpoint-1"
    other_model.write_text("not ours")
    assert saving.checkpoint(place, ["code", {"epochs": 2}]) == file
    assert file.exists()
    folder = saving.checkpoint(place, ["code", {"epochs": 3}])
    assert folder != file
    assert not file.exists()
    folder.mkdir()
    saving.checkpoint(place, ["other code", {"epochs": 3}])
    assert [path.name for path in tmp_path.iterdir()] == [".y.checkpoint-1"]
