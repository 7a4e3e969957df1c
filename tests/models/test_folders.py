"""Which files of a model's folder count, and what is refused of damaged ones, by name."""

import json
import random
import shutil
import sys
from pathlib import Path

import pytest
import torch
import transformers
from safetensors import torch as safetensors_torch
from tests.conftest import FAMILIES
from tests.refusals import refused

from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import file_hash
from herbarium.models import converting, folders, loading, records
from herbarium.scoring import classifiers
from herbarium.study.config import Model


@pytest.fixture
def copy(model_folder, tmp_path):
    """A copy of a tiny model that a test may spoil."""

    def make(family="bert"):
        return Path(shutil.copytree(model_folder(family), tmp_path / family))

    return make


def entry(folder, kind="masked", **keys):
    return Model(path=folder, kind=kind, **keys).model_dump(mode="json")


def describe(folder, kind="masked"):
    return records.describe("m", entry(folder, kind), folder, None)


def names(folder, **options):
    return [path.name for path in folders.read_files(folder, **options)]


def configure(folder, file="config.json", **changes):
    file = folder / file
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def in_shards(folder):
    """Weights in several files, with their list."""
    loading.load(folder, "masked", "float32", "m").save_pretrained(folder, max_shard_size=20_000)
    (folder / "model.safetensors").unlink()
    return folder / "model.safetensors.index.json"


# --- which files count ---

opened: set[str] | None = None


def _note(event, arguments):
    if opened is not None and event == "open" and isinstance(arguments[0], str):
        opened.add(arguments[0])


sys.addaudithook(_note)  # it stays as long as Python runs, and does nothing but while a test asks


@pytest.mark.parametrize("family", FAMILIES)
def test_no_other_file_is_opened(model_folder, family):
    global opened
    folder = model_folder(family)
    opened = set()
    try:
        loading.load(folder, FAMILIES[family][0], "float32", "m")
        loading.load_tokenizer(folder, "m")
    finally:
        result, opened = opened, None
    result = {Path(path).name for path in result if Path(path).parent == folder}
    assert {"config.json", "tokenizer_config.json"} <= result
    assert result - {"generation_config.json"} <= set(names(folder))


def test_every_vocabulary_of_a_fast_tokenizer_counts(tmp_path):
    from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

    result = set()
    for name in filter(None, TOKENIZER_MAPPING_NAMES.values()):
        tokenizer_class = getattr(transformers, name, None)
        if isinstance(tokenizer_class, type) and issubclass(tokenizer_class, transformers.PreTrainedTokenizerFast):
            result |= set(tokenizer_class.vocab_files_names.values())
    assert {"vocab.txt", "merges.txt", "spiece.model"} <= result
    for name in result:
        (tmp_path / name).touch()
    assert set(names(tmp_path)) == result


def test_a_note_is_no_part_of_a_model(copy):
    folder = copy()
    before, files = describe(folder), names(folder)
    for name in ("notes.txt", "README.md", "training_args.json", ".DS_Store", "._model.safetensors", "x.py"):
        (folder / name).write_text("mine")
    (folder / "checkpoints").mkdir()
    assert names(folder) == files
    assert describe(folder) == before
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} == set(files)


def test_weights_to_be_converted_count_instead_of_safetensors(copy):
    folder = copy()
    (folder / "pytorch_model.bin").write_bytes(b"x")
    assert "pytorch_model.bin" not in names(folder)
    assert {"pytorch_model.bin", "model.safetensors"} & set(names(folder, source=folders.BIN)) == {"pytorch_model.bin"}


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"])
def test_another_file_than_the_recorded_one_is_refused(copy, file):
    folder = copy()
    record = describe(folder) | {"path": str(folder)}
    assert loading.folder_of(record) == folder
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
    with refused(file, "'m'", "recorded", "delete"):
        loading.folder_of(record)
    (folder / file).unlink()
    with refused(file, "'m'", "recorded"):
        loading.folder_of(record)


def test_a_file_that_would_be_read_now_is_refused(copy):
    folder = copy()
    record = describe(folder) | {"path": str(folder)}
    (folder / "notes.txt").write_text("mine")
    assert loading.folder_of(record) == folder
    (folder / "added_tokens.json").write_text('{"weak": 3}')
    with refused("added_tokens.json", "'m'", "recorded"):
        loading.folder_of(record, with_weights=False)


# --- lists of weights ---


