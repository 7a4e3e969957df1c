"""Tokenizers read from their files, against those that transformers makes of the same folders."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from tests import charsmaps
from tests.conftest import FAMILIES, TEXT, families
from tests.refusals import refused
from tests.scoring.test_tokenization import assert_same

import herbarium
from herbarium.models import compared, loading, records, tokenizer_files
from herbarium.models.kinds import Kind
from herbarium.scoring import classifiers, planning, quantities, tokenization
from herbarium.study.config import Model
from herbarium.training import planted

# Read by transformers: that of Qwen2 has a rule for where words end that the tiny one lacks, and the class of
# GPT-NeoX is not among those that are written down.
BUILT_ANEW = {"gpt_neox", "qwen2"}
ODD = [
    *TEXT,
    *("", " ", "  two  spaces ", "\ttab\nand line\r\n", "nobreak\u00a0space", "zero\u200bwidth", "\x00\x07bell"),
    *("Ünïcödé ÅNGSTRÖM ﬁne ℌ ①", "e\u0301 é", "İstanbul ıŞ", "ΑΘΗΝΑ ἀγορά", "弱い人 中文字", "👩\u200d👩\u200d👧 🇵🇪"),
    *("don't I'll we've 's", "hard-working, U.S.A. x.y", "``quoted'' \"twice\"", "a" * 150, "1234567890", "…—–"),
    *("[MASK] [mask] [UNK][CLS]", "<mask> <s></s> <unk>", " <mask>after", "<|endoftext|> x", "[SEP", "مرحبا שלום"),
    *("▁Peru ▁", "Ġin", "##ing", "\ud7a3\u1112\u1161", "ﷺ", "St. Kitts (and) Nevis/Peru", "\ufeffbegin"),
]


def assert_same_tokenizer(one, other):
    assert_same(tokenization.encode(one, ODD), tokenization.encode(other, ODD))
    assert tokenization.bare_lengths(one, ODD) == tokenization.bare_lengths(other, ODD)
    for key in ("bos_token_id", "unk_token_id", "pad_token_id", "mask_token_id", "model_max_length"):
        assert getattr(one, key) == getattr(other, key), key
    assert len(one) == len(other)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_token_for_token_that_of_transformers(model_folder, family):
    folder = model_folder(family)
    read, usual = tokenizer_files.read(folder), loading.load_tokenizer(folder, "m")
    assert (read is None) == (family in BUILT_ANEW)
    assert_same_tokenizer(tokenizer_files.load(folder, "m"), usual)
    # the lengths of words by themselves are those of a call of transformers
    assert tokenization.bare_lengths(usual, ODD) == [
        len(ids) for ids in usual(ODD, add_special_tokens=False)["input_ids"]
    ]


@pytest.mark.parametrize("family", [family for family in families("masked") if family not in BUILT_ANEW])
def test_a_plan_is_the_same_with_either(model_folder, family):
    texts = ["People in Peru are weak.", "People in New Zealand are hard-working.", "Lima is shy"] * 40
    asked = [("Peru", "weak"), ("New Zealand", "hard-working"), ("Lima", "shy")] * 40
    spans = [
        [(text.index(filler), text.index(filler) + len(filler)) for text, filler in zip(texts, fillers, strict=True)]
        for fillers in zip(*asked, strict=True)
    ]
    fillers = {slot: tuple(np.array(span).T) for slot, span in zip("ab", spans, strict=True)}
    plans = []
    for load in (tokenizer_files.load, loading.load_tokenizer):
        planner = planning.Planner(load(model_folder(family), "m"), 64, False)
        wanted = [quantity for quantity, kinds in quantities.QUANTITIES.items() if Kind.masked in kinds]
        plans.append(planner.add(np.arange(120), texts, wanted, fillers, {"a": "condition", "b": "asked"}))
    assert len(plans[0].requests) > 1000
    for table in ("inputs", "requests", "sentences"):
        assert getattr(plans[0], table).equals(getattr(plans[1], table)), table


# --- what the library makes of a file, against the file ---


def changed(content, part, **changes):
    return content | {part: content[part] | changes}


# Files from which transformers builds another tokenizer, as nothing else in their folders says what they say.
OVERRULED = {
    "a case that is kept": ("bert", lambda file: changed(file, "normalizer", lowercase=False), "Peru"),
    "accents that are kept": (
        "bert",
        lambda file: changed(file, "normalizer", strip_accents=False, lowercase=True),
        "cafés é",
    ),
    "a space before a text": (
        "gpt2",
        lambda file: changed(file, "pre_tokenizer", add_prefix_space=True),
        "weak",
    ),
}


@pytest.fixture(params=OVERRULED)
def overruled(request, model_folder, tmp_path):
    """A folder with such a file, and a text of which the tokens differ."""
    family, change, text = OVERRULED[request.param]
    folder = shutil.copytree(model_folder(family), tmp_path / family)
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    settings = {"bert": {"tokenizer_class": "BertTokenizer"}, "gpt2": {"tokenizer_class": "GPT2Tokenizer"} | marks}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings[family]))
    return folder, text


def test_sentences_whose_tokens_are_not_those_of_the_file_are_refused(overruled):
    folder, text = overruled
    record = {"name": "m", "kind": "masked", "chat_template": None, "lowercase": False, "tokenizer": None}
    used = tokenizer_files.load_recorded(record, folder)
    with refused("models.m", f"'{text}'", "tokenizer.json", "tokenizer: file", "tokenizer: library"):
        tokenizer_files.require_same_tokens(used, tokenizer_files.as_it_is(used, folder, record), record, ["", text])
    file = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text, add_special_tokens=False).ids
    for choice in ("file", "library"):
        chosen = record | {"tokenizer": choice}
        tokenizer = tokenizer_files.load_recorded(chosen, folder)
        assert tokenizer_files.as_it_is(tokenizer, folder, chosen) is None
        ids = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
        assert (ids == file) == (choice == "file")
        assert tokenizer.unk_token_id == used.unk_token_id


# What steps other than scoring do with texts; each is given the tokenizer and the text.
ENCODED = {
    "a head": lambda tokenizer, text: classifiers.encode(tokenizer, ["the mat", text], 64, lowercase=False),
    "pairs": lambda tokenizer, text: tokenization.encode_pairs(tokenizer, [f"the mat {text}"], np.array([7])),
    "lengths": lambda tokenizer, text: tokenization.bare_lengths(tokenizer, ["the mat", text]),
    "planted text": lambda tokenizer, text: planted._token_ids(tokenizer, ["the mat", text], None),
}


@pytest.mark.parametrize("step", ENCODED)
def test_texts_that_are_not_scored_are_compared_too(overruled, step):
    folder, text = overruled
    record = {"name": "m", "lowercase": False, "tokenizer": None}
    with refused("models.m", "tokenizer: file", "tokenizer: library"):
        ENCODED[step](tokenizer_files.load_compared(record, folder), text)
    for choice in ("file", "library"):
        tokenizer = tokenizer_files.load_compared(record | {"tokenizer": choice}, folder)
        assert not compared._WATCHES.get(tokenizer)


def test_a_thousand_texts_are_compared_in_all(model_folder, monkeypatch):
    record = {"name": "m", "lowercase": False, "tokenizer": None}
    texts = []
    monkeypatch.setattr(tokenizer_files, "require_same_tokens", lambda *arguments: texts.extend(arguments[-1]))
    tokenizer = tokenizer_files.load_compared(record, model_folder("gpt2"))
    for n in (400, 900, 5):
        tokenization.encode(tokenizer, [f"the cat {i}" for i in range(n)] + ["<s> is special"])
    assert len(texts) == 1000
    assert not any("special" in text for text in texts)


@pytest.mark.slow
def test_texts_that_are_scored_from_python_are_compared_too(overruled):
    folder, text = overruled
    with refused(f"models.{folder}", f"'{text}'", "tokenizer: file"):
        herbarium.score([text], folder)
    file, library = (herbarium.score(text, folder, tokenizer=choice).iloc[0] for choice in ("file", "library"))
    assert file != library


@pytest.mark.parametrize("family", FAMILIES)
def test_no_sentence_of_an_ordinary_folder_is_refused(model_folder, family):
    folder = model_folder(family)
    record = {"name": "m", "lowercase": False, "tokenizer": None}
    tokenizer = loading.load_tokenizer(folder, "m")
    tokenizer_files.require_same_tokens(tokenizer, tokenizer_files.as_it_is(tokenizer, folder, record), record, TEXT)


# --- of every class, with settings that change its parts ---


def word_pieces(**settings):
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    learned = BertWordPieceTokenizer(lowercase=settings.get("do_lower_case", True))
    learned.train_from_iterator(TEXT, vocab_size=160, min_frequency=1, show_progress=False)
    return BertTokenizerFast(vocab=learned.get_vocab(), **settings)


def byte_pairs(name, special, **settings):
    import transformers
    from tokenizers import ByteLevelBPETokenizer

    learned = ByteLevelBPETokenizer()
    learned.train_from_iterator(TEXT, vocab_size=330, min_frequency=1, show_progress=False, special_tokens=special)
    model = json.loads(learned.to_str())["model"]
    merges = [tuple(merge) for merge in model["merges"]]
    return getattr(transformers, name)(vocab=model["vocab"], merges=merges, **settings)


def unigrams(name, special, with_table, **settings):
    import sentencepiece
    import transformers

    model = charsmaps.learned(TEXT * 9, 60)
    learned = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [(learned.id_to_piece(i), learned.get_score(i)) for i in range(learned.get_piece_size())]
    vocab = [(token, 0.0) for token in special] + [piece for piece in pieces if piece[0] not in special]
    table = {"_spm_precompiled_charsmap": charsmaps.table(model)} if with_table else {}
    return getattr(transformers, name)(vocab=vocab, **table, **settings)


MARKS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
OF_ALBERT = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
MADE = {
    "bert-cased": lambda: word_pieces(do_lower_case=False),
    "bert-uncased": lambda: word_pieces(do_lower_case=True, model_max_length=9),
    "bert-accents": lambda: word_pieces(do_lower_case=True, strip_accents=False, tokenize_chinese_chars=False),
    "gpt2": lambda: byte_pairs("GPT2Tokenizer", ["<|endoftext|>"]),
    "gpt2-prefix": lambda: byte_pairs("GPT2Tokenizer", ["<|endoftext|>"], add_prefix_space=True),
    "roberta": lambda: byte_pairs("RobertaTokenizer", MARKS),
    "roberta-prefix": lambda: byte_pairs("RobertaTokenizer", MARKS, add_prefix_space=True, trim_offsets=False),
    "albert": lambda: unigrams("AlbertTokenizer", OF_ALBERT, with_table=True),
    "albert-cased": lambda: unigrams("AlbertTokenizer", OF_ALBERT, False, do_lower_case=False, keep_accents=True),
    "xlm-roberta": lambda: unigrams("XLMRobertaTokenizer", MARKS, with_table=True),
    "xlm-roberta-bare": lambda: unigrams("XLMRobertaTokenizer", MARKS, with_table=False, add_prefix_space=False),
}


@dataclass
class Folder:
    """A folder with a tokenizer, whose files a test may change."""

    path: object

    def said(self, file):
        path = self.path / file
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def write(self, file, message):
        (self.path / file).write_text(json.dumps(message), encoding="utf-8")

    def change(self, file, **changes):
        self.write(file, {key: value for key, value in {**self.said(file), **changes}.items() if value is not ABSENT})

    def part(self, *keys, **changes):
        """Change what stands at a place of tokenizer.json."""
        content = self.said("tokenizer.json")
        place = content
        for key in keys:
            place = place[key]
        place.update(changes)
        self.write("tokenizer.json", content)


ABSENT = object()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folders = {}

    def make(which):
        if which not in folders:
            folders[which] = tmp_path_factory.mktemp(which)
            MADE[which]().save_pretrained(folders[which])
            model_type = which.removesuffix("-bare").partition("-cased")[0]
            model_type = {"roberta-prefix": "roberta", "gpt2-prefix": "gpt2"}.get(model_type, model_type)
            model_type = "bert" if model_type.startswith("bert-") else model_type
            (folders[which] / "config.json").write_text(json.dumps({"model_type": model_type}))
        return folders[which]

    return make


@pytest.fixture
def folder(made, tmp_path):
    def copy(which):
        return Folder(shutil.copytree(made(which), tmp_path / which))

    return copy


@pytest.mark.parametrize("which", MADE)
def test_every_class_is_read_with_its_settings(made, which):
    read = tokenizer_files.read(made(which))
    assert read is not None
    assert_same_tokenizer(read, loading.load_tokenizer(made(which), "m"))


def as_on_the_hub(folder):
    """The way of older versions: what is usual is left out, and tokens stand in a file of their own."""
    content = folder.said("tokenizer_config.json")
    special = {key: content[key] for key in tokenizer_files._SPECIAL if content.get(key)}
    flags = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False}
    folder.write(
        "special_tokens_map.json",
        {key: {"content": token, **flags} if key == "mask_token" else token for key, token in special.items()},
    )
    kept = ("do_lower_case", "strip_accents", "tokenize_chinese_chars", "keep_accents", "add_prefix_space")
    kept = {key: content[key] for key in (*kept, "trim_offsets") if key in content}
    folder.write("tokenizer_config.json", kept | {"max_len": 77})


def with_decoder(folder):
    """The way of the fourth version: the tokens stand in the configuration as well."""
    added = folder.said("tokenizer.json")["added_tokens"]
    folder.change(
        "tokenizer_config.json",
        added_tokens_decoder={
            str(token["id"]): {key: value for key, value in token.items() if key != "id"} for token in added
        },
        clean_up_tokenization_spaces=True,
        additional_special_tokens=[],
    )


def named_fast(folder):
    folder.change(
        "tokenizer_config.json", tokenizer_class=f"{folder.said('tokenizer_config.json')['tokenizer_class']}Fast"
    )


def saved_again(folder):
    loading.load_tokenizer(folder.path, "m").save_pretrained(folder.path)


def padding_and_cutting(folder):
    pad = next(token for token in folder.said("tokenizer.json")["added_tokens"] if token["content"] != "<s>")
    padding = {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None, "pad_type_id": 0}
    cutting = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    folder.part(padding={**padding, "pad_id": pad["id"], "pad_token": pad["content"]}, truncation=cutting)


@pytest.mark.slow
@pytest.mark.parametrize("which", MADE)
@pytest.mark.parametrize("change", [as_on_the_hub, with_decoder, named_fast, saved_again, padding_and_cutting])
def test_what_changes_no_token_is_read(folder, which, change):
    folder = folder(which)
    change(folder)
    read = tokenizer_files.read(folder.path)
    if change is padding_and_cutting and which.startswith("gpt2"):
        assert read is None  # which token it pads with is known from tokenizer.json alone
    else:
        assert read is not None
        assert_same_tokenizer(read, loading.load_tokenizer(folder.path, "m"))


# --- what transformers changes is left to it ---


def set_added(folder, **changes):
    content = folder.said("tokenizer.json")
    content["added_tokens"][-1].update(changes)
    folder.write("tokenizer.json", content)


def one_token_too_many(folder):
    content = folder.said("tokenizer.json")
    vocabulary = content["model"]["vocab"]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content["added_tokens"].append({"id": len(vocabulary) + 3, "content": "<new>", **flags})
    folder.write("tokenizer.json", content)


def other_flags(folder):
    with_decoder(folder)
    decoder = folder.said("tokenizer_config.json")["added_tokens_decoder"]
    decoder[max(decoder, key=int)]["lstrip"] = True
    folder.change("tokenizer_config.json", added_tokens_decoder=decoder)


def settings(**changes):
    return lambda folder: folder.change("tokenizer_config.json", **changes)


CHANGED = {
    "lower case": (["bert-cased"], settings(do_lower_case=True)),
    "lower case by default": (["bert-cased"], settings(do_lower_case=ABSENT)),
    "accents": (["bert-uncased"], settings(strip_accents=False)),
    "accents of albert": (["albert"], settings(keep_accents=True)),
    "a space before": (["roberta", "gpt2", "albert", "xlm-roberta-bare"], settings(add_prefix_space=ABSENT)),
    "a space before the other way": (["roberta", "gpt2", "xlm-roberta"], lambda folder: other_space(folder)),
    "offsets": (["roberta"], settings(trim_offsets=False)),
    "another mark": (["bert-cased", "roberta", "xlm-roberta"], settings(unk_token="<other>")),
    "no mark": (["bert-cased"], settings(sep_token=None)),
    "another special token": (["bert-cased", "roberta", "albert"], settings(extra_special_tokens=["Peru"])),
    "old special token": (["bert-cased", "roberta", "albert"], settings(additional_special_tokens=["Peru"])),
    "special tokens split": (["bert-cased", "roberta", "albert"], settings(split_special_tokens=True)),
    "an unknown setting": (["bert-cased", "roberta", "albert"], settings(normalizer="none")),
    "an unknown token": (["bert-cased"], settings(image_token="[CLS]")),
    "another class": (["bert-cased", "roberta"], settings(tokenizer_class="CamembertTokenizer")),
    "flags": (["bert-cased", "roberta", "albert", "gpt2"], other_flags),
    "no special token": (["bert-cased", "roberta"], lambda folder: set_added(folder, special=False)),
    "a new token": (["bert-cased", "roberta", "albert", "gpt2"], one_token_too_many),
    "added tokens": (["bert-cased"], lambda folder: folder.write("added_tokens.json", {"<new>": 1000})),
    "nothing around": (["roberta", "gpt2", "albert"], lambda folder: folder.part(post_processor=None)),
    "words as they come": (["bert-cased", "roberta"], lambda folder: folder.part(pre_tokenizer={"type": "Whitespace"})),
    "no rule for cases": (["bert-uncased", "albert"], lambda folder: folder.part(normalizer=None)),
    "long words": (["bert-cased"], lambda folder: folder.part("model", max_input_chars_per_word=9)),
    "prefix": (["bert-cased"], lambda folder: folder.part("model", continuing_subword_prefix="@@")),
    "another unknown": (["albert", "xlm-roberta"], lambda folder: folder.part("model", unk_id=0)),
    "joined unknowns": (["roberta"], lambda folder: folder.part("model", fuse_unk=True)),
    "a type of model": (["bert-cased"], lambda folder: folder.change("config.json", model_type="mpnet")),
    "no file": (["bert-cased"], lambda folder: (folder.path / "tokenizer.json").unlink()),
}


def other_space(folder):
    settings(add_prefix_space=not folder.said("tokenizer_config.json").get("add_prefix_space", False))(folder)


def outcome(make):
    try:
        return make()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize(
    ("change", "which"), [(change, which) for change, (several, _) in CHANGED.items() for which in several]
)
def test_what_transformers_may_change_is_left_to_it(folder, change, which):
    folder = folder(which)
    CHANGED[change][1](folder)
    read = tokenizer_files.read(folder.path)
    if change == "a space before" and which != "xlm-roberta-bare":
        assert read is not None  # that is what the class takes where nothing is said
        assert_same_tokenizer(read, loading.load_tokenizer(folder.path, "m"))
        return
    assert read is None
    ours, theirs = (
        outcome(lambda load=load: load(folder.path, "m")) for load in (tokenizer_files.load, loading.load_tokenizer)
    )
    assert type(ours) is type(theirs)


def test_a_damaged_file_is_refused_as_before(folder):
    folder = folder("bert-cased")
    file = folder.path / "tokenizer.json"
    file.write_text(file.read_text()[:-40])
    assert tokenizer_files.read(folder.path) is None
    with refused("models.m", "no tokenizer"):
        tokenizer_files.load(folder.path, "m")


# --- the table of classes ---


def names():
    named = {
        name
        for name in (*tokenizer_files._CLASSES, *tokenizer_files._OTHER_NAMES, *tokenizer_files._CLASS_OF.values())
        if name
    }
    return [None, *sorted(named - {"PreTrainedTokenizer"}), "PreTrainedTokenizerFast", "BertTokenizerFast"]


@pytest.mark.parametrize("model_type", tokenizer_files._CLASS_OF)
def test_the_class_of_a_folder_is_that_which_transformers_takes(made, folder, model_type, monkeypatch):
    from transformers import AutoTokenizer
    from transformers.tokenization_utils_base import PreTrainedTokenizerBase

    taken = []
    monkeypatch.setattr(
        PreTrainedTokenizerBase, "_from_pretrained", classmethod(lambda cls, *_, **__: taken.append(cls.__name__))
    )
    folder = folder("bert-cased")
    for name in names():
        folder.change("config.json", model_type=model_type, vocab_size=9)
        folder.change("tokenizer_config.json", tokenizer_class=ABSENT if name is None else name)
        with_error = outcome(lambda: AutoTokenizer.from_pretrained(folder.path, local_files_only=True))
        ours = tokenizer_files._class_name(model_type, name)
        if ours in tokenizer_files._CLASSES:
            assert taken, (name, with_error)
            assert taken[-1] == ours, name
        taken.clear()


# --- what may not be the tokenizer of the model's training ---


def as_vocabulary(source, folder, **settings):
    """The folder of a model whose tokenizer is a vocabulary without tokenizer.json."""
    shutil.copytree(source, folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    by_number = sorted(tokenizer["vocab"], key=tokenizer["vocab"].get)
    if tokenizer["type"] == "WordPiece":
        (folder / "vocab.txt").write_text("\n".join(by_number) + "\n", encoding="utf-8")
    else:
        (folder / "vocab.json").write_text(json.dumps(tokenizer["vocab"]))
        merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in tokenizer["merges"]]
        (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def described(folder, kind):
    entry = Model(path=folder, kind=kind).model_dump(mode="json")
    return records.describe("m", entry, folder, None)


RULES = {
    "lower case": ("bert", {}, ("BertTokenizer", "vocab.txt", "in small letters", "without accents")),
    "cased": ("bert", {"do_lower_case": False}, ("with capitals", "with accents", "without a space")),
    "accents": ("bert", {"strip_accents": False}, ("in small letters", "with accents")),
    "bytes": ("roberta", {}, ("RobertaTokenizer", "merges.txt and vocab.json", "with capitals", "without a space")),
    "space": ("roberta", {"add_prefix_space": True}, ("with a space",)),
}


@pytest.mark.parametrize("case", RULES)
def test_without_a_file_the_record_says_by_which_rule_tokens_are_made(model_folder, tmp_path, case):
    family, settings, facts = RULES[case]
    folder = as_vocabulary(model_folder(family), tmp_path / "m", **settings)
    (note,) = described(folder, "masked")["tokenizer_notes"]
    assert all(fact in note for fact in facts), note


@pytest.mark.parametrize("family", FAMILIES)
def test_of_the_tokenizer_of_an_ordinary_folder_nothing_is_noted(model_folder, family):
    assert described(model_folder(family), FAMILIES[family][0])["tokenizer_notes"] == []


@pytest.mark.parametrize(("family", "name"), [("bert", "vocab.txt"), ("roberta", "vocab.json")])
def test_a_list_of_tokens_that_does_not_fit_is_noted(model_folder, tmp_path, family, name):
    as_vocabulary(model_folder(family), tmp_path / "listed")
    folder = Path(shutil.copytree(model_folder(family), tmp_path / "m"))
    listed = (tmp_path / "listed" / name).read_text(encoding="utf-8")
    (folder / name).write_text(listed, encoding="utf-8")
    assert described(folder, "masked")["tokenizer_notes"] == []
    if name == "vocab.txt":
        other = "\n".join([*listed.split("\n")[:20], *listed.split("\n")[:19:-1]])  # all but the first 20 turned round
    else:
        other = json.dumps({token: number + (number > 20) for token, number in json.loads(listed).items()})
    (folder / name).write_text(other, encoding="utf-8")
    (note,) = described(folder, "masked")["tokenizer_notes"]
    assert name in note


# Tokens and rows of embeddings of Phi-2, Pythia, Qwen2 and ESM C; and of others' tokenizers.
@pytest.mark.parametrize(
    ("n_tokens", "n_rows", "is_noted"),
    [
        *((50295, 51200, False), (50254, 50688, False), (151643, 152064, False), (33, 64, False)),
        *((30522, 50304, True), (100, 32000, True), (33, 250, True)),
    ],
)
def test_far_fewer_tokens_than_embeddings_are_noted(tmp_path, n_tokens, n_rows, is_noted):
    (tmp_path / "tokenizer.json").touch()
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel({str(number): number for number in range(n_tokens)}))
    tokenizer = tokenizer_files.Tokenizer(backend, 64, *[None] * 5)
    notes = tokenizer_files.notes(tokenizer, tmp_path, n_rows)
    assert [f"{n_tokens:,}" in note and f"{n_rows:,}" in note for note in notes] == [True] * is_noted


def test_a_tokenizer_of_another_model_is_told_from_python(model_folder, tmp_path, caplog):
    import transformers

    folder = shutil.copytree(model_folder("gpt2"), tmp_path / "m")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.resize_token_embeddings(1000)
    model.save_pretrained(folder)
    assert len(described(folder, "causal")["tokenizer_notes"]) == 1
    herbarium.score(["Lima"], folder)
    assert "1,000 rows" in caplog.text
