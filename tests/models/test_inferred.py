"""The kind of a model is read from its configuration where the study leaves it out."""

import json
import shutil

import pytest
from tests.conftest import EXTRACTIVE, FAMILIES
from tests.hub import COMMIT, serve
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.models import hub, inferred, loading, records
from herbarium.models.inferred import Kind
from herbarium.models.section import Model
from herbarium.study import config


def study(values, **models):
    return {"models": models, "seed": values["seed"]}


@pytest.mark.parametrize("family", {**FAMILIES, **EXTRACTIVE})
def test_the_kind_is_that_of_the_class_that_a_model_was_saved_from(values, model_folder, family):
    kind, *_ = (FAMILIES | EXTRACTIVE)[family]
    assert config.load(study(values, m={"path": str(model_folder(family))})).models["m"].kind == kind


def test_planted_models_are_masked_and_derived_ones_what_they_come_from(values, model_folder):
    toxic = {"derived": {"from": "bert", "by": {"recipe": "toxic", "epochs": 2}}}
    loaded = config.load(study(values, none={"planted": 0.0}, bert={"path": str(model_folder("bert"))}, toxic=toxic))
    assert {name: model.kind for name, model in loaded.models.items()} == dict.fromkeys(
        ("none", "bert", "toxic-01", "toxic"), Kind.masked
    )


@pytest.mark.parametrize(("family", "kind"), [("gpt2", Kind.causal), ("bert", Kind.masked), ("bart", Kind.masked)])
def test_a_planted_model_is_of_the_kind_of_the_model_whose_tokenizer_it_shares(values, model_folder, family, kind):
    models = {"shares": {"planted": 0.0, "tokenizer": "other"}, "other": {"path": str(model_folder(family))}}
    assert config.load(study(values, **models)).models["shares"].kind == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"model_type": "bert", "architectures": ["BertForPreTraining"]}, "masked"),
        ({"model_type": "bert", "architectures": ["BertLMHeadModel"], "is_decoder": True}, "causal"),
        ({"model_type": "xlm", "architectures": ["XLMWithLMHeadModel"], "causal": True}, "causal"),
        ({"model_type": "bart", "architectures": ["BartModel"]}, "seq2seq"),  # as facebook/bart-base says
        ({"model_type": "t5", "architectures": ["T5WithLMHeadModel"]}, "seq2seq"),  # of an early release
        ({"model_type": "gpt2"}, "causal"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "encoder"),  # as sentence-transformers are saved
        ({"model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"]}, "encoder"),
        ({"model_type": "electra", "architectures": ["ElectraModel"]}, "encoder"),
        ({"model_type": "big_bird", "architectures": ["BigBirdForPreTraining"]}, "masked"),
        ({"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"]}, "causal"),
        (
            {"model_type": "mbart", "architectures": ["MBartForConditionalGeneration"], "is_encoder_decoder": True},
            "seq2seq",
        ),
    ],
)
def test_classes_of_other_names_and_of_families_that_are_not_listed(message, kind):
    assert inferred.of_config(message, "models.m") == kind


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (
            {"model_type": "bert", "architectures": ["BertForSequenceClassification"]},
            ("BertForSequenceClassification", "BertForMaskedLM"),
        ),
        (
            {"model_type": "gpt2", "architectures": ["GPT2ForSequenceClassification"]},
            ("GPT2ForSequenceClassification", "GPT2LMHeadModel"),
        ),
        ({"model_type": "llama", "architectures": ["LlamaModel"]}, ("LlamaModel", "LlamaForCausalLM")),
        ({"model_type": "electra", "architectures": ["ElectraForPreTraining"]}, ("google/electra-*-generator",)),
        (
            {"model_type": "t5", "architectures": ["T5EncoderModel"], "is_encoder_decoder": False},
            ("T5EncoderModel", "head"),
        ),
        (
            {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"]},
            ("head",),
        ),
        ({"model_type": "deberta-v2"}, ("class",)),
        ({"model_type": "bert", "architectures": "BertForMaskedLM"}, ("class",)),
        (
            {"model_type": "bert", "architectures": ["BertForMaskedLM", "BertForQuestionAnswering"]},
            ("BertForMaskedLM, BertForQuestionAnswering", "extractive", "masked", "`kind`"),
        ),
    ],
)
def test_what_has_no_head_or_several_is_refused_by_name(message, fault):
    with refused("models.m", *fault):
        inferred.of_config(message, "models.m")


def test_a_discriminator_is_refused_under_a_kind_that_was_given(model_folder, tmp_path):
    folder = shutil.copytree(model_folder("electra"), tmp_path / "m")
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | {"architectures": ["ElectraForPreTraining"]}))
    with refused("models.m", "ElectraForPreTraining", "discriminator"):
        records.check({"m": Model(path=folder, kind="masked").model_dump(mode="json")})


def test_all_models_of_no_kind_are_named_with_their_line(values, model_folder, tmp_path):
    bare = shutil.copytree(model_folder("bert"), tmp_path / "bare")
    (bare / "config.json").write_text('{"model_type": "llama", "architectures": ["LlamaModel"]}')
    path = tmp_path / "study.yaml"
    path.write_text(f"models:\n  a: {{path: {tmp_path / 'nowhere'}}}\n  b:\n    path: {bare}\n")
    messages = faults(study(values, a={"path": str(tmp_path / "nowhere")}, b={"path": str(bare)}), [path])
    assert tells(messages, "study.yaml, line 2", path, "models.a", tmp_path / "nowhere")
    assert tells(messages, "models.b")


# --- hub models ---


def test_of_a_hub_model_one_small_file_is_fetched_once(values, model_folder, connect, tmp_path):
    entry, lock = {"hub": "org/name"}, tmp_path / "lock.yaml"
    lock.write_text(f"org/name: {COMMIT}\n")
    given = study(values, m=entry) | {"lock": str(lock)}
    messages = faults(given)
    assert tells(messages, "models.m", "'org/name'")
    assert tells(messages, None, "`kind`")
    with serve({"models/org/name": model_folder("gpt2")}) as address:
        connect(address)
        assert config.load(given).models["m"].kind == "causal"
    assert config.load(given).models["m"].kind == "causal"
    connect(None)
    assert config.load(given).models["m"].kind == "causal"
    # the model itself is not there
    assert hub.fault("org/name", COMMIT, hub.MODEL, ["*"]) == hub.OFFLINE


def test_one_that_is_not_pinned_yet_is_as_its_latest_commit(model_folder, connect):
    with serve({"models/org/name": model_folder("bert")}) as address:
        connect(address)
        assert inferred.of_hub("org/name", None, "models.m") == "masked"
        with refused("models.m", "'org/other'", "RepositoryNotFoundError"):
            inferred.of_hub("org/other", None, "models.m")


def test_a_model_in_the_cache_says_its_kind_without_the_network(model_folder, connect):
    with serve({"models/org/name": model_folder("bart")}) as address:
        connect(address)
        loading.fetch("org/name", COMMIT)
    connect(None)
    assert inferred.of_hub("org/name", COMMIT, "models.m") == "seq2seq"
