"""GGUF files: what is read from them is the model that they were made from, or they are refused by name."""

import re
import struct
from contextlib import suppress

import pytest
import torch
from gguf import GGMLQuantizationType as Type
from tests.models import ggufs
from tests.models.tried import QWEN
from tests.refusals import refused

import herbarium
from herbarium.core.errors import HerbariumError
from herbarium.models import converting, gguf, inferred, loading, records, section
from herbarium.models.kinds import Kind

LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
TEXT = "People in Nepal are weak; 12 “é” words."


def twin(family, tokenizer, **settings):
    if family == "gemma2":
        settings |= {"head_dim": 16, "sliding_window": 8, "query_pre_attn_scalar": 256}
        return ggufs.other(family, len(tokenizer), **settings)
    return getattr(ggufs, family)(len(tokenizer), **settings)


def converted(file, tmp_path):
    """What the workflow makes of a file: the model, its tokenizer, and what is recorded."""
    target = tmp_path / "converted"
    target.mkdir()
    recorded = converting.keep_as_safetensors(file.parent, file.name, target, "causal", "m")["gguf"]
    return loading.load(target, "causal", "float32", "m"), loading.load_tokenizer(target, "m"), recorded


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Type.F32, Type.F16, Type.Q8_0, Type.Q4_0])
@pytest.mark.parametrize("family", ["llama", "gemma", "gemma2"])
def test_logits_are_those_of_the_model_with_the_numbers_of_the_file(tmp_path, family, kind):
    tokenizer = ggufs.byte_level()
    expected = ggufs.write(tmp_path / "model.gguf", twin(family, tokenizer), tokenizer, kind)
    model, _, recorded = converted(tmp_path / "model.gguf", tmp_path)
    token_ids = torch.tensor([tokenizer(TEXT)["input_ids"]])
    assert token_ids.shape[1] > 8  # longer than the window of Gemma
    with torch.inference_mode():
        torch.testing.assert_close(model(token_ids).logits, expected(token_ids).logits, atol=1e-5, rtol=1e-5)
    assert model.dtype == torch.float32
    assert recorded["tensor_types"][kind.name] > 7
    assert bool(recorded["note"]) == (kind in (Type.Q8_0, Type.Q4_0))


# What files do not say is as transformers has it, and as all published models of a family have it.
OTHERS = {
    "gpt2": {"max_position_embeddings": 1024},
    "mistral": {"sliding_window": None},
    "phi3": {},
    "qwen2": {},
    "qwen3": {"head_dim": 128},
    "stablelm": {},
    "starcoder2": {"sliding_window": None},
}


@pytest.mark.slow
@pytest.mark.parametrize("family", OTHERS)
def test_other_families_score_as_the_model_with_the_numbers_of_the_file(tmp_path, family):
    tokenizer, split = (ggufs.byte_level(QWEN), "qwen2") if "qwen" in family else (ggufs.byte_level(), "gpt-2")
    file, model = tmp_path / "model.gguf", ggufs.other(family, len(tokenizer), **OTHERS[family])
    expected = ggufs.write(file, model, tokenizer, Type.Q8_0, split, **{"tokenizer.ggml.padding_token_id": 0})
    texts = [TEXT, "Peru", "They said “é”; a word, 12 words, and more words than a window has."]
    scores = herbarium.score(texts, file).tolist()
    assert scores == pytest.approx(log_likelihoods(expected, tokenizer, texts), rel=1e-5)


def log_likelihoods(model, tokenizer, texts):
    """Of each text, after the token that begins documents."""
    totals = []
    for text in texts:
        plain = tokenizer(text, add_special_tokens=False)["input_ids"]
        token_ids = torch.tensor([[tokenizer.bos_token_id, *plain]])
        with torch.inference_mode():
            log_p = model(token_ids).logits[0, :-1].double().log_softmax(-1)
        totals.append(float(log_p.gather(1, token_ids[0, 1:, None]).sum()))
    return totals


@pytest.mark.parametrize(
    ("family", "settings"), [("gpt2", {"max_position_embeddings": 128}), ("qwen3", {"head_dim": 16})]
)
def test_sizes_that_the_reading_of_a_family_leaves_out_are_refused(tmp_path, family, settings):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, ggufs.other(family, len(tokenizer), **settings), tokenizer)
    with refused("models.m", str(file)):
        converting.keep_as_safetensors(file.parent, file.name, tmp_path / "made", "causal", "m")


