"""The record of a model, read from its files, against the model itself; and what is refused before it is loaded."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import torch as safetensors_torch
from tests.conftest import EXTRACTIVE, FAMILIES
from tests.models import zoo
from tests.refusals import refused

from herbarium.core.provenance import file_hash
from herbarium.models import loading, records
from herbarium.models.kinds import Kind
from herbarium.study.config import Model


@pytest.fixture
def copy(model_folder, tmp_path):
    """A copy of a tiny model that a test may spoil."""

    def make(family):
        return Path(shutil.copytree(model_folder(family), tmp_path / family))

    return make


def entry(**keys):
    return Model(**keys).model_dump(mode="json")


def describe(folder, kind="masked"):
    return records.describe("m", entry(path=folder, kind=kind), folder, None)


def as_loaded(folder, kind):
    model = loading.load(folder, kind, "float32", "m")
    tokenizer = loading.load_tokenizer(folder, "m")
    return {
        "architecture": type(model).__name__,
        "n_parameters": sum(parameter.numel() for parameter in model.parameters()),
        "max_tokens": loading.max_tokens(model, tokenizer),
        "vocabulary": len(tokenizer),
    }


@pytest.fixture
def read(monkeypatch):
    """The record of a folder, which must come from its files alone."""

    def forbidden(*_, **__):
        raise AssertionError("the model was loaded")

    def make(folder, kind="masked"):
        with monkeypatch.context() as patch:
            patch.setattr(loading, "load", forbidden)
            return describe(folder, kind)

    return make


def assert_as_loaded(record, folder, kind="masked"):
    expected = as_loaded(folder, kind)
    assert {key: record[key] for key in expected} == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_the_record_of_every_family_is_that_of_the_model(model_folder, read, family):
    kind, folder = FAMILIES[family][0], model_folder(family)
    assert_as_loaded(read(folder, kind), folder, kind)


def test_a_record_names_every_file_by_its_content(copy):
    folder = copy("bert")
    record = describe(folder)
    assert record["files"]["model.safetensors"] == file_hash(folder / "model.safetensors")
    assert record["architecture"] == "BertForMaskedLM"
    assert record["max_tokens"] == 64
    assert record["n_parameters"] == sum(p.numel() for p in loading.load(folder, "masked", "float32", "m").parameters())
    json.dumps(record)  # plain data


def test_a_changed_weight_changes_the_record(copy):
    folder = copy("bert")
    before = describe(folder)
    model = loading.load(folder, "masked", "float32", "m")
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight[0, 0] += 1
    model.save_pretrained(folder)
    after = describe(folder)
    assert before["files"]["model.safetensors"] != after["files"]["model.safetensors"]
    assert before["tokenizer_hash"] == after["tokenizer_hash"]


def test_a_server_needs_room_for_a_token_behind_the_prompt_and_wants_inputs_whole(model_folder):
    folder = model_folder("gpt2")
    here = records.describe("m", entry(path=folder, kind="causal"), folder, None)
    with_server = entry(path=folder, kind="causal") | {"served": {"compare": True}}
    there = records.describe("m", with_server, folder, None, served={"max_model_len": 40})
    assert [(record["max_tokens"], record["cuts"]) for record in (here, there)] == [(64, True), (39, False)]


# --- weights as others save them ---


def rewrite(folder, change):
    """Change the tensors of a folder; returns them."""
    file = folder / "model.safetensors"
    tensors = change(safetensors_torch.load_file(file))
    safetensors_torch.save_file({name: tensor.clone() for name, tensor in tensors.items()}, file, {"format": "pt"})


def configure(folder, **changes):
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def with_others(tensors):
    """What the first BERTs have besides: old names, the head of another task, and what is no parameter."""
    renamed = {name.replace("LayerNorm.weight", "LayerNorm.gamma"): tensor for name, tensor in tensors.items()}
    renamed = {name.replace("LayerNorm.bias", "LayerNorm.beta"): tensor for name, tensor in renamed.items()}
    return renamed | {
        "bert.pooler.dense.weight": torch.ones(24, 24),
        "bert.pooler.dense.bias": torch.ones(24),
        "cls.seq_relationship.weight": torch.ones(2, 24),
        "bert.embeddings.position_ids": torch.arange(64)[None],
    }


def with_masks(tensors):
    """As GPT-2's own file: saved without its head, and with the masks of its attention."""
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    return tensors | {f"h.{layer}.attn.bias": torch.ones(1, 1, 64, 64) for layer in (0, 1)}


