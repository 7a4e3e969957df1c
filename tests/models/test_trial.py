"""What a model does, whatever its configuration says; and what is refused for it before anything is scored."""

import json
import shutil

import numpy as np
import pytest
import torch
import transformers
from tests import conftest
from tests.models import zoo
from tests.refusals import refused

import herbarium
from herbarium.models import loading, records, trial
from herbarium.scoring import quantities
from herbarium.study.config import Model

LSH = {"attn_layers": ["lsh", "lsh"], "lsh_attn_chunk_length": 4, "num_buckets": 4, "num_hashes": 1}


def recorded(folder, kind):
    return records.describe("m", Model(path=folder, kind=kind).model_dump(mode="json"), folder, None)


@pytest.mark.parametrize(
    ("kind", "architecture", "further", "why"),
    [
        ("causal", "XLNetLMHeadModel", {}, "those after it"),
        ("masked", "XmodForMaskedLM", {"default_language": None}, "language"),
        ("masked", "ReformerForMaskedLM", LSH, "asked again"),
        ("masked", "NystromformerForMaskedLM", {"num_landmarks": 8}, "cannot be run"),
        ("seq2seq", "LongT5ForConditionalGeneration", {"decoder_start_token_id": None}, "decoder_start_token_id"),
    ],
)
def test_what_cannot_be_scored_is_refused_when_it_is_recorded_and_when_it_is_loaded(
    tmp_path, kind, architecture, further, why
):
    folder = zoo.write(tmp_path, architecture, **further)
    with refused("models.m", architecture, why):
        recorded(folder, kind)
    with refused(folder.name, architecture, why):
        herbarium.load(folder, kind=kind)


@pytest.mark.parametrize(("family", "key"), [("bart", "pad_token_id"), ("t5", "decoder_start_token_id")])
def test_a_decoder_that_does_not_know_where_to_start_is_refused_before_it_is_loaded(
    model_folder, tmp_path, family, key
):
    folder = shutil.copytree(model_folder(family), tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {key: None}))
    entry = Model(path=folder, kind="seq2seq").model_dump(mode="json")
    with refused("config.json", f"'{key}'"):
        records.check({"m": entry})
    with refused(folder.name, key):
        herbarium.load(folder, kind="seq2seq")


def test_a_masked_model_that_sees_only_before_is_refused_whatever_it_says(model_folder):
    trial.check(loading.load(model_folder("bert"), "masked", "float32", "m"), "masked", "m")
    model = transformers.BertLMHeadModel.from_pretrained(model_folder("bert"), is_decoder=True).eval()
    with refused("models.m", "kind: causal"):
        trial.check(model, "masked", "m")


def test_damaged_weights_are_refused(tmp_path):
    folder = zoo.write(tmp_path, "RoFormerForMaskedLM")
    model = loading.load(folder, "masked", "float32", "m")
    with torch.no_grad():
        model.get_input_embeddings().weight[:] = torch.inf
    model.save_pretrained(folder)
    with refused("models.m", "not finite"):
        recorded(folder, "masked")


def test_a_score_does_not_depend_on_what_was_scored_before(tmp_path):
    # BigBird attends to all tokens once it has seen a short input, and from then on
    folder = zoo.write(tmp_path, "BigBirdForMaskedLM", attention_type="block_sparse", block_size=4, num_random_blocks=1)
    long, short = "The cat was loud, and the mat was wise. " * 3, "Lima"
    values = [herbarium.score(texts, folder)[long.strip()] for texts in ([long.strip()], [short, long.strip()])]
    assert values[0] == values[1]
    model = transformers.BigBirdForMaskedLM.from_pretrained(folder, attention_type="original_full").eval()
    encoding = conftest.tokenizer_of(folder)(long.strip(), return_tensors="pt", return_special_tokens_mask=True)
    assert encoding["input_ids"].shape[1] > (5 + 2) * 4  # more than it attends to from everywhere
    with torch.no_grad():
        log_p = model(encoding["input_ids"]).logits.log_softmax(-1)
    of_tokens = log_p.gather(2, encoding["input_ids"][..., None])[0, :, 0][encoding["special_tokens_mask"][0] == 0]
    np.testing.assert_allclose(values[0], of_tokens.mean().item(), rtol=1e-5)


# --- positions ---


@pytest.mark.parametrize(
    ("kind", "architecture", "n"),
    [
        ("seq2seq", "LEDForConditionalGeneration", 64),  # its configuration has no limit by the usual name
        ("seq2seq", "ProphetNetForConditionalGeneration", 61),  # positions are numbered behind that of padding
        ("masked", "LukeForMaskedLM", 64),
        ("causal", "OPTForCausalLM", 64),
        ("causal", "MixtralForCausalLM", 64),
        ("seq2seq", "MT5ForConditionalGeneration", None),  # distances are looked up, but any are
        ("causal", "MambaForCausalLM", None),
    ],
)
def test_positions_are_those_that_a_model_has(tmp_path, kind, architecture, n):
    model = loading.load(zoo.write(tmp_path, architecture), kind, "float32", "m")
    assert trial.positions(model) == n
    if architecture in ("LEDForConditionalGeneration", "ProphetNetForConditionalGeneration"):
        loading.whole(model, torch.full((1, n), 5))
        with pytest.raises(IndexError):
            loading.whole(model, torch.full((1, n + 1), 5))


def test_a_text_of_more_tokens_than_a_model_has_positions_is_refused(tmp_path):
    folder = zoo.write(tmp_path, "LEDForConditionalGeneration")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": 10**6}))
    assert recorded(folder, "seq2seq")["max_tokens"] == 64
    values = herbarium.score(["Lima", "loud " * 80], folder, kind="seq2seq")
    assert np.isfinite(values.iloc[0])
    assert np.isnan(values.iloc[1])


# --- tokens ---


def with_tokens(folder, target, **added):
    """A copy of a model whose tokenizer has more tokens than it."""
    shutil.copytree(folder, target)
    tokenizer = transformers.AutoTokenizer.from_pretrained(target)
    tokenizer.add_tokens(added.get("words", []))
    tokenizer.add_special_tokens(added.get("special", {}))
    tokenizer.save_pretrained(target)
    return target


@pytest.mark.parametrize("architecture", ["bert", "llama", "RoFormerForMaskedLM", "MixtralForCausalLM"])
def test_a_tokenizer_with_more_tokens_than_embeddings_is_refused(model_folder, tmp_path, architecture):
    is_listed = architecture in conftest.FAMILIES
    folder = model_folder(architecture) if is_listed else zoo.write(tmp_path / "made", architecture)
    kind = "masked" if architecture in ("bert", "RoFormerForMaskedLM") else "causal"
    folder = with_tokens(folder, tmp_path / "more", words=["Atlantis"])
    for look in (lambda: recorded(folder, kind), lambda: herbarium.load(folder, kind=kind)):
        with refused(None, "'Atlantis'"):
            look()


def test_padding_without_an_embedding_is_no_fault(model_folder, tmp_path):
    # many fine-tuned models have it: no text has this token
    folder = with_tokens(model_folder("llama"), tmp_path / "m", special={"pad_token": "[padding]"})
    recorded(folder, "causal")
    values = herbarium.score(["Lima"], folder, quantities.LL, kind="causal")
    assert values.item() == herbarium.score(["Lima"], model_folder("llama"), quantities.LL, kind="causal").item()