@pytest.mark.parametrize(
    "place",
    [
        *("../outside.safetensors", "/tmp/outside.safetensors", "sub/inside.safetensors", "weights.bin"),
        *(".a.safetensors", "..", "", 3),
    ],
)
def test_a_list_of_weights_names_files_beside_it(copy, place):
    folder = copy()
    index = in_shards(folder)
    content = json.loads(index.read_text())
    content["weight_map"]["cls.predictions.bias"] = place
    index.write_text(json.dumps(content))
    for look in (lambda: records.check({"m": entry(folder)}), lambda: describe(folder)):
        with refused("models.m", "model.safetensors.index.json", "'cls.predictions.bias'", repr(place)):
            look()


def test_a_file_that_a_list_names_must_be_there(copy):
    folder = copy()
    in_shards(folder)
    shard = next(folder.glob("model-00002-*.safetensors"))
    shard.unlink()
    with refused("models.m", shard.name, "missing"):
        records.check({"m": entry(folder)})


def test_weights_that_are_there_twice_are_refused(copy):
    """transformers would take the one file, however old it is."""
    folder = copy()
    old = (folder / "model.safetensors").read_bytes()
    index = in_shards(folder)
    records.check({"m": entry(folder)})
    (folder / "model.safetensors").write_bytes(old)
    with refused("models.m", "model.safetensors", index.name, "twice"):
        records.check({"m": entry(folder)})
    for shard in folder.glob("model-0*.safetensors"):
        shard.unlink()
    tensors = dict.fromkeys(json.loads(index.read_text())["weight_map"], "model.safetensors")
    index.write_text(json.dumps({"weight_map": tensors}))  # a list of one file
    records.check({"m": entry(folder)})


def test_what_a_list_names_is_hashed_wherever_it_is_kept(copy, tmp_path):
    # the cache of the hub has links to files elsewhere
    folder = copy()
    index = in_shards(folder)
    shard = next(folder.glob("model-00001-*.safetensors"))
    blob = tmp_path / "0123abcd"
    shard.rename(blob)
    shard.symlink_to(blob)
    record = describe(folder)
    assert record["files"][shard.name] == file_hash(blob)
    assert record["files"][index.name] == file_hash(index)
    assert set(json.loads(index.read_text())["weight_map"].values()) <= record["files"].keys()


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}}', "\0"])
def test_a_damaged_list_of_weights_is_refused(copy, content):
    folder = copy()
    in_shards(folder).write_text(content)
    with refused("models.m", "model.safetensors.index.json"):
        describe(folder)


@pytest.mark.parametrize("named", ["../model.safetensors", ".a.safetensors.index.json", "adapter_model.bin", 3])
def test_a_configuration_names_weights_in_its_folder(copy, named):
    folder = copy()
    configure(folder, transformers_weights=named)
    with refused("config.json", "'transformers_weights'"):
        records.check({"m": entry(folder)})


# --- damaged files ---


def cut(name, to=0.5):
    def spoil(folder):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(len(content) * to)])

    return spoil


def put(name, text):
    return lambda folder: (folder / name).write_text(text)


def a_folder(name):
    def spoil(folder):
        (folder / name).unlink()
        (folder / name).mkdir()

    return spoil


def a_dead_link(name):
    def spoil(folder):
        (folder / name).unlink()
        (folder / name).symlink_to(folder / "nowhere")

    return spoil


def says(file="config.json", **changes):
    return lambda folder: configure(folder, file, **changes)


