"""Models that people have, as small random twins: scored from the folder alone, as their own forward pass does."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.models import tried
from tests.models.test_zoo import of_transformers

import herbarium
from herbarium.models import inferred, records
from herbarium.models.section import Model

SENTENCES = ["People in New Zealand are hard-working.", "Lima", "In 1984, the cat in Xi’an wasn't loud: ça va  wise."]


@pytest.mark.slow
@pytest.mark.parametrize("name", tried.TWINS)
def test_scores_are_those_of_its_own_forward_pass(tmp_path, name):
    twin, tokenizer = tried.TWINS[name], tried.write(tmp_path, name)
    entry = inferred.completed({"m": Model(path=tmp_path)}, tmp_path / "lock.yaml")["m"].model_dump(mode="json")
    records.check({"m": entry})
    record = records.describe("m", entry, tmp_path, None)
    assert record["kind"] == twin.kind
    assert (record["start"] or {"token": None})["token"] == twin.start
    model = of_transformers(tmp_path, twin.architecture)
    values = herbarium.score(SENTENCES, tmp_path)
    expected = [scored(model, tokenizer, twin, text) for text in SENTENCES]
    assert values.to_numpy() == pytest.approx(np.array(expected), abs=2e-4)


def scored(model, tokenizer, twin, text):
    """Of one sentence alone: of a causal model its log-likelihood after the token that documents begin with; of a
    masked one the mean over its tokens, between the marks."""
    plain = tokenizer(text, add_special_tokens=False)["input_ids"]
    is_causal = twin.kind == "causal"
    shown = [tokenizer.convert_tokens_to_ids(twin.start), *plain] if is_causal else tokenizer(text)["input_ids"]
    if not is_causal:
        assert shown[1:-1] == plain
    with torch.no_grad():
        log_p = model(input_ids=torch.tensor([shown])).logits[0].log_softmax(dim=-1)
    first = 0 if is_causal else 1
    each = [log_p[first + place, token].item() for place, token in enumerate(plain)]
    return sum(each) if is_causal else float(np.mean(each))


@pytest.mark.parametrize("name", tried.TWINS)
def test_a_text_can_be_had_back_and_every_token_has_its_characters(tmp_path, name):
    tokenizer = tried.write(tmp_path, name)
    for text in SENTENCES:
        encoding = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        assert tokenizer.decode(encoding["input_ids"]).strip() == text
        covered = {place for start, end in encoding["offset_mapping"] for place in range(start, end)}
        assert {place for place, letter in enumerate(text) if not letter.isspace()} <= covered


def test_the_page_names_what_was_tried():
    table = Path("docs/families.md").read_text(encoding="utf-8").partition("## Tried")[2]
    assert re.findall(r"^\| ([^|]+?) \| `", table, re.MULTILINE) == list(tried.TWINS)
