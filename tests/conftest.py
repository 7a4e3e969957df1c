"""Tiny language models with random weights, one a family of the full study, each with a tokenizer of its own type."""

import gc
import os
import shutil
import sys
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["tests.budget"]

# Tests run side by side, one a core: threads of their own would wait for one another.
THREADS = (
    *("OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
)
os.environ |= dict.fromkeys(THREADS, "1")
# A job asks for two. Where two jobs share the cores, each thread would spin for another that does not run (two small
# models side by side: 174 s instead of 1); after a thousand rounds it lets go.
os.environ["GOMP_SPINCOUNT"] = "1000"
# Most of what the tests start is a short job: each would compile the library anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What torch and transformers leave in memory stays: to look through it as often as Python would takes 7 % of the tests.
gc.set_threshold(50_000)
# No test is timed: on a busy machine any example may take long.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


ENVIRONMENT = dict(os.environ)
# R sets variables when it starts, in the process and for its libraries, which go on to need them.
KEPT = ("R_", "_R_", "PYTEST_", "PYTHON_SESSION_INITIALIZED", "LD_LIBRARY_PATH")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(nextitem, item):
    """Variables that a file of tests, or a library that it is the first to import, has set are none of the next one's:
    jobs would not start warm."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        for name in {name for name, _ in os.environ.items() ^ ENVIRONMENT.items() if not name.startswith(KEPT)}:
            os.environ.pop(name, None)
            if name in ENVIRONMENT:
                os.environ[name] = ENVIRONMENT[name]
    return result


def pytest_collection_modifyitems(items):
    """Files of slow tests first: side by side, the short ones then fill what is left of a core's time. One process
    begins with the study of every metric; what reads it, and would wait for it, comes after other slow files."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    reading = {item.path for item in items if "measured" in getattr(item, "fixturenames", ())}
    making = {path for path in reading if path.parent.name == "measured"}
    items.sort(key=lambda item: (item.path not in making, item.path not in slow, item.path in reading))


TEXT = [
    "People in Peru are weak.",
    "People in New Zealand are hard-working.",
    "People in Xi’an are wise.",
    "Saint Kitts and Nevis",
    "Lima, Cusco, Arequipa, Ottawa, Canada, Fiji, America, Oceania: shy",
    "The cat sat on the mat and was loud.",
]


# A piece of a tokenizer is what stands twice in its text.
PIECES = {"texts": TEXT * 2, "longest": 64}


def _word_piece(folder):
    from herbarium.training import untrained

    untrained.word_piece(**PIECES, size=160, lowercase=False).save_pretrained(folder)


def _byte_level(folder):
    from herbarium.training import untrained

    untrained.byte_level(**PIECES, size=330).save_pretrained(folder)


def _bare_byte_level(folder):
    """As GPT-2's: nothing is put around a sentence."""
    from tokenizers import processors
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    _byte_level(folder)
    backend = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    backend.post_processor = processors.ByteLevel(trim_offsets=False)
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64, **marks).save_pretrained(folder)


def _unigram(folder):
    from herbarium.training import untrained

    untrained.unigram(**PIECES, size=160, of="AlbertTokenizerFast").save_pretrained(folder)


SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


ROOM = {"max_position_embeddings": 64}
TWO = {"n_layers": 2, "n_heads": 2}
# Token numbers of the byte-level tokenizer.
MARKS = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}