SHOWN = {
    "weights cut": (cut("model.safetensors"), ("model.safetensors", "damaged")),
    "weights cut to their header": (cut("model.safetensors", 0.001), ("model.safetensors", "damaged")),
    "weights empty": (cut("model.safetensors", 0), ("model.safetensors", "empty")),
    "weights of text": (put("model.safetensors", "version https://git-lfs"), ("model.safetensors", "damaged")),
    "weights a folder": (a_folder("model.safetensors"), ("model.safetensors", "folder")),
    "weights a dead link": (a_dead_link("model.safetensors"), ("model.safetensors", "link")),
    "configuration cut": (cut("config.json"), ("config.json", "damaged")),
    "configuration empty": (cut("config.json", 0), ("config.json", "empty")),
    "configuration a list": (put("config.json", "[]"), ("config.json", "list")),
    "configuration null": (put("config.json", "null"), ("config.json", "NoneType")),
    "configuration too deep": (put("config.json", '{"a":' * 100_000), ("config.json", "damaged")),
    "configuration a folder": (a_folder("config.json"), ("no config.json",)),
    "a size of text": (says(hidden_size="24"), ("config.json", "'hidden_size'", "'24'")),
    "a size below 1": (says(vocab_size=-3), ("config.json", "'vocab_size'", "-3")),
    "a size too large": (says(vocab_size=10**15), ("config.json", "'vocab_size'", "1000000000000000")),
    "no layer": (says(num_hidden_layers=0), ("config.json", "'num_hidden_layers'", "0")),
    "a million layers": (says(num_hidden_layers=10**6), ("config.json", "'num_hidden_layers'", "1000000")),
    "a layer less": (says(num_hidden_layers=1), ("config.json", "bert.encoder.layer.1")),
    "a layer more": (says(num_hidden_layers=3), ("bert.encoder.layer.2",)),
    "a word more": (says(vocab_size=161), ("config.json", "'bert.embeddings.word_embeddings.weight'", "161×24")),
    "a type of number": (says(model_type=3), ("config.json", "'model_type'", "3")),
    "architectures of numbers": (says(architectures=[3]), ("config.json", "'architectures'", "[3]")),
    "a decoder": (says(is_decoder=True), ("config.json", "`kind: causal`")),
    "tokenizer cut": (cut("tokenizer.json"), ("tokenizer.json", "damaged")),
    "tokenizer empty": (cut("tokenizer.json", 0), ("tokenizer.json", "empty")),
    "tokenizer a list": (put("tokenizer.json", "[]"), ("tokenizer.json", "list")),
    "tokenizer a dead link": (a_dead_link("tokenizer.json"), ("no tokenizer.json", "vocab.txt")),
    "its settings cut": (cut("tokenizer_config.json"), ("tokenizer_config.json", "damaged")),
    "no longest text of an old tokenizer": (
        says("tokenizer_config.json", max_len="x"),
        ("tokenizer_config.json", "'max_len'", "'x'"),
    ),
    "no longest text": (
        says("tokenizer_config.json", model_max_length="x"),
        ("tokenizer_config.json", "'model_max_length'", "'x'"),
    ),
}
# What shows when a tokenizer or model is read: in the step that records it, else in the first that loads it.
READ = {
    "tokenizer of wrong types": says("tokenizer.json", model=3),
    "tokenizer without a model": put("tokenizer.json", "{}"),
}
LOADED = {
    "other widths": (says(intermediate_size=48), ("config.json", "weights")),
    "heads that do not divide": (says(num_attention_heads=5), ("config.json", "weights")),
    "an unknown activation": (says(hidden_act="no"), ("config.json", "weights")),
}


@pytest.mark.parametrize("case", SHOWN)
def test_what_files_show_is_refused_before_the_first_job(copy, case):
    spoil, fault = SHOWN[case]
    folder = copy()
    spoil(folder)
    for look in (lambda: records.check({"m": entry(folder)}), lambda: describe(folder)):
        with refused("models.m", *fault):
            look()


@pytest.mark.parametrize("case", READ)
def test_a_tokenizer_that_cannot_be_read_is_refused_by_the_record(copy, case):
    folder = copy()
    READ[case](folder)
    with refused("models.m", "bert", "tokenizer"):
        describe(folder)


@pytest.mark.parametrize("case", LOADED)
def test_a_model_that_cannot_be_loaded_is_refused_in_one_sentence(copy, case):
    spoil, fault = LOADED[case]
    folder = copy()
    spoil(folder)
    with refused("models.m", *fault) as caught:
        loading.load(folder, "masked", "float32", "m")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in SHOWN if "decoder" not in case])
def test_classifiers_are_refused_alike(copy, case):
    spoil, _ = SHOWN[case]
    folder = copy()
    tokenizer = loading.load_tokenizer(folder, "m")
    classifiers.begin(folder, tokenizer, "m", seed=3).save_pretrained(folder)

    def read():
        loading.check_files(folder, "m")
        loading.load_tokenizer(folder, "m")
        classifiers.load(folder, "m", "float32")

    read()
    spoil(folder)
    with pytest.raises(HerbariumError):
        read()


@pytest.mark.parametrize(
    ("family", "key"),
    [
        *(("bert", "num_hidden_layers"), ("distilbert", "n_layers"), ("xlm", "n_layers"), ("gpt2", "n_layer")),
        *(("bart", "encoder_layers"), ("bart", "decoder_layers"), ("t5", "num_layers"), ("t5", "num_decoder_layers")),
        *(("modernbert", "num_hidden_layers"), ("llama", "num_hidden_layers"), ("deberta-v2", "num_hidden_layers")),
    ],
)
def test_layers_that_would_be_left_out_are_refused(copy, family, key):
    folder, kind = copy(family), FAMILIES[family][0]
    describe(folder, kind)
    configure(folder, **{key: 1, "layer_types": None})
    for look in (lambda: describe(folder, kind), lambda: loading.load(folder, kind, "float32", "m")):
        with refused("models.m", "config.json", "fewer layers"):
            look()