@pytest.mark.parametrize(
    "settings",
    [
        {"rope_parameters": LLAMA3},
        {"rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}},
        {"tie_word_embeddings": True},
    ],
)
def test_scaled_positions_and_tied_embeddings(tmp_path, settings):
    tokenizer = ggufs.byte_level()
    values = {}
    if settings.get("rope_parameters", {}).get("rope_type") == "linear":
        values = {"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}
    expected = ggufs.write(tmp_path / "model.gguf", twin("llama", tokenizer, **settings), tokenizer, **values)
    model, _, _ = converted(tmp_path / "model.gguf", tmp_path)
    token_ids = torch.arange(100)[None]
    with torch.inference_mode():
        torch.testing.assert_close(model(token_ids).logits, expected(token_ids).logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("make", [ggufs.byte_level, ggufs.sentence_piece])
def test_the_tokenizer_is_that_of_the_file(tmp_path, make):
    tokenizer = make()
    ggufs.write(tmp_path / "model.gguf", twin("llama", tokenizer), tokenizer)
    _, read, _ = converted(tmp_path / "model.gguf", tmp_path)
    for text in (TEXT, "Peru", "ñandú 1234  x", "a"):
        assert read(text)["input_ids"] == tokenizer(text)["input_ids"], text


def test_digits_are_tokens_of_their_own_where_the_file_says_so(tmp_path):
    tokenizer = ggufs.byte_level()
    ggufs.write(tmp_path / "model.gguf", twin("llama", tokenizer), tokenizer, split="smollm")
    _, read, _ = converted(tmp_path / "model.gguf", tmp_path)
    assert "Ġ12" in tokenizer(" 12").tokens() or "12" in tokenizer(" 12").tokens()
    assert read(" 12").tokens() == ["Ġ", "1", "2"]


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"general.architecture": "bert"}, "'bert'"),
        ({"general.architecture": "clip"}, "mmproj"),
        ({"general.type": "adapter"}, "LoRA"),
        ({"general.type": "mmproj"}, "mmproj"),
        ({"split.count": 2}, "llama-gguf-split --merge"),
        ({"tokenizer.ggml.tokens": None}, "tokenizer.ggml.tokens"),
        ({"tokenizer.ggml.pre": "of-another-world"}, "of-another-world"),
        ({"llama.rope.scaling.type": "yarn"}, "yarn"),
        ({"llama.attention.layer_norm_rms_epsilon": None}, "llama.attention.layer_norm_rms_epsilon"),
        ({"llama.attention.layer_norm_rms_epsilon": float("nan")}, "llama.attention.layer_norm_rms_epsilon"),
        ({"llama.rope.freq_base": None}, "llama.rope.freq_base"),
        ({"llama.rope.freq_base": "10000"}, "llama.rope.freq_base"),
        ({"general.alignment": 0}, "general.alignment"),
        ({"general.alignment": "32"}, "general.alignment"),
        ({"split.count": "two"}, "split.count"),
    ],
)
def test_other_files_are_refused_before_anything_is_loaded(tmp_path, values, fault):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, twin("llama", tokenizer), tokenizer, **values)
    with refused("models.m", str(file), fault):
        records.check({"m": entry(file)})


def entry(file):
    return section.Model(path=file, kind="causal").model_dump(mode="json")


@pytest.mark.parametrize("share", [0.999, 0.5, 0.02, 0.0001])
def test_a_truncated_file_is_refused_by_name(tmp_path, share):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, twin("llama", tokenizer), tokenizer)
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])
    with refused("models.m", str(file)):
        records.check({"m": entry(file)})


def test_damage_in_the_header_brings_no_traceback(tmp_path):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, twin("llama", tokenizer), tokenizer)
    content, spoiled = file.read_bytes(), tmp_path / "spoiled.gguf"
    for at in range(0, 600, 7):
        spoiled.write_bytes(content[:at] + b"\xff" * 4 + content[at + 4 :])
        with suppress(HerbariumError):
            records.check({"m": entry(spoiled)})