LAYERS = {f"{side}_{what}": 2 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
BART = {"d_model": 24, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, **LAYERS, **ROOM}
T5 = {"d_model": 24, "d_kv": 12, "d_ff": 32, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0}

GPT2 = {"n_positions": 64, "n_embd": 24, "n_layer": 2, "n_head": 2, **MARKS}
# It takes its padding token for padding wherever it stands.
XLM = {"emb_dim": 24, "n_langs": 1, "use_lang_emb": False, "pad_token_id": 0, **TWO, **ROOM}
# As DeBERTa-v3 is configured.
DISENTANGLED = {
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_buckets": 16,
    "share_att_key": True,
}
DEBERTA = {"norm_rel_ebd": "layer_norm", "position_biased_input": False, **DISENTANGLED, **SIZES, **ROOM}
# Positions are numbered behind that of the padding token: 66 hold 64 tokens.
ROBERTA = {**SIZES, **MARKS, "max_position_embeddings": 66}
GROUPED = {**SIZES, **MARKS, **ROOM, "num_key_value_heads": 1}

# Family: kind, tokenizer, class of the model, its configuration.
FAMILIES = {
    "bert": ("masked", _word_piece, "BertForMaskedLM", {**SIZES, **ROOM}),
    "distilbert": ("masked", _word_piece, "DistilBertForMaskedLM", {"dim": 24, "hidden_dim": 32, **TWO, **ROOM}),
    "electra": ("masked", _word_piece, "ElectraForMaskedLM", {"embedding_size": 16, **SIZES, **ROOM}),
    "xlm": ("masked", _word_piece, "XLMWithLMHeadModel", XLM),
    "albert": ("masked", _unigram, "AlbertForMaskedLM", {"embedding_size": 16, **SIZES, **ROOM}),
    "deberta-v2": ("masked", _unigram, "DebertaV2ForMaskedLM", DEBERTA),
    "roberta": ("masked", _byte_level, "RobertaForMaskedLM", ROBERTA),
    "xlm-roberta": ("masked", _byte_level, "XLMRobertaForMaskedLM", ROBERTA),
    "camembert": ("masked", _byte_level, "CamembertForMaskedLM", ROBERTA),
    "modernbert": ("masked", _byte_level, "ModernBertForMaskedLM", {"cls_token_id": 0, **SIZES, **MARKS, **ROOM}),
    "bart": ("seq2seq", _byte_level, "BartForConditionalGeneration", BART),
    "t5": ("seq2seq", _unigram, "T5ForConditionalGeneration", T5),
    "gpt2": ("causal", _bare_byte_level, "GPT2LMHeadModel", GPT2),
    "gpt_neox": ("causal", _bare_byte_level, "GPTNeoXForCausalLM", {**SIZES, **MARKS, **ROOM}),
    "llama": ("causal", _byte_level, "LlamaForCausalLM", GROUPED),
    "qwen2": ("causal", _bare_byte_level, "Qwen2ForCausalLM", GROUPED),
}


# Words that the tokenizers of extractive models know as a whole.
ASKED_ABOUT = [
    "Who was rude to the tourists? Who can never be rude to the tourists?",
    "A Sikh man met a Muslim woman. The man from New Zealand saw a group of Sikh people and some Muslim city.",
    "A team of Fijian folk, a couple of Muslim men, few Sikh boys and several Fijian persons met an Inuit in Lima.",
]


def _word_piece_of_questions(folder):
    from herbarium.training import untrained

    untrained.word_piece(ASKED_ABOUT * 2, 400, 64, lowercase=False).save_pretrained(folder)


def _byte_level_of_questions(folder):
    from herbarium.training import untrained

    untrained.byte_level(ASKED_ABOUT * 2, 600, 64).save_pretrained(folder)


# As FAMILIES, of models that answer questions.
EXTRACTIVE = {
    "bert-extractive": ("extractive", _word_piece_of_questions, "BertForQuestionAnswering", {**SIZES, **ROOM}),
    "roberta-extractive": ("extractive", _byte_level_of_questions, "RobertaForQuestionAnswering", ROBERTA),
    "distilbert-extractive": (
        "extractive",
        _word_piece_of_questions,
        "DistilBertForQuestionAnswering",
        {"dim": 24, "hidden_dim": 32, **TWO, **ROOM},
    ),
    "electra-extractive": (
        "extractive",
        _word_piece_of_questions,
        "ElectraForQuestionAnswering",
        {"embedding_size": 16, **SIZES, **ROOM},
    ),
    "bart-extractive": ("extractive", _byte_level_of_questions, "BartForQuestionAnswering", BART),
}


def families(*kinds):
    return [family for family, (kind, *_) in FAMILIES.items() if kind in kinds]


def mostly(mark, values, *others):
    """For `parametrize`: all values have a mark but those that are others, or that have one of them."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=() if any(part in others for part in row) else mark) for row in rows]


mostly_slow, mostly_nightly = (partial(mostly, mark) for mark in (pytest.mark.slow, pytest.mark.nightly))


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """Folder of a tiny model of a family, made once a session."""
    from transformers import AutoTokenizer

    from herbarium.training import untrained

    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            folder = tmp_path_factory.mktemp(family)
            _, make_tokenizer, architecture, sizes = (FAMILIES | EXTRACTIVE)[family]
            make_tokenizer(folder)
            n = len(AutoTokenizer.from_pretrained(folder))
            untrained.model(architecture, sizes, n, 0, family).save_pretrained(folder)
            made[family] = folder
        return made[family]

    return make


@pytest.fixture(scope="session")
def measured(pytestconfig, tmp_path_factory, model_folder):
    """A small study of every metric, which has run (tests/measured): its project, which nobody edits."""
    from tests.measured import study

    kept = pytestconfig.pluginmanager.hasplugin("cacheprovider")
    place = pytestconfig.cache.mkdir("measured") if kept else tmp_path_factory.mktemp("measured")
    return study.made(place, tmp_path_factory.mktemp("fresh"), model_folder)


@pytest.fixture(scope="session")
def results(measured):
    """The folder of its results."""
    return measured.folder / "results"


@pytest.fixture
def edited(measured, tmp_path):
    """A copy of it to edit, for dry runs."""
    from tests.measured import study

    return study.replannable(measured, tmp_path / "edited")


@pytest.fixture
def connect(monkeypatch, tmp_path):
    """Connects to the hub of an address, or to none; the local cache is an empty one."""
    from huggingface_hub import constants

    def to(address: str | None) -> None:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", address is None)
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "home/hub"))
    to(None)
    return to


def small_bert(folder, texts, intermediate_size=32):
    """Write a BERT of one layer with random weights that can learn in some fifty steps, to which each word of the texts
    is a token."""
    import torch
    import transformers

    from herbarium.training import planted

    tokenizer = planted.word_tokenizer(texts)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), initializer_range=0.1, intermediate_size=intermediate_size, **sizes
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@cache
def tokenizer_of(folder):
    """The tokenizer of a model, for tests that leave it as it is."""
    from herbarium.models import loading

    return loading.load_tokenizer(folder, "m")


@pytest.fixture(scope="session")
def shared():
    """Real data and golden values, for those who have them; tests that need them are skipped elsewhere."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data and golden values are not on this machine")
    return folder