SAVED = {
    "bert as it first was": ("bert", with_others),
    "gpt2 as it first was": ("gpt2", with_masks),
    "albert": ("albert", lambda tensors: tensors | {"albert.pooler.weight": torch.ones(24, 24)}),
    "roberta": ("roberta", lambda tensors: tensors | {"roberta.pooler.dense.weight": torch.ones(24, 24)}),
    "electra": ("electra", lambda tensors: tensors | {"discriminator_predictions.dense.bias": torch.ones(24)}),
    "xlm": ("xlm", lambda tensors: tensors | {"transformer.position_ids": torch.arange(64)[None]}),
    "gpt_neox as Pythia is": (
        "gpt_neox",
        lambda tensors: (
            tensors | {f"gpt_neox.layers.0.attention.{name}": torch.ones(6) for name in ("bias", "masked_bias")}
        ),
    ),
    "llama": ("llama", lambda tensors: tensors | {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(6)}),
    "t5": (
        "t5",
        lambda tensors: (
            tensors | {"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": torch.ones(32, 2)}
        ),
    ),
    "deberta": (
        "deberta-v2",
        lambda tensors: tensors | {"deberta.embeddings.position_embeddings.weight": torch.ones(64, 24)},
    ),
    "the head instead of the words": (
        "bert",
        lambda tensors: {
            name.replace("bert.embeddings.word_embeddings", "cls.predictions.decoder"): tensor
            for name, tensor in tensors.items()
        },
    ),
}


@pytest.mark.parametrize("case", SAVED)
def test_tensors_that_a_language_model_does_not_use_do_not_count(copy, read, case):
    family, change = SAVED[case]
    kind, folder = FAMILIES[family][0], copy(family)
    before = read(folder, kind)["n_parameters"]
    rewrite(folder, change)
    record = read(folder, kind)
    assert record["n_parameters"] == before
    assert_as_loaded(record, folder, kind)


@pytest.mark.parametrize(
    ("family", "kind"), [("bert", "masked"), ("roberta", "masked"), ("gpt2", "causal"), ("modernbert", "masked")]
)
def test_words_that_are_not_tied_count_twice(copy, family, kind, read):
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    folder = copy(family)
    tied = read(folder, kind)["n_parameters"]
    auto = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    auto.from_pretrained(folder, tie_word_embeddings=False).save_pretrained(folder)
    record = read(folder, kind)
    assert record["n_parameters"] > tied
    assert_as_loaded(record, folder, kind)


@pytest.mark.parametrize("family", ["llama", "qwen2"])
def test_words_that_are_tied_count_once(copy, family, read):
    from transformers import AutoModelForCausalLM

    folder = copy(family)
    model = AutoModelForCausalLM.from_pretrained(folder, tie_word_embeddings=True)
    model.tie_weights()
    model.save_pretrained(folder)
    assert_as_loaded(read(folder, "causal"), folder, "causal")


def layers_of(tensors, before, *tensor_names):
    """Further tensors, of ones, in each of two layers."""
    return tensors | {f"{before}.{layer}.{tensor}": torch.ones(3) for layer in (0, 1) for tensor in tensor_names}