def test_a_part_of_a_model_and_a_file_of_another_format(tmp_path):
    tokenizer, part = ggufs.byte_level(), tmp_path / "model-00001-of-00002.gguf"
    ggufs.write(part, twin("llama", tokenizer), tokenizer)
    with refused("models.m", str(part), "--merge"):
        gguf.check(part, "models.m")
    other = tmp_path / "other.gguf"
    other.write_bytes(struct.pack("<8sI", b"PK\x03\x04....", 3))
    with refused("models.m", str(other), "not a GGUF file"):
        gguf.check(other, "models.m")


def test_a_tokenizer_that_transformers_reads_again_as_another_is_refused(tmp_path):
    """A Qwen 2 that cuts texts as GPT-2 does would be one that cuts them as Qwen 2 does."""
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, ggufs.other("qwen2", len(tokenizer)), tokenizer, split="gpt-2")
    with refused("models.m", str(file), "cuts texts otherwise"):
        converting.keep_as_safetensors(file.parent, file.name, tmp_path / "made", "causal", "m")


def test_tensors_that_would_be_left_out_are_refused(tmp_path):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    model = twin("llama", tokenizer)
    model.model.layers[0].self_attn.q_norm = torch.nn.LayerNorm(16, bias=False)
    ggufs.write(file, model, tokenizer)
    with refused("models.m", str(file), "another model"):
        converting.keep_as_safetensors(file.parent, file.name, tmp_path / "made", "causal", "m")


@pytest.mark.parametrize(
    "values", [{"tokenizer.ggml.add_bos_token": False}, {"tokenizer.ggml.add_space_prefix": False}]
)
def test_a_tokenizer_that_is_not_what_the_file_says_is_refused(tmp_path, values, monkeypatch):
    tokenizer, file = ggufs.sentence_piece(), tmp_path / "model.gguf"
    ggufs.write(file, twin("llama", tokenizer), tokenizer, **values)
    monkeypatch.setattr(converting, "_tokenizer", lambda *_: tokenizer)
    with refused("models.m", str(file), "texts otherwise" if "bos" in str(values) else "a space"):
        converting.keep_as_safetensors(file.parent, file.name, tmp_path / "made", "causal", "m")


def test_a_file_is_a_causal_model_in_its_folder(tmp_path):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    ggufs.write(file, twin("llama", tokenizer), tokenizer)
    for given in ({"path": file}, {"path": tmp_path, "gguf": file.name}):
        model = inferred.completed({"m": section.Model(**given)}, tmp_path / "lock.yaml")["m"]
        assert (model.path, model.gguf, model.kind) == (tmp_path, file.name, Kind.causal)


@pytest.mark.parametrize(
    ("others", "fault"),
    [
        ({"kind": "masked"}, "gguf"),
        ({"adapter": {"path": "adapter"}}, "adapter"),
        ({"convert_bin": True}, "convert_bin"),
        ({"checkpoints": ["a"]}, "checkpoints"),
    ],
)
def test_what_excludes_a_gguf_file(others, fault):
    with refused(None, "gguf", fault, kind=ValueError):
        section.Model(path="folder/model.gguf", **others)


def test_scores_of_a_file_are_those_of_its_model(tmp_path):
    tokenizer, file = ggufs.byte_level(), tmp_path / "model.gguf"
    model = ggufs.write(file, twin("llama", tokenizer), tokenizer, Type.Q8_0)
    scores = herbarium.score([TEXT], file).tolist()
    assert scores == pytest.approx(log_likelihoods(model, tokenizer, [TEXT]), rel=1e-5)


def test_all_that_transformers_reads_is_known_here():
    from transformers.integrations.gguf.gguf_config_mapping import GGUF_CONFIG_ARCHS
    from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS
    from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES

    def plain(name):
        return re.sub("[-_]", "", name)

    known = {plain(name) for name in (*GGUF_SUPPORTED_ARCHITECTURES, *GGUF_CONFIG_ARCHS)}
    assert known - {"general", "tokenizer", "t5", "umt5"} == {plain(name) for name in gguf.ARCHITECTURES}
    assert set(gguf.OTHER_SPLITS) == set(GGUF_PRE_TOKENIZER_SPLITS)
    assert set(gguf.WHOLE_WORDS) < set(gguf.OTHER_SPLITS)
