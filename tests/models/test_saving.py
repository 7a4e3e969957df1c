"""Models that the workflow writes are the same files in every family, and read back as what they were."""

import pytest
import torch
from tests.conftest import FAMILIES

from herbarium.models import loading, saving
from herbarium.scoring import classifiers


@pytest.mark.parametrize("family", FAMILIES)
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
