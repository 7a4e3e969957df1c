"""What is refused before anything is scored."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from tests.conftest import FAMILIES, families, mostly_slow
from tests.refusals import refused

import herbarium
from herbarium.models import converting, folders, loading, records
from herbarium.scoring import answering
from herbarium.study.config import Model


@pytest.fixture
def copy(model_folder, tmp_path):
    """A copy of a tiny model that a test may spoil."""

    def make(family):
        return Path(shutil.copytree(model_folder(family), tmp_path / family))

    return make


def entry(**keys):
    return Model(**keys).model_dump(mode="json")


@pytest.mark.parametrize(("family", "limit"), [("bert", 64), ("roberta", 64), ("albert", 64), ("bart", 64)])
def test_the_longest_input_runs_and_one_more_does_not(model_folder, family, limit):
    # RoBERTa's 66 positions hold 64 tokens
    kind = "seq2seq" if family == "bart" else "masked"
    folder = model_folder(family)
    model, tokenizer = loading.load(folder, kind, "float32", "m"), loading.load_tokenizer(folder, "m")
    tokenizer.model_max_length = 10**6
    assert loading.max_tokens(model, tokenizer) == limit
    loading.hidden_states(model, torch.full((1, limit), 5))
    with pytest.raises((IndexError, RuntimeError)):
        loading.hidden_states(model, torch.full((1, limit + 1), 5))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("family", mostly_slow(families("masked", "causal", "seq2seq"), "bert", "gpt2"))
def test_head_and_trunk_of_the_families_run_one_after_the_other(model_folder, family, dtype):
    model = answering.place(loading.load(model_folder(family), FAMILIES[family][0], dtype, "m"), "cpu")
    assert loading.forward(model) == (True, model.config.vocab_size)


@pytest.mark.parametrize(
    ("family", "kind", "fault"),
    [
        ("gpt2", "masked", ("GPT2LMHeadModel", "masked", "kind: causal")),
        ("bert", "causal", ("BertForMaskedLM", "causal", "kind: masked")),
        ("bart", "masked", ("BartForConditionalGeneration", "masked", "kind: seq2seq")),
        ("roberta", "seq2seq", ("RobertaForMaskedLM", "seq2seq", "kind: masked")),
        ("bert", "extractive", ("BertForMaskedLM", "extractive", "kind: masked")),
        ("bert-extractive", "masked", ("BertForQuestionAnswering", "masked", "kind: extractive")),
        ("bart-extractive", "seq2seq", ("BartForQuestionAnswering", "seq2seq", "kind: extractive")),
    ],
)
def test_a_model_called_another_kind_is_refused(model_folder, family, kind, fault):
    with refused("models.m", *fault):
        loading.load(model_folder(family), kind, "float32", "m")


def test_weights_without_a_head_are_refused(copy):
    # loaded as a language model, it would get a random head and give random scores
    folder = copy("bert")
    model = loading.load(folder, "masked", "float32", "m")
    model.bert.save_pretrained(folder)
    with refused("models.m", "cls.predictions.bias"):
        loading.load(folder, "masked", "float32", "m")


def test_an_extractive_model_without_its_head_is_refused(copy):
    folder = copy("bert-extractive")
    loading.load(folder, "extractive", "float32", "m").bert.save_pretrained(folder)
    with refused("models.m", "qa_outputs.bias"):
        loading.load(folder, "extractive", "float32", "m")


def test_an_extractive_model_is_kept_as_safetensors_and_has_a_skeleton(copy, tmp_path):
    folder = copy("roberta-extractive")
    before = loading.load(folder, "extractive", "float32", "m").state_dict()
    skeleton = loading.skeleton(folder, "extractive", "m").state_dict()
    assert {name: tensor.shape for name, tensor in skeleton.items()} == {
        name: tensor.shape for name, tensor in before.items()
    }
    torch.save(before, folder / "pytorch_model.bin")
    converting.keep_as_safetensors(folder, folders.BIN, tmp_path / "converted", "extractive", "m")
    after = loading.load(tmp_path / "converted", "extractive", "float32", "m").state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_a_bare_bart_trunk_is_whole(copy):
    # facebook/bart-base is saved so: its head is its embeddings
    folder = copy("bart")
    model = loading.load(folder, "seq2seq", "float32", "m")
    model.model.save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BartModel"]
    again = loading.load(folder, "seq2seq", "float32", "m")
    torch.testing.assert_close(again.get_output_embeddings().weight, model.get_output_embeddings().weight)


def spoil_tokenizer(folder):
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)


def to_bin(folder):
    model = loading.load(folder, "masked", "float32", "m")
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (spoil_tokenizer, ("tokenizer.json",)),
        (to_bin, ("pytorch_model.bin", "models.m: {convert_bin: true}")),
        (lambda folder: (folder / "model.safetensors").unlink(), ("safetensors",)),
        (lambda folder: (folder / "config.json").unlink(), ("config.json",)),
        (shutil.rmtree, ("no such folder",)),
    ],
)
def test_an_incomplete_folder_is_refused(copy, spoil, fault):
    folder = copy("bert")
    spoil(folder)
    with refused("models.m", *fault):
        records.describe("m", entry(path=folder, kind="masked"), folder, None)


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_gguf_file_is_named_as_one(tmp_path, is_folder):
    file = tmp_path / "smol" / ("model.gguf" if is_folder else "model")  # by its content, whatever its name
    file.parent.mkdir()
    file.write_bytes(b"GGUF\x03\x00\x00\x00")
    path = file.parent if is_folder else file
    for look in (
        lambda: records.check({"m": entry(path=path, kind="causal")}),
        lambda: herbarium.load(path, kind="causal"),
    ):
        with refused(path, "GGUF", *([file.name] if is_folder else [])):
            look()


def quantise(folder, **settings):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": settings}))


@pytest.mark.parametrize("method", ["gptq", "awq", "bitsandbytes", "fp8"])
def test_quantised_weights_are_refused_by_the_name_of_their_method(copy, method):
    folder = copy("llama")
    quantise(folder, quant_method=method, bits=4)
    text = entry(path=folder, kind="causal")
    for look in (lambda: records.check({"m": text}), lambda: records.describe("m", text, folder, None)):
        with refused("models.m", "config.json", f"({method})", "model.dequantize()"):
            look()


def test_in_dynamic_int8_a_sentence_depends_on_those_beside_it(model_folder):
    """Why it is no number format: torch scales the activations of a pass by the largest of all."""
    model = loading.load(model_folder("bert"), "masked", "float32", "m")
    token_ids = torch.arange(5, 101).reshape(8, 12)

    def scores(model, size):
        with torch.inference_mode():
            return torch.cat([model(input_ids=part).logits for part in token_ids.split(size)])

    assert torch.equal(scores(model, 1), scores(model, 8))
    quantised = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    assert not torch.equal(scores(quantised, 1), scores(quantised, 8))


def test_bin_weights_are_kept_as_safetensors(copy, tmp_path):
    folder = copy("bert")
    before = loading.load(folder, "masked", "float32", "m").state_dict()
    to_bin(folder)
    target = tmp_path / "converted"
    converting.keep_as_safetensors(folder, folders.BIN, target, "masked", "m")
    after = loading.load(target, "masked", "float32", "m").state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert (
        loading.load_tokenizer(target, "m")("weak").input_ids == loading.load_tokenizer(folder, "m")("weak").input_ids
    )


def test_a_bin_that_holds_code_is_not_run(copy, tmp_path):
    folder = copy("bert")
    to_bin(folder)
    proof = tmp_path / "ran"

    class Payload:
        def __reduce__(self):
            return (Path.touch, (proof,))

    torch.save({"cls.predictions.bias": Payload()}, folder / "pytorch_model.bin")
    with refused("pytorch_model.bin"):
        converting.keep_as_safetensors(folder, folders.BIN, tmp_path / "converted", "masked", "m")
    assert not proof.exists()


# --- hub models ---

HUB = {"hub": "org/name", "kind": "masked"}


def test_an_unpinned_model_is_refused_with_the_way_to_pin_it(tmp_path):
    with refused("models.m", "'org/name'"):
        loading.revision("m", entry(**HUB), tmp_path / "lock.yaml")


def test_the_lock_pins_what_the_entry_does_not(tmp_path):
    lock = tmp_path / "lock.yaml"
    lock.write_text(f"org/name: {'b' * 40}\n")
    assert loading.revision("m", entry(**HUB), lock) == "b" * 40
    assert loading.revision("m", entry(**HUB, revision="a" * 40), lock) == "a" * 40


def test_a_new_pin_leaves_the_others(tmp_path):
    pins = {"org/one": "1" * 40, "org/two": "2e" * 20, "https://example.org/words.txt": "3" * 64}
    for name, pin in pins.items():
        loading.write_lock(tmp_path / "lock.yaml", {name: pin})
    assert loading.read_lock(tmp_path / "lock.yaml") == pins


@pytest.mark.parametrize("name", ["org/name", "org/name@main", "datasets/org/name", "https://example.org/words.txt"])
@pytest.mark.parametrize(
    "pin",
    ["main", "refs/pr/3", "abc", "g", "A", "", "~", "[a]", "{a: b}", "3.5", "true", "of the other kind", "twice", "1"],
)
def test_a_line_that_pins_nothing_is_refused(tmp_path, name, pin):
    n = 64 if "://" in name else 40
    lines = {"g": "g" * n, "A": "A" * n, "1": "1" * (n - 1), "of the other kind": "a" * (104 - n)}
    line = f"{name}: {lines.get(pin, pin)}\n" if pin != "twice" else f"{name}: {'a' * n}\n" * 2
    (tmp_path / "lock.yaml").write_text(f"# pins\norg/one: {'1' * 40}\n{line}")
    with refused(f"lock.yaml, line {4 if pin == 'twice' else 3}"):
        loading.read_lock(tmp_path / "lock.yaml")


@pytest.mark.parametrize("text", ["", "# pins\n", "~\n"])
def test_a_lock_file_may_be_empty(tmp_path, text):
    (tmp_path / "lock.yaml").write_text(text)
    assert loading.read_lock(tmp_path / "lock.yaml") == {}


def test_digits_are_no_number(tmp_path):
    (tmp_path / "lock.yaml").write_text(f"org/one: {'1' * 40}\norg/two: {'0' * 40}\norg/three: {'1e5' * 13}1\n")
    assert list(loading.read_lock(tmp_path / "lock.yaml").values()) == ["1" * 40, "0" * 40, "1e5" * 13 + "1"]


@pytest.mark.parametrize(("served", "needed"), [(None, True), ({"compare": True}, True), ({"compare": False}, False)])
def test_the_weights_of_a_served_model_are_needed_for_the_comparison_alone(served, needed):
    assert loading.has_weights({"served": served}) == needed


def test_an_adapter_is_pinned_and_asked_for_as_a_model_is(tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    model = entry(path="x", kind="masked", adapter={"hub": "org/adapter"})
    entries = loading.with_adapters({"models.m": model, "models.other": entry(path="x", kind="masked")})
    assert list(entries) == ["models.m", "models.other", "models.m.adapter"]
    lock = tmp_path / "lock.yaml"
    with refused("models.m.adapter", "'org/adapter'", "pinned"):
        loading.require_pinned(entries, lock)
    lock.write_text(f"org/adapter: {'b' * 40}\n")
    loading.require_pinned(entries, lock)
    with refused("models.m.adapter", "'org/adapter'", "b" * 12, "HF_HUB_OFFLINE"):
        loading.require_available(entries, lock)


def test_without_network_or_cache_the_error_says_what_to_do(tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with refused("models.m", "'org/name'", "a" * 12, "HF_HOME", "path", "make demo", "HF_HUB_OFFLINE"):
        loading.require_available({"models.m": entry(**HUB, revision="a" * 40)}, tmp_path / "lock.yaml")


@pytest.mark.parametrize(
    ("files", "is_whole"),
    [
        (["tokenizer.json"], True),
        (["vocab.txt"], True),
        (["vocab.json", "merges.txt"], True),
        (["spiece.model"], True),
        (["sentencepiece.bpe.model"], True),
        (["tokenizer.model"], True),
        (["vocab.json"], False),
        (["special_tokens_map.json"], False),
        ([], False),
    ],
)
def test_a_folder_has_the_vocabulary_of_its_tokenizer(tmp_path, files, is_whole):
    for file in ["config.json", "model.safetensors", "tokenizer_config.json", *files]:
        (tmp_path / file).touch()
    if is_whole:
        loading.check_folder(tmp_path, "m")
    else:
        with refused("models.m", "tokenizer.json", "vocab.txt"):
            loading.check_folder(tmp_path, "m")