# Tensors that the classes of transformers do without, though the model that was saved had them.
UNUSED = {
    "bert with relative positions": (
        "bert",
        lambda tensors: layers_of(tensors, "bert.encoder.layer", "attention.self.distance_embedding.weight"),
        "bert.encoder.layer.0.attention.self.distance_embedding.weight",
    ),
    "llama with biases that its configuration lacks": (
        "llama",
        lambda tensors: layers_of(tensors, "model.layers", *(f"self_attn.{part}_proj.bias" for part in "qkv")),
        "model.layers.0.self_attn.k_proj.bias",
    ),
    "a bias of the head": ("llama", lambda tensors: tensors | {"lm_head.bias": torch.ones(3)}, "lm_head.bias"),
    "norms of queries": (
        "qwen2",
        lambda tensors: layers_of(tensors, "model.layers", "self_attn.q_norm.weight"),
        "model.layers.0.self_attn.q_norm.weight",
    ),
    "an adapter that is not merged": (
        "gpt2",
        lambda tensors: layers_of(tensors, "transformer.h", "attn.c_attn.lora_A.weight", "attn.c_attn.lora_B.weight"),
        "transformer.h.0.attn.c_attn.lora_A.weight",
    ),
    "gates": (
        "t5",
        lambda tensors: layers_of(tensors, "encoder.block", "layer.1.gate.weight"),
        "encoder.block.0.layer.1.gate.weight",
    ),
    "position vectors of another family": (
        "distilbert",
        lambda tensors: tensors | {"distilbert.embeddings.token_type_embeddings.weight": torch.ones(2, 24)},
        "distilbert.embeddings.token_type_embeddings.weight",
    ),
    "a projection before the head": (
        "roberta",
        lambda tensors: tensors | {"lm_head.projection.weight": torch.ones(3)},
        "lm_head.projection.weight",
    ),
}


@pytest.mark.parametrize("case", UNUSED)
@pytest.mark.parametrize(
    "is_known", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["known family", "any other"]
)
def test_tensors_that_the_library_would_drop_are_refused_by_name(copy, monkeypatch, case, is_known):
    family, change, tensor = UNUSED[case]
    kind, folder = FAMILIES[family][0], copy(family)
    expected = describe(folder, kind)["n_parameters"]
    rewrite(folder, change)
    if is_known:
        with refused("models.m", tensor, "unused_tensors"):
            records.check({"m": entry(path=folder, kind=kind)})
    else:
        monkeypatch.delitem(records.FAMILIES, family)
    for look in (lambda: describe(folder, kind), lambda: loading.load(folder, kind, "float32", "m")):
        with refused("models.m", tensor, "unused_tensors"):
            look()
    accepted = entry(path=folder, kind=kind, unused_tensors=[re.sub(r"[.]0[.].*", ".*", tensor)])
    records.check({"m": accepted})
    record = records.describe("m", accepted, folder, None)
    assert (record["n_parameters"], record["unused_tensors"]) == (expected, accepted["unused_tensors"])
    with refused("models.m.unused_tensors", "'nothing.*'"):
        records.check({"m": entry(path=folder, kind=kind, unused_tensors=[*accepted["unused_tensors"], "nothing.*"])})


@pytest.fixture
def made(copy, tmp_path):
    """A model by the name of a family or of an architecture, and its kind."""

    def make(name):
        if name in FAMILIES:
            return copy(name), FAMILIES[name][0]
        settings = {"position_biased_input": False} if name.startswith("Deberta") else {}
        kind = next(kind for kind, names in zoo.ARCHITECTURES.items() if name in names)
        return zoo.write(tmp_path, name, **settings), kind

    return make


# What a class of transformers wants to have ignored by part of its name, though it may be of any meaning.
IGNORED_BY_CLASS = {
    "DebertaForMaskedLM": "deberta.encoder.position_embeddings.weight",
    "EsmForMaskedLM": "esm.encoder.layer.0.position_embeddings.weight",
    "MT5ForConditionalGeneration": "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight_scale",
    "MBartForConditionalGeneration": None,  # its class ignores nothing
    "gpt_neox": "gpt_neox.layers.0.attention.bias_scale",
    "gpt2": "transformer.h.0.attn.bias_scale",
    "bart": "model.encoder.version_scale",
}