def test_a_masked_model_that_sees_only_what_came_before_is_refused(copy):
    for family, key in (("bert", "is_decoder"), ("roberta", "is_decoder"), ("xlm", "causal")):
        folder = copy(family)
        configure(folder, **{key: True})
        for look in (
            lambda folder=folder: describe(folder),
            lambda f=folder: loading.load(f, "masked", "float32", "m"),
        ):
            with refused("models.m", "config.json", "'is_decoder'", "is true"):
                look()


def test_a_causal_model_that_sees_what_comes_behind_is_refused(copy):
    from transformers import BertLMHeadModel

    folder = copy("bert")
    BertLMHeadModel.from_pretrained(folder, is_decoder=True).save_pretrained(folder)
    describe(folder, "causal")
    configure(folder, is_decoder=False)
    for look in (lambda: describe(folder, "causal"), lambda: loading.load(folder, "causal", "float32", "m")):
        with refused("models.m", "config.json", "'is_decoder'", "is not true"):
            look()


def test_poolers_and_other_heads_are_no_layers(copy):
    folder = copy()
    weights = safetensors_torch.load_file(folder / "model.safetensors")
    more = {"bert.pooler.dense.weight": torch.ones(24, 24), "cls.seq_relationship.weight": torch.ones(2, 24)}
    safetensors_torch.save_file({**weights, **more}, folder / "model.safetensors", {"format": "pt"})
    loading.load(folder, "masked", "float32", "m")


ODD = [None, True, "x", "", -1, 3.5, 10**12, [], ["a"], {}, {"a": 1}, "../../etc/passwd"]


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_no_folder_brings_a_traceback(copy, family):
    """Any key of any file with an odd value, any file cut or with a byte changed: read as a model, or refused."""
    whole, kind, rng = copy(family), FAMILIES[family][0], random.Random(f"folders {family}")
    refused, tried = 0, 120
    for _ in range(tried):
        folder = Path(shutil.copytree(whole, whole.with_name("spoiled"), dirs_exist_ok=True))
        file = folder / rng.choice(["config.json", "tokenizer_config.json", "tokenizer.json", "model.safetensors"])
        content = file.read_bytes()
        if file.suffix == ".json" and rng.random() < 0.7:
            config = json.loads(content)
            file.write_text(json.dumps(config | {rng.choice(list(config)): rng.choice(ODD)}))
        elif rng.random() < 0.5:
            file.write_bytes(content[: rng.randrange(len(content))])
        else:
            at = rng.randrange(min(len(content), 2000))
            file.write_bytes(content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :])
        try:
            describe(folder, kind)
            loading.load(folder, kind, "float32", "m")
            loading.load_tokenizer(folder, "m")
        except HerbariumError as error:
            assert str(error).startswith("models.m: ")  # noqa: PT017 - what is raised else is the fault looked for
            refused += 1
    assert refused > tried / 3


# --- the way of attention ---

EVIL = [
    {key: value} for key in ("attn_implementation", "_attn_implementation") for value in ("evil/kernel", {"": "e/k"}, 3)
]


@pytest.mark.parametrize("changes", EVIL, ids=str)
def test_a_configuration_chooses_no_attention(copy, monkeypatch, changes):
    from transformers import modeling_utils

    folder = copy()
    texts = torch.tensor([[2, 9, 11, 4, 3]])
    usual = loading.load(folder, "masked", "float32", "m")
    with torch.no_grad():
        expected = usual(input_ids=texts).logits
    assert usual.config._attn_implementation == "sdpa"
    configure(folder, **changes)

    def reached(*arguments, **_):
        raise AssertionError(f"{arguments} was asked for")

    monkeypatch.setattr(modeling_utils, "lazy_import_flash_attention", reached)
    loaded = loading.load(folder, "masked", "float32", "m")
    assert loaded.config._attn_implementation == "sdpa"
    with torch.no_grad():
        assert torch.equal(loaded(input_ids=texts).logits, expected)
    tokenizer = loading.load_tokenizer(folder, "m")
    assert classifiers.begin(folder, tokenizer, "m", seed=3).config._attn_implementation == "sdpa"
    torch.save(usual.state_dict(), folder / "pytorch_model.bin")
    converting.keep_as_safetensors(folder, folders.BIN, folder.with_name("kept"), "masked", "m")
    assert "kernel" not in (folder.with_name("kept") / "config.json").read_text()


@pytest.mark.parametrize("family", FAMILIES)
def test_attention_is_what_transformers_chooses_for_the_family(model_folder, family):
    kind, folder = FAMILIES[family][0], model_folder(family)
    auto, _ = loading.auto_classes(kind)
    chosen = auto.from_pretrained(folder).config._attn_implementation
    assert loading.load(folder, kind, "float32", "m").config._attn_implementation == chosen