def model_record(name, planted):
    """What a report reads of a model."""
    return {
        "name": name,
        "source": "hub" if planted is None else "planted",
        "hub": "a/b",
        "revision": "c" * 40,
        "path": None,
        "planted": planted,
        "derived": None,
        "kind": "masked",
        "dtype": "float32",
        "tuned": {"changes": {}},
        "unused_tensors": [],
        "classes": None,
        "tokenizer": None,
        "tokenizer_notes": [],
        "lowercase": False,
        "chat_template": None,
        "start": None,
        "architecture": "BertForMaskedLM",
        "n_parameters": 12,
        "libraries": {"torch": "2.1"},
        "files": {},
    }


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium on this machine: `make browser` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def hostile(monkeypatch):
    """From now on every text that a template of the report is given ends in markup. Gives a check that a page has none
    of it: only what templates themselves write.
    """
    from html.parser import HTMLParser

    from jinja2 import Template
    from markupsafe import Markup
    from tests import reports

    markup = "\"'><script>x</script><img src=x onerror=x>&lt;{{ 7 * 7 }}"
    choices = ("settings", "bootstrap", "tests", "training")  # of the configuration, where few words are valid
    ours = ("image", "csv", "scripts")

    def spoiled(value, key=None):
        if isinstance(value, Markup):  # a template has made it
            return value
        if isinstance(value, str) and key not in ours:
            return value + markup
        if isinstance(value, dict):
            return {name: inner if name in (*choices, *ours) else spoiled(inner, name) for name, inner in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(spoiled(inner, name) for name, inner in zip(value._fields, value, strict=True)))
        if isinstance(value, list | tuple):
            return type(value)(map(spoiled, value))
        return value

    plain = Template.render
    monkeypatch.setattr(Template, "render", lambda template, facts: plain(template, spoiled(facts)))

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert not [name for name, _ in attributes if name.startswith("on") or not name.replace("-", "").isalpha()]
            for name, value in attributes:
                assert name not in ("src", "href") or value.startswith(("data:", "#")), value

    def check(page):
        page = reports.without_scripts(page)
        assert page.count("&lt;script&gt;") > 10
        assert "<script" not in page
        assert "<img src=x" not in page
        assert page.count("{{ 7 * 7 }}") > 10  # a text is no template either
        Tags().feed(page)

    return check


@pytest.fixture
def values():
    """The full demo's configuration, to be spoiled: without what refers to tasks, which a test may replace."""
    import yaml

    # by libyaml, which takes a tenth of the time
    given = yaml.load(Path("config/demo_full.yaml").read_text(), yaml.CSafeLoader)
    return {key: value for key, value in given.items() if key not in ("amplification", "local_group_bias")}