@pytest.mark.parametrize("name", IGNORED_BY_CLASS)
def test_a_tensor_that_only_the_class_of_the_library_ignores_is_refused_by_name(made, name):
    folder, kind = made(name)
    tensor = IGNORED_BY_CLASS[name] or "model.encoder.scale"
    ignored = loading.load(folder, kind, "float32", "m")._keys_to_ignore_on_load_unexpected
    assert any(re.search(pattern, tensor) for pattern in ignored) == (IGNORED_BY_CLASS[name] is not None)
    rewrite(folder, lambda tensors: tensors | {tensor: torch.ones(3)})
    with refused("models.m", tensor, "unused_tensors"):
        loading.load(folder, kind, "float32", "m")
    loading.load(folder, kind, "float32", "m", unused=[tensor])


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("MT5ForConditionalGeneration", "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"),
        ("DebertaForMaskedLM", "deberta.embeddings.position_embeddings.weight"),
        ("gpt2", "transformer.h.0.crossattention.masked_bias"),
        ("llama", "mtp.layers.0.mlp.gate_proj.weight"),
        ("llama", "model.layers.2.eh_proj.weight"),  # as DeepSeek's, behind the last of two layers
    ],
)
def test_tensors_of_the_written_list_are_not_missed(made, name, harmless):
    folder, kind = made(name)
    rewrite(folder, lambda tensors: tensors | {harmless: torch.ones(3)})
    loading.load(folder, kind, "float32", "m")


def test_a_layer_of_the_model_is_none_behind_its_last(copy):
    folder = copy("llama")
    rewrite(folder, lambda tensors: tensors | {"model.layers.1.eh_proj.weight": torch.ones(3)})
    with refused("models.m", "model.layers.1.eh_proj.weight"):
        loading.load(folder, "causal", "float32", "m")


def test_positions_that_are_computed_may_be_missing(made):
    folder, kind = made("MarianMTModel")
    tensors = safetensors_torch.load_file(folder / "model.safetensors")
    model = loading.load(folder, kind, "float32", "m")
    for side in (model.model.encoder, model.model.decoder):
        assert not any("embed_positions" in tensor for tensor in tensors)
        assert torch.equal(side.embed_positions.weight, side.embed_positions.create_weight())


def test_tensors_that_a_setting_wants_are_used(copy):
    from transformers import AutoConfig, AutoModelForCausalLM

    folder = copy("llama")
    config = AutoConfig.from_pretrained(folder, attention_bias=True)
    model = AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder)
    records.check({"m": entry(path=folder, kind="causal")})
    assert describe(folder, "causal")["n_parameters"] == model.num_parameters()


# Folders that name classes which transformers does not have for them.
STRANGERS = {
    "an auto_map": {"auto_map": {"AutoModelForMaskedLM": "modeling_mine.MyBert"}},
    "an auto_map with a class of the library's name": {"auto_map": {"AutoModel": "code.BertForMaskedLM"}},
    "an auto_map that is a list": {"auto_map": {"AutoTokenizer": ["tokens.Mine", None]}},
    "a class of its own": {"architectures": ["MyBertForMaskedLM"]},
    "a class with more behind its name": {"architectures": ["BertForMaskedLMWithGates"]},
    "a class of another type": {"architectures": ["RobertaForMaskedLM"]},
    "a class of each": {"architectures": ["BertForMaskedLM", "Mine"]},
}


@pytest.mark.parametrize("case", STRANGERS)
def test_classes_of_its_own_are_refused(copy, case):
    folder, changes = copy("bert"), STRANGERS[case]
    configure(folder, **changes)
    for look in (lambda: records.check({"m": entry(path=folder, kind="masked")}), lambda: describe(folder)):
        with refused("models.m", "config.json", "classes: library"):
            look()
    accepted = entry(path=folder, kind="masked", classes="library")
    if "architectures" not in changes:  # of which a class for masked words is asked, whoever accepts it
        records.check({"m": accepted})
        assert records.describe("m", accepted, folder, None)["classes"] == "library"


def test_a_tokenizer_of_a_class_of_its_own_is_refused(copy):
    folder = copy("bert")
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"auto_map": {"AutoTokenizer": ["mine.Tokens", None]}}))
    with refused("models.m", "tokenizer_config.json", "mine.Tokens"):
        records.check({"m": entry(path=folder, kind="masked")})


