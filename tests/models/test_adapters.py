"""Adapters against peft itself: a merged model says what base and adapter say side by side; and what is refused."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import peft
import pytest
import torch
from safetensors import torch as safetensors_torch
from tests.conftest import FAMILIES, mostly_slow
from tests.refusals import refused
from tests.scoring import test_answering

import herbarium
from herbarium.models import adapters, folders, loading, records, saving
from herbarium.study.config import Model

# What each family calls a layer to adapt, and what peft calls its task.
LAYERS = {
    "bert": ["query", "value"],
    "roberta": ["query", "value"],
    "gpt2": ["c_attn", "c_fc"],
    "llama": ["q_proj", "down_proj"],
    "t5": ["q", "v"],
}
TASKS = {"causal": "CAUSAL_LM", "seq2seq": "SEQ_2_SEQ_LM"}
# Settings of each type that fit layers of 24.
SETTINGS = {
    "LORA": {"r": 4, "lora_alpha": 7},
    "ADALORA": {"init_r": 4, "total_step": 10},
    "IA3": {"feedforward_modules": ["value"]},
    "LOHA": {"r": 4},
    "LOKR": {"r": 4},
    "OFT": {"oft_block_size": 4},
    "VERA": {"r": 4},
    "LN_TUNING": {},
}


def write_adapter(base, family, folder, kind="LORA", seed=1, **settings):
    """Write an adapter for a tiny model, with random weights of some size; it does not say for which."""
    config = {"target_modules": LAYERS.get(family), "task_type": TASKS.get(FAMILIES[family][0])}
    config = peft.PEFT_TYPE_TO_CONFIG_MAPPING[kind](**config | SETTINGS[kind] | settings)
    torch.manual_seed(seed)
    model = peft.get_peft_model(base_of(base, family), config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.2)
    model.peft_config["default"].base_model_name_or_path = ""  # the folder would be another in each test
    model.save_pretrained(folder)


@pytest.fixture
def adapt(model_folder, tmp_path):
    """As `write_adapter`, of a family; its folder."""

    def make(family, kind="LORA", name="adapter", **options):
        write_adapter(model_folder(family), family, tmp_path / name, kind, **options)
        return tmp_path / name

    return make


def base_of(folder, family):
    return loading.load(folder, FAMILIES[family][0], "float32", "m")


def side_by_side(model_folder, family, adapter):
    """Base and adapter as peft runs them, not merged."""
    return peft.PeftModel.from_pretrained(base_of(model_folder(family), family), adapter).eval()


def merge(model_folder, tmp_path, family, adapter):
    target = tmp_path / "merged"
    change = adapters.merge(model_folder(family), adapter, target, FAMILIES[family][0], "m")
    return target, change


def configure(folder, **changes):
    file = folder / folders.ADAPTER
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


# --- what a merged model says ---


@pytest.mark.parametrize("family", mostly_slow(LAYERS, "bert"))
@pytest.mark.slow
def test_scores_are_those_of_base_and_adapter_side_by_side(model_folder, adapt, monkeypatch, family):
    """The adapter of a study against peft's own forward pass, sentence by sentence, with nothing merged."""
    folder, kind, adapter = model_folder(family), FAMILIES[family][0], adapt(family)
    quantity = "ll" if kind == "causal" else "aul"
    texts = test_answering.SENTENCES
    scores = herbarium.score(texts, folder, quantity, kind=kind, adapter={"path": adapter})
    assert scores.index.tolist() == texts
    assert (scores - herbarium.score(texts, folder, quantity, kind=kind)).abs().max() > 1e-3
    unmerged = side_by_side(model_folder, family, adapter), loading.load_tokenizer(folder, "m")
    monkeypatch.setattr(test_answering, "of_transformers", lambda *_: unmerged)
    expected = [test_answering.plain(folder, kind, text, quantity) for text in texts]
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("family", mostly_slow(LAYERS, "bert"))
def test_weights_are_those_that_peft_merges_to_the_last_bit(model_folder, adapt, tmp_path, family):
    adapter = adapt(family)
    folder, change = merge(model_folder, tmp_path, family, adapter)
    assert change["max"] < 1e-4
    loaded = loading.load(folder, FAMILIES[family][0], "float32", "m").state_dict()
    expected = side_by_side(model_folder, family, adapter).merge_and_unload().state_dict()
    assert loaded.keys() == expected.keys()
    assert all(torch.equal(loaded[tensor], expected[tensor]) for tensor in expected)
    assert sorted(path.name for path in folder.iterdir()) == sorted(saving.FILES)


@pytest.mark.slow
@pytest.mark.parametrize("kind", adapters.TYPES)
def test_every_type_that_is_taken_says_the_same_merged(model_folder, adapt, tmp_path, kind):
    targets = {"target_modules": ["LayerNorm"]} if kind == "LN_TUNING" else {}
    adapter = adapt("bert", kind, **targets)
    folder, _ = merge(model_folder, tmp_path, "bert", adapter)
    token_ids = torch.arange(5, 45)[None]
    with torch.inference_mode():
        expected = side_by_side(model_folder, "bert", adapter)(input_ids=token_ids).logits
        result = base_of(folder, "bert")(input_ids=token_ids).logits
        base = base_of(model_folder("bert"), "bert")(input_ids=token_ids).logits
    torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-4)
    assert (result - base).abs().max() > 1e-2


def test_weights_in_half_precision_are_merged_in_float32(model_folder, adapt, tmp_path):
    adapter = adapt("bert")
    tensors = safetensors_torch.load_file(adapter / adapters.WEIGHTS)
    safetensors_torch.save_file(
        {name: tensor.bfloat16() for name, tensor in tensors.items()}, adapter / adapters.WEIGHTS
    )
    folder, _ = merge(model_folder, tmp_path, "bert", adapter)
    layer = "bert.encoder.layer.0.attention.self.query"
    a, b = (tensors[f"base_model.model.{layer}.lora_{part}.weight"].bfloat16().float() for part in "AB")
    before, after = (
        safetensors_torch.load_file(side / "model.safetensors")[f"{layer}.weight"]
        for side in (model_folder("bert"), folder)
    )
    assert after.dtype == torch.float32
    torch.testing.assert_close(after, before + b @ a * (7 / 4))


@pytest.mark.parametrize("settings", [{"use_dora": True}, {"use_rslora": True}, {"rank_pattern": {"query": 2}}])
def test_variants_of_lora(model_folder, adapt, tmp_path, settings):
    assert merge(model_folder, tmp_path, "bert", adapt("bert", **settings))[1]["max"] < 1e-4


def test_a_trained_head_is_part_of_the_model(model_folder, adapt, tmp_path):
    adapter = adapt("llama", modules_to_save=["lm_head", "embed_tokens"])
    folder, change = merge(model_folder, tmp_path, "llama", adapter)
    assert change["max"] < 1e-4
    saved = safetensors_torch.load_file(adapter / adapters.WEIGHTS)
    assert torch.equal(
        safetensors_torch.load_file(folder / "model.safetensors")["lm_head.weight"],
        saved["base_model.model.lm_head.weight"],
    )


def test_an_extractive_model_has_an_adapter_too(model_folder, tmp_path):
    base = loading.load(model_folder("bert-extractive"), "extractive", "float32", "m")
    config = peft.LoraConfig(target_modules=["query", "dense"], task_type="QUESTION_ANS", init_lora_weights=False)
    peft.get_peft_model(base, config).save_pretrained(tmp_path / "adapter")
    of_study(model_folder("bert-extractive"), tmp_path / "adapter", "extractive")
    change = adapters.merge(
        model_folder("bert-extractive"), tmp_path / "adapter", tmp_path / "merged", "extractive", "m"
    )
    assert change["max"] < 1e-4


def test_a_base_that_is_only_a_bin_can_be_adapted(model_folder, adapt, tmp_path):
    base = Path(shutil.copytree(model_folder("bert"), tmp_path / "base"))
    torch.save(safetensors_torch.load_file(base / "model.safetensors"), base / folders.BIN)
    adapter = adapt("bert")
    adapters.merge(base, adapter, tmp_path / "of_safetensors", "masked", "m")
    (base / "model.safetensors").unlink()
    adapters.merge(base, adapter, tmp_path / "of_bin", "masked", "m", from_bin=True)
    one, other = (tmp_path / name / "model.safetensors" for name in ("of_bin", "of_safetensors"))
    assert one.read_bytes() == other.read_bytes()


# --- what is refused ---


def of_study(base, adapter, kind="masked"):
    """A look at the files, as at the start of a run."""
    records.check({"m": Model(path=base, kind=kind, adapter={"path": adapter}).model_dump(mode="json")})


def no_config(folder):
    (folder / folders.ADAPTER).unlink()


def whole_model(folder):
    no_config(folder)
    (folder / folders.CONFIG).write_text("{}")


def only_bin(folder):
    (folder / adapters.WEIGHTS).rename(folder / "adapter_model.bin")


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (no_config, ("models.m.adapter", "adapter_config.json")),
        (whole_model, ("models.m.adapter", "adapter_config.json", "path:")),
        (only_bin, ("models.m.adapter", "adapter_model.bin", "code")),
        (
            lambda folder: (folder / adapters.WEIGHTS).unlink(),
            ("models.m.adapter", "no weights", "adapter_model.safetensors"),
        ),
        (lambda folder: (folder / adapters.WEIGHTS).write_bytes(b"x"), ("adapter_model.safetensors", "damaged")),
        (lambda folder: (folder / folders.ADAPTER).write_text("{"), ("adapter_config.json", "damaged", "JSON")),
        (shutil.rmtree, ("models.m.adapter", "no such folder")),
        (lambda folder: configure(folder, peft_type="PROMPT_TUNING"), ("models.m.adapter", "PROMPT_TUNING")),
        (lambda folder: configure(folder, peft_type="XLORA"), ("models.m.adapter", "XLORA")),
        (
            lambda folder: configure(folder, task_type="CAUSAL_LM"),
            ("models.m.adapter", "CAUSAL_LM", "kind: causal"),
        ),
        (lambda folder: configure(folder, task_type="SEQ_CLS"), ("models.m.adapter", "SEQ_CLS")),
        (lambda folder: configure(folder, megatron_config={"a": 1}), ("models.m.adapter", "'megatron_config'")),
        (
            lambda folder: configure(folder, alora_invocation_tokens=[1]),
            ("models.m.adapter", "'alora_invocation_tokens'"),
        ),
    ],
)
def test_what_is_no_adapter_to_merge_is_refused_at_the_start(model_folder, adapt, spoil, fault):
    folder = adapt("bert")
    of_study(model_folder("bert"), folder)
    spoil(folder)
    with refused(*fault):
        of_study(model_folder("bert"), folder)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_an_adapter_for_another_shape_is_refused_with_both(model_folder, adapt, tmp_path, family):
    adapter, kind = adapt(family), FAMILIES[family][0]
    tensors = safetensors_torch.load_file(adapter / adapters.WEIGHTS)
    (first, *_) = (name for name in sorted(tensors) if "lora_A" in name)
    safetensors_torch.save_file(tensors | {first: torch.zeros(4, 32)}, adapter / adapters.WEIGHTS)
    layer = first.removeprefix("base_model.model.").removesuffix(".lora_A.weight")
    shape = "×".join(
        map(str, safetensors_torch.load_file(model_folder(family) / "model.safetensors")[f"{layer}.weight"].shape)
    )
    with refused("models.m.adapter", f"'{layer}.weight'", shape):
        of_study(model_folder(family), adapter, kind)
    with refused(
        "models.m.adapter", f"'{layer}.weight'", shape
    ):  # of a base of the hub, whose files are not there at the start
        merge(model_folder, tmp_path, family, adapter)


@pytest.mark.parametrize(("ours", "other"), [("bert", "roberta"), ("llama", "gpt2")])
def test_an_adapter_for_another_architecture_is_refused_at_the_start(model_folder, adapt, ours, other):
    kind = FAMILIES[ours][0]
    with refused("models.m.adapter", "another base", "does not have"):
        of_study(model_folder(other), adapt(ours), kind)


@pytest.mark.parametrize("kind", ["LORA", "IA3"])
@pytest.mark.parametrize("what", ["has no place for", "also wants"])
def test_layers_more_or_fewer_than_the_base_has_are_refused(model_folder, adapt, tmp_path, kind, what):
    adapter = adapt("bert", kind)
    tensors = safetensors_torch.load_file(adapter / adapters.WEIGHTS)
    if what == "also wants":
        tensors = {name: tensor for name, tensor in tensors.items() if "layer.1." not in name}
    else:
        tensors |= {name.replace("layer.1.", "layer.2."): tensor.clone() for name, tensor in tensors.items()}
    safetensors_torch.save_file(tensors, adapter / adapters.WEIGHTS)
    beyond = "layer.1" if what == "also wants" else "layer.2"
    with refused("models.m.adapter", beyond):
        merge(model_folder, tmp_path, "bert", adapter)


@pytest.mark.parametrize("layer", ["wte", "lm_head"])
def test_an_adapter_of_one_of_two_tied_matrices_is_refused(model_folder, adapt, tmp_path, layer):
    """peft merges it into both, with a warning, and the model then says something else."""
    with refused("models.m.adapter", "'tie_word_embeddings'"):
        merge(model_folder, tmp_path, "gpt2", adapt("gpt2", target_modules=[layer]))


def test_an_adapter_that_is_not_finite_is_refused(model_folder, adapt, tmp_path):
    adapter = adapt("bert")
    tensors = safetensors_torch.load_file(adapter / adapters.WEIGHTS)
    safetensors_torch.save_file(
        {name: tensor * float("nan") for name, tensor in tensors.items()}, adapter / adapters.WEIGHTS
    )
    with refused("models.m.adapter", "NaNs"):
        merge(model_folder, tmp_path, "bert", adapter)


def test_the_tokenizer_of_the_base_may_lie_beside_the_adapter_and_no_other(model_folder, adapt, tmp_path):
    adapter, tokenizer = adapt("bert"), loading.load_tokenizer(model_folder("bert"), "m")
    tokenizer.save_pretrained(adapter)
    folder, _ = merge(model_folder, tmp_path, "bert", adapter)
    assert (folder / "tokenizer.json").read_bytes() == (adapter / "tokenizer.json").read_bytes()
    tokenizer.add_tokens(["<|im_start|>"])
    tokenizer.save_pretrained(adapter)
    with refused("models.m.adapter", "tokenizer", "(added_tokens)"):
        adapters.merge(model_folder("bert"), adapter, tmp_path / "other", "masked", "m")


def test_an_adapter_is_no_model(model_folder, adapt):
    """transformers would take its base from wherever it names one."""
    folder = adapt("bert")
    for _ in range(2):
        with refused("models.m", "adapter_config.json", "adapter: {path: FOLDER}"):
            loading.check_files(folder, "m")
        shutil.copytree(model_folder("bert"), folder, dirs_exist_ok=True)


# --- what its record says ---


def test_base_and_adapter_are_identified_by_their_files(adapt):
    folder = adapt("bert")
    local = {"hub": None, "revision": None, "path": str(folder)}
    before = adapters.identity(local, None, folder)
    assert before["files"].keys() == {folders.ADAPTER, adapters.WEIGHTS}
    assert Path(before["path"]).resolve() == folder.resolve()
    assert adapters.identity(local, None, adapt("bert", name="other", seed=2), "other")["files"] != before["files"]
    hub = {"hub": "org/adapter", "revision": None, "path": None}
    assert adapters.identity(hub, "c" * 40, folder) == {
        "hub": "org/adapter", "revision": "c" * 40, "path": None, "files": before["files"]
    }  # fmt: skip
    configure(folder, base_model_name_or_path="org/base")


BASES = [
    # what it was made for, hub id and folder of the base, and whether they can be the same
    ("org/base", "org/base", None, True),
    ("org/base", "org/other", None, False),
    ("org/base", "other/base", None, False),
    ("org/base", None, "models/base", True),
    ("/home/me/base", None, "models/base", True),
    ("/home/me/base", "org/base", None, False),
    ("org/base", None, "models/other", False),
    (None, "org/base", None, True),
    ("", None, "models/other", True),
]


@pytest.mark.parametrize(("named", "hub", "path", "is_same"), BASES)
def test_an_adapter_is_merged_into_the_base_that_it_names(adapt, named, hub, path, is_same):
    folder = adapt("bert")
    configure(folder, base_model_name_or_path=named)
    change = {"path": str(folder), "hub": None, "made_for": None}
    base = {"hub": hub, "path": path, "adapter": change}
    with nullcontext() if is_same else refused("models.m.adapter", f"'{named}'", f"'{hub or path}'", "made_for"):
        assert adapters.named_base(folder, base, "m") == (named or None)
    assert adapters.named_base(folder, base | {"adapter": change | {"made_for": named}}, "m") == (named or None)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["chat_template.jinja", "tokenizer_config.json"])
def test_the_chat_template_of_an_adapter_takes_the_place_of_that_of_its_base(adapt, model_folder, tmp_path, file):
    folder, base = adapt("llama"), model_folder("llama")
    template = "{{ messages[0].content }}!"
    in_settings = {"chat_template": template}
    for with_template in (False, True):
        if with_template:
            shutil.copy(base / "tokenizer.json", folder)
            settings = json.loads((base / "tokenizer_config.json").read_text())
            (folder / "tokenizer_config.json").write_text(json.dumps(settings))
            (folder / file).write_text(template if file.endswith("jinja") else json.dumps({**settings, **in_settings}))
        target = tmp_path / f"merged {with_template}"
        target.mkdir()
        adapters.merge(base, folder, target, "causal", "m")
        assert (loading.load_tokenizer(target, "m").chat_template == template) == with_template
