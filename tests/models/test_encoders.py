"""Encoders without a head: what is measured of vectors and tasks takes them, and nothing that asks for words does."""

import json
import shutil

import pytest
import torch
import transformers
from tests.conftest import families, mostly_slow
from tests.refusals import refused

import herbarium
from herbarium.models import inferred, loading, records, trial
from herbarium.models.kinds import Kind
from herbarium.models.section import Model
from herbarium.study import config

TOKENS = [list(range(5, 17))]


@pytest.fixture
def encoder(model_folder, tmp_path):
    """The trunk of a masked model, saved by itself with the tokenizer."""

    def make(family: str):
        folder = tmp_path / "encoder"
        transformers.AutoModel.from_pretrained(model_folder(family)).save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(model_folder(family)).save_pretrained(folder)
        return folder

    return make


def entry(folder, **settings):
    return Model(path=folder, **{"kind": "encoder"} | settings).model_dump(mode="json")


@pytest.mark.parametrize("family", mostly_slow(families("masked"), "bert", "roberta"))
def test_its_vectors_are_those_of_the_model_that_it_was_the_trunk_of(encoder, model_folder, family):
    if family == "xlm":
        pytest.skip("one class for a masked and a causal model: it is saved as either")
    folder = encoder(family)
    model = inferred.completed({"m": Model(path=folder)}, folder / "lock.yaml")["m"]
    assert model.kind == Kind.encoder
    records.check({"m": entry(folder)})
    record = records.describe("m", entry(folder), folder, None)
    assert (record["kind"], record["start"]) == ("encoder", None)
    whole = loading.load(model_folder(family), "masked", "float32", "m")
    trunk = loading.load(folder, record["kind"], "float32", "m")
    with torch.inference_mode():
        expected, states = (
            loading.layer_states(one, torch.tensor(TOKENS), loading.layers(one, None, "v")) for one in (whole, trunk)
        )
    torch.testing.assert_close(states, expected, rtol=0, atol=0)
    assert record["max_tokens"] == loading.max_tokens(whole, loading.load_tokenizer(folder, "m"))


def test_the_record_of_a_file_without_its_pooler(encoder):
    folder = encoder("bert")
    bare = transformers.AutoModel.from_pretrained(folder, add_pooling_layer=False)
    bare.save_pretrained(folder)
    assert not any("pooler" in tensor for tensor in bare.state_dict())
    assert records.describe("m", entry(folder), folder, None)["architecture"] == "BertModel"


def test_without_a_head_there_are_no_scores(encoder):
    folder = encoder("bert")
    with refused(f"models.{folder}", "encoder", "'aul'"):
        herbarium.score(["Peru"], folder)
    with refused("models.m", "weights"):
        loading.load(folder, "masked", "float32", "m")


@pytest.mark.parametrize(("family", "kind"), [("bert", "masked"), ("llama", "causal"), ("bart", "seq2seq")])
def test_what_has_a_head_is_no_encoder(model_folder, family, kind):
    with refused("models.m", f"kind: {kind}"):
        records.check({"m": entry(model_folder(family))})
    with refused("models.m", f"kind: {kind}"):
        loading.load(model_folder(family), "encoder", "float32", "m")


def test_a_decoder_and_damaged_weights_are_refused(encoder):
    folder = encoder("bert")
    model = loading.load(folder, "encoder", "float32", "m")
    torch.nn.init.constant_(model.embeddings.LayerNorm.weight, torch.nan)
    with refused("models.m", "finite"):
        trial.check(model, "encoder", "m")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"is_decoder": True}))
    with refused("models.m", "is_decoder"):
        loading.load(folder, "encoder", "float32", "m")


@pytest.mark.parametrize("key", ["adapter", "start", "chat_template"])
def test_what_belongs_to_a_model_with_a_head(encoder, key):
    given = {"adapter": {"path": "adapter"}, "start": "<s>", "chat_template": True}
    with refused(None, f"'{key}'", kind=ValueError):
        entry(encoder("bert"), **{key: given[key]})


@pytest.mark.parametrize("place", ["", "0_Transformer"])
def test_a_folder_of_sentence_transformers(encoder, tmp_path, place):
    inner = encoder("bert")
    folder = tmp_path / "sentences"
    shutil.copytree(inner, folder / place)
    parts = [{"idx": 0, "name": "0", "path": place, "type": "sentence_transformers.models.Transformer"}]
    (folder / "modules.json").write_text(json.dumps(parts))
    assert Model(path=folder).path == folder / place
    records.check({"m": entry(folder)})
    for content in ("{}", "[]", "[", '[{"path": "../elsewhere"}]', '[{"path": 1}]'):
        (folder / "modules.json").write_text(content)
        assert Model(path=folder).path == folder


PRONOUNS = {"table": "resources/sentence_sets/pronouns/sentences.csv", "models": ["minilm"], "quantity": "likelihood"}
PRONOUNS |= {"sides": ["he", "she"]}
TASKS = {"entities": {"data": {"planted": True, "sentences": 200}, "models": ["minilm"]}}


def test_what_asks_for_vectors_and_tasks_takes_it_and_what_asks_for_words_does_not(encoder):
    models = {"minilm": {"path": str(encoder("bert"))}}
    weat = {"tests": {"weat": {"words": "resources/word_associations/tests/career_family.csv"}}}
    source = {"vectors": {"layers": {"model": "minilm"}}, "word_associations": weat | {"sources": ["layers"]}}
    study = config.load({"models": models, **source, "tagging": {"tasks": TASKS}})
    assert study.models["minilm"].kind == Kind.encoder
    with refused("herb.models", "'minilm'", "encoder"):
        config.load({"models": models, "herb": {"models": ["minilm"]}})
    with refused("sentence_sets.pronouns.models", "'minilm'", "encoder"):
        config.load({"models": models, "sentence_sets": {"pronouns": PRONOUNS}})