@pytest.mark.parametrize("family", FAMILIES)
def test_the_classes_of_every_family_are_its_own(model_folder, family):
    from transformers import CONFIG_MAPPING
    from transformers.models.auto import modeling_auto

    for mapping in (modeling_auto.MODEL_FOR_PRETRAINING_MAPPING, *(loading.auto_classes(kind)[1] for kind in Kind)):
        if CONFIG_MAPPING[family] in mapping:
            assert loading._is_class_of(mapping[CONFIG_MAPPING[family]].__name__, family)


@pytest.mark.parametrize("differ", [False, True])
def test_words_that_are_there_twice_are_looked_at(copy, differ):
    # transformers ties them only if they are equal
    folder = copy("bert")
    words = "bert.embeddings.word_embeddings.weight"
    rewrite(folder, lambda tensors: tensors | {"cls.predictions.decoder.weight": tensors[words] + differ})
    assert_as_loaded(describe(folder), folder)


def test_weights_in_several_files_are_one_model(copy, read):
    folder = copy("bert")
    whole = read(folder)
    loading.load(folder, "masked", "float32", "m").save_pretrained(folder, max_shard_size=20_000)
    (folder / "model.safetensors").unlink()
    assert len([*folder.glob("*.safetensors")]) > 1
    assert read(folder)["n_parameters"] == whole["n_parameters"]


def test_a_family_that_is_not_known_is_loaded(copy, monkeypatch):
    folder = copy("bert")
    known = describe(folder)
    monkeypatch.delitem(records.FAMILIES, "bert")
    assert describe(folder) == known


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        ("bert", {"tie_word_embeddings": None}),
        ("modernbert", {"norm_bias": True, "classifier_bias": True}),
        ("deberta-v2", {"position_biased_input": True}),
        ("gpt2", {"n_positions": None}),
    ],
)
def test_a_configuration_that_is_out_of_the_ordinary_is_not_guessed_at(copy, family, changes):
    folder, kind = copy(family), Kind(FAMILIES[family][0])
    assert records._read(folder, kind, "m", ()) is not None
    configure(folder, **changes)
    assert records._read(folder, kind, "m", ()) is None


def test_a_family_of_another_kind_is_loaded(copy):
    from transformers import BertLMHeadModel

    folder = copy("bert")
    BertLMHeadModel.from_pretrained(folder, is_decoder=True).save_pretrained(folder)
    assert_as_loaded(describe(folder, "causal"), folder, "causal")


# --- what is refused ---


def assert_refused_alike(folder, kind, read, *facts):
    with refused("models.m", *facts) as recorded:
        read(folder, kind)
    with refused("models.m") as loaded:
        loading.load(folder, kind, "float32", "m")
    assert str(recorded.value) == str(loaded.value)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", Kind)
def test_a_model_called_another_kind_is_refused_as_when_it_is_loaded(model_folder, read, family, kind):
    if kind != FAMILIES[family][0] and family != "xlm":  # whose one class is of two kinds
        assert_refused_alike(model_folder(family), kind, read, kind.in_words)


@pytest.mark.parametrize("family", EXTRACTIVE)
@pytest.mark.parametrize("kind", Kind)
def test_an_extractive_model_is_known_as_one(model_folder, read, family, kind):
    folder = model_folder(family)
    if kind is Kind.extractive:
        assert_as_loaded(describe(folder, kind), folder, kind)
        records.check({"m": entry(path=folder, kind=kind)})
    else:
        assert_refused_alike(folder, kind, read, kind, "`kind: extractive`")
        with refused("models.m", "kind: extractive"):
            records.check({"m": entry(path=folder, kind=kind)})


def test_an_extractive_model_of_a_family_that_is_not_listed_is_known_by_its_name(copy):
    folder = copy("bert-extractive")
    configure(folder, model_type="funnel", architectures=["FunnelForQuestionAnswering"])
    with refused("models.m", "FunnelForQuestionAnswering", "kind: extractive"):
        records.check({"m": entry(path=folder, kind="masked")})


def test_a_model_without_attention_is_refused_before_it_is_loaded_if_that_is_asked_for(copy):
    folder = copy("bert")
    configure(folder, model_type="fnet", architectures=["FNetForMaskedLM"])
    records.check({"m": entry(path=folder, kind="masked")})
    with refused("models.m", "fnet", "'aula'"):
        records.check({"m": entry(path=folder, kind="masked")}, {"m"})


@pytest.mark.parametrize("family", ["albert", "bert", "distilbert", "electra", "modernbert", "roberta", "xlm-roberta"])
def test_weights_without_a_head_are_refused_as_when_they_are_loaded(copy, read, family):
    folder = copy(family)
    loading.load(folder, "masked", "float32", "m").base_model.save_pretrained(folder)
    assert_refused_alike(folder, "masked", read, "masked", "weights")


def test_a_bare_bart_trunk_is_whole(copy, read):
    folder = copy("bart")
    loading.load(folder, "seq2seq", "float32", "m").model.save_pretrained(folder)
    assert_as_loaded(read(folder, "seq2seq"), folder, "seq2seq")


def test_a_damaged_file_of_weights_is_refused(copy):
    folder = copy("bert")
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with refused("models.m", "model.safetensors", "damaged"):
        describe(folder)


def test_a_damaged_configuration_is_refused(copy):
    folder = copy("bert")
    (folder / "config.json").write_text("{")
    with refused("models.m", "configuration", "config.json"):
        describe(folder)


# --- the table of families ---


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_says_of_a_family_what_transformers_says(family):
    from transformers import CONFIG_MAPPING

    text, config = records.FAMILIES[family], CONFIG_MAPPING[family]()
    heads = {}
    for kind in set(Kind) - {Kind.encoder}:
        _, mapping = loading.auto_classes(kind)
        has_sides = config.is_encoder_decoder == (kind is Kind.seq2seq)
        if type(config) in mapping and (has_sides or kind is Kind.extractive):
            heads[kind] = mapping[type(config)]
    assert text.heads == {kind: head.__name__ for kind, head in heads.items()}
    assert text.ties == config.tie_word_embeddings
    rows = heads[next(iter(text.heads))]
    assert (rows._tied_weights_keys or {}).items() <= text.tied.items()
    assert all(hasattr(config, key) for key in text.plain)


LIGHT = """
import sys
from herbarium.models import records, tokenizer_files
from herbarium.scoring import planning
from pathlib import Path
import numpy as np
for folder, kind, quantity in zip(*[iter(sys.argv[1:])] * 3):
    source = {"hub": None, "path": folder, "planted": None, "derived": None}
    entry = {**source, "kind": kind, "dtype": "float32", "lowercase": False, "chat_template": None, "start": None}
    entry |= {"convert_bin": False, "unused_tensors": [], "classes": None, "tokenizer": None}
    record = records.describe("m", entry, Path(folder), None)
    tokenizer = tokenizer_files.load(Path(folder), "m")
    planner = planning.Planner(tokenizer, record["max_tokens"], False)
    assert len(planner.add(np.arange(2), ["People in Peru are weak.", "Lima"], [quantity]).requests)
print(*(name for name in ("torch", "transformers", "pydantic", "scipy", "datasets") if name in sys.modules))
"""


@pytest.mark.slow
def test_records_and_plans_import_neither_torch_nor_transformers(model_folder):
    quantities = {"masked": "aul", "seq2seq": "aul", "causal": "ll"}
    given = []
    for family, (kind, *_) in FAMILIES.items():
        if family not in ("gpt_neox", "qwen2"):  # whose tokenizers are left to transformers
            given += [str(model_folder(family)), kind, quantities[kind]]
    scripts = Path("workflow/scripts").absolute()
    run = subprocess.run(
        [sys.executable, "-c", LIGHT, *given], capture_output=True, text=True, env={"PYTHONPATH": str(scripts)}
    )
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr
