"""Tokenizers read from their files only: all that planning needs, as it makes no tensors.

transformers does not always take tokenizer.json as it is. Most of its classes rebuild the tokenizer around the
vocabulary of the file, with parts of their own and with settings of tokenizer_config.json. So a file is taken as it is
only if transformers would arrive at the same: for a few classes, whose parts are written down here, and files that have
these parts already. Every other folder is left to transformers.
"""

import base64
import json
import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tokenizers
from tokenizers import normalizers, pre_tokenizers, processors

from herbarium.core.errors import HerbariumError
from herbarium.models import compared, folders, loading
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# The class that takes a file as it is.
_AS_IT_IS = "TokenizersBackend"
# The class for a type of model if tokenizer_config.json names none; None: it has none.
_CLASS_OF = {
    "albert": "AlbertTokenizer",
    "bart": "RobertaTokenizer",
    "bert": "BertTokenizer",
    "camembert": "CamembertTokenizer",
    "deberta-v2": "DebertaV2Tokenizer",
    "distilbert": "BertTokenizer",
    "electra": "BertTokenizer",
    "gpt2": "GPT2Tokenizer",
    "llama": None,
    "modernbert": _AS_IT_IS,
    "roberta": "RobertaTokenizer",
    "t5": "T5Tokenizer",
    "xlm": "XLMTokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
}
# Types of models whose class is always used: the class that their files name is known to be wrong.
_OVERRULED = ("modernbert",)
_OTHER_NAMES = {
    "BartTokenizer": "RobertaTokenizer",
    "ElectraTokenizer": "BertTokenizer",
    "PreTrainedTokenizer": _AS_IT_IS,
}
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_MORE_SPECIAL = ("extra_special_tokens", "additional_special_tokens")
# Settings that change no token, or that are handled here. A folder with any other is left to transformers.
_KNOWN_SETTINGS = {
    *_SPECIAL,
    *_MORE_SPECIAL,
    *("added_tokens_decoder", "model_max_length", "max_len", "tokenizer_class", "backend", "errors"),
    *("do_lower_case", "strip_accents", "tokenize_chinese_chars", "keep_accents", "add_prefix_space", "trim_offsets"),
    *("add_bos_token", "add_eos_token"),  # transformers ignores them if there is a tokenizer.json
    *("do_basic_tokenize", "never_split", "clean_up_tokenization_spaces", "padding_side", "truncation_side"),
    *("model_input_names", "name_or_path", "special_tokens_map_file", "full_tokenizer_file", "chat_template"),
    *("is_local", "local_files_only"),  # of a tokenizer that was loaded from a folder, and saved again
    *("max_length", "stride", "truncation_strategy", "pad_to_multiple_of", "pad_token_type_id", "sp_model_kwargs"),
}
# Embeddings have up to 2 % more rows than there are tokens (Phi-2 and CodeGen; Qwen2, Pythia, T5, OPT and DeBERTa-v3
# less than 1 %), for a multiple of up to 128, which is more of a small vocabulary.
_FULL, _MULTIPLE = 0.9, 128
# Settings of a model of `tokenizers` that a file may leave out.
_MODEL_DEFAULTS = {
    "WordPiece": {},
    "BPE": {"byte_fallback": False, "ignore_merges": False},
    "Unigram": {"byte_fallback": False},
}


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer of the library `tokenizers`, with the attributes that are used here, named as in transformers."""

    backend_tokenizer: tokenizers.Tokenizer
    model_max_length: int
    bos_token_id: int | None
    eos_token_id: int | None
    unk_token_id: int | None
    pad_token_id: int | None
    mask_token_id: int | None

    def __len__(self) -> int:
        return self.backend_tokenizer.get_vocab_size(with_added_tokens=True)


def load(
    folder: Path, name: str, by_transformers: bool = False, choice: str | None = None
) -> "Tokenizer | PreTrainedTokenizerFast":
    """The tokenizer in a folder, loaded by transformers only if its files do not say enough.

    by_transformers: it will be given pairs of texts or conversations, which are not covered here. choice: the key
    `tokenizer` of the model.
    Raises HerbariumError when it does not say which characters a token covers.
    """
    tokenizer = None if by_transformers or choice == folders.FILE else read(folder)
    return loading.load_tokenizer(folder, name, choice) if tokenizer is None else tokenizer


def load_recorded(record: dict, folder: Path) -> "Tokenizer | PreTrainedTokenizerFast":
    """As `load`, for a recorded model in a folder, and for the inputs that its sentences become."""
    is_given_more = record["kind"] == Kind.extractive or record["chat_template"] is not None
    return load(folder, record["name"], is_given_more, record["tokenizer"])


def as_it_is(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast", folder: Path, record: dict
) -> tokenizers.Tokenizer | None:
    """tokenizer.json in a folder as it is, to compare with; None if it was taken so, is not there, or the record says
    which of the two is meant.

    tokenizer, record: of the model in the folder.
    """
    path = folder / folders.TOKENIZER
    if isinstance(tokenizer, Tokenizer) or record["tokenizer"] is not None or not path.is_file():
        return None
    file = tokenizers.Tokenizer.from_file(str(path))
    file.no_padding()
    file.no_truncation()
    return file


def require_same_tokens(
    tokenizer: "PreTrainedTokenizerFast", file: tokenizers.Tokenizer, record: dict, texts: Sequence[str]
) -> None:
    """Raise HerbariumError for a text that gets other tokens than from a file, special ones aside. file: by
    `as_it_is`."""
    texts = [text.lower() if record["lowercase"] else text for text in texts]
    library = tokenizer.backend_tokenizer
    library.no_padding()
    library.no_truncation()
    ours, theirs = (one.encode_batch(texts, add_special_tokens=False) for one in (file, library))
    for text, one, other in zip(texts, ours, theirs, strict=True):
        if one.ids != other.ids:
            raise HerbariumError(
                f"models.{record['name']}: '{text}' is {one.tokens} in its {folders.TOKENIZER}, and {other.tokens} as "
                "the library reads its folder. Say which the model was trained with: `tokenizer: file` or "
                "`tokenizer: library`."
            )


def load_compared(record: dict, folder: Path) -> "PreTrainedTokenizerFast":
    """The tokenizer of a recorded model in a folder, for texts that it learns or that are not scored. A sample of the
    first that are encoded is compared with tokenizer.json (`compared`)."""
    tokenizer = loading.load_tokenizer(folder, record["name"], record["tokenizer"])
    if (file := as_it_is(tokenizer, folder, record)) is not None:
        compared.watch(tokenizer, partial(require_same_tokens, tokenizer, file, record))
    return tokenizer


def notes(tokenizer: "Tokenizer | PreTrainedTokenizerFast", folder: Path, n_words: int | None) -> list[str]:
    """What is to be known about a tokenizer that may not be the one of its model's training.

    n_words: tokens that the model in the folder knows; None if that is not known.
    """
    remarks = _otherwise_numbered(tokenizer, folder)
    if not (folder / folders.TOKENIZER).is_file():
        remarks.append(_rule(tokenizer, folder))
    if n_words and math.ceil(len(tokenizer) / _MULTIPLE) * _MULTIPLE < _FULL * n_words:
        remarks.append(
            f"its tokenizer has {len(tokenizer):,} tokens, its embeddings have {n_words:,} rows: it may be that of "
            "another model"
        )
    return remarks


def _otherwise_numbered(tokenizer: "Tokenizer | PreTrainedTokenizerFast", folder: Path) -> list[str]:
    """Notes on lists of tokens in a folder that do not fit its tokenizer, in words: one of both is of another model."""
    remarks, numbers = [], tokenizer.backend_tokenizer.get_vocab(with_added_tokens=True)
    for name in ("vocab.txt", "vocab.json"):
        try:
            text = (folder / name).read_text(encoding="utf-8")
            listed = json.loads(text) if name.endswith(".json") else {t: i for i, t in enumerate(text.split("\n")) if t}
            n = sum(numbers.get(token) != number for token, number in listed.items())
        except (OSError, ValueError, AttributeError):  # not there, or no list: nothing is read from it then
            continue
        if n:
            remarks.append(
                f"its tokenizer does not have, or numbers otherwise, {n:,} of {len(listed):,} tokens of {name}"
            )
    return remarks


def _rule(tokenizer: "PreTrainedTokenizerFast", folder: Path) -> str:
    """How transformers makes tokens without tokenizer.json, in words; seen in what becomes of a letter."""
    backend = tokenizer.backend_tokenizer
    normal = "É" if backend.normalizer is None else backend.normalizer.normalize_str("É")
    letter = unicodedata.normalize("NFC", normal).strip("▁ ")
    first = "" if backend.pre_tokenizer is None else backend.pre_tokenizer.pre_tokenize_str(normal)[0][0]
    names = sorted(name for name in tokenizer.vocab_files_names.values() if (folder / name).is_file())
    parts = [
        "in small letters" if letter == letter.lower() else "with capitals",
        "without accents" if letter in "eE" else "with accents",
        "with a space before the first word" if first[:1] in ("▁", "Ġ") else "without a space before the first word",
    ]
    made_of = " and ".join(names)
    return (
        f"its tokens are those that {type(tokenizer).__name__} of transformers makes of {made_of}, as there is no "
        f"{folders.TOKENIZER}: {', '.join(parts)}"
    )


def read(folder: Path) -> Tokenizer | None:
    """The tokenizer in a folder, token for token as in transformers; None if its files do not say enough."""
    try:
        return _read(folder)
    except Exception:  # of any kind: the library raises nothing more specific, and transformers says what is wrong
        return None


def _read(folder: Path) -> Tokenizer | None:
    content = _json(folder / "tokenizer.json")
    file = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    config = _json(folder / "config.json")
    settings = _settings(folder)
    if settings is None or not settings.keys() <= _KNOWN_SETTINGS:
        return None
    named = settings.get("tokenizer_class") or config.get("tokenizer_class")
    chosen = _CLASSES.get(_class_name(config.get("model_type"), named))
    if chosen is None or any(settings.get(key, "named") is None for key in chosen.special):
        return None
    special = chosen.special | {key: _content(settings[key]) for key in _SPECIAL if settings.get(key) is not None}
    given = _Given(file, content, settings, special)
    if not _is_whole(given) or (chosen.parts and not _is_built_as(chosen.parts(given), given)):
        return None
    limit = settings.get("model_max_length", settings.get("max_len"))
    ids = {f"{key}_id": file.token_to_id(special[key]) if key in special else None for key in _SPECIAL}
    return Tokenizer(
        backend_tokenizer=file,
        model_max_length=int(1e30) if limit is None else limit,  # no limit, as transformers writes it
        **{key: ids[key] for key in ("bos_token_id", "eos_token_id", "unk_token_id", "pad_token_id", "mask_token_id")},
    )


def _json(file: Path) -> dict:
    content = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError(f"{file} is not a JSON object.")
    return content


def _settings(folder: Path) -> dict | None:
    """What a folder says about its tokenizer besides tokenizer.json; None if it is in an old format."""
    file = folder / "tokenizer_config.json"
    settings = _json(file) if file.exists() else {}
    if "added_tokens_decoder" in settings:
        return settings
    if (folder / "added_tokens.json").exists():
        return None
    file = folder / "special_tokens_map.json"
    return settings | (_json(file) if file.exists() else {})


def _class_name(model_type: str | None, named: str | None) -> str | None:
    """The class that transformers uses for a type of model. named: the class that its files name."""
    if model_type not in _CLASS_OF:
        return None
    usual = _CLASS_OF[model_type]
    named = usual if named is None or model_type in _OVERRULED else named.removesuffix("Fast")
    return _OTHER_NAMES.get(named, named)


class _Given(NamedTuple):
    """What is known about a tokenizer. file: from tokenizer.json. content: of that file. special: tokens by name."""

    file: tokenizers.Tokenizer
    content: dict
    settings: dict
    special: dict[str, str]


def _content(token: str | dict) -> str:
    return token if isinstance(token, str) else token["content"]


def _is_whole(given: _Given) -> bool:
    """Whether transformers would leave a file's added tokens, padding and what is put around a text unchanged."""
    added = {str(token["id"]): _with_flags(token) for token in given.content["added_tokens"]}
    others = given.settings.get("added_tokens_decoder")
    if others is not None and added != {number: _with_flags(token) for number, token in others.items()}:
        return False
    more = [given.settings.get(key) or [] for key in _MORE_SPECIAL]
    more = [_content(token) for tokens in more for token in (tokens.values() if isinstance(tokens, dict) else tokens)]
    marked = {token["content"] for token in added.values() if token["special"]}
    return (
        marked.issuperset([*given.special.values(), *more])
        and (given.file.padding is None or "pad_token" in given.special)  # otherwise its padding would define the token
        and given.file.post_processor is not None
    )


def _with_flags(token: dict) -> dict:
    """An added token without its number, and with the settings that a file may leave out."""
    special = token.get("special", False)
    left_out = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": not special, "special": special}
    return left_out | {key: value for key, value in token.items() if key != "id"}


# --- what the classes build ---


class _Parts(NamedTuple):
    """What a class builds around a vocabulary. model: its settings, without the vocabulary."""

    model: dict
    normalizer: normalizers.Normalizer | None
    pre_tokenizer: pre_tokenizers.PreTokenizer
    post_processor: processors.PostProcessor


@dataclass(frozen=True)
class _Class:
    """A class of tokenizers.

    special: its special tokens if none are named. parts: builds them from what is given; None if it builds nothing.
    """

    special: dict[str, str]
    parts: Callable[[_Given], _Parts] | None


def _is_built_as(parts: _Parts, given: _Given) -> bool:
    """Whether a file has the parts that a class would build around its vocabulary."""
    file, model = given.file, given.content["model"]
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        vocabulary = {token: number for number, (token, _) in enumerate(vocabulary)}
    model = {key: value for key, value in model.items() if key not in ("vocab", "merges")}
    return (
        _MODEL_DEFAULTS.get(model.get("type"), {}) | model == parts.model
        # a class would renumber a token that is not in the vocabulary
        and all(vocabulary.get(token["content"]) == token["id"] for token in given.content["added_tokens"])
        and _state(file.normalizer) == _state(parts.normalizer)
        and _state(file.pre_tokenizer) == _state(parts.pre_tokenizer)
        and _of_one_text(file.post_processor) == _of_one_text(parts.post_processor)
    )


def _state(part: object) -> dict | None:
    return None if part is None else json.loads(part.__getstate__())


def _of_one_text(post_processor: processors.PostProcessor) -> dict:
    """A post-processor without what it does to pairs of texts, which are left to transformers."""
    return {key: value for key, value in _state(post_processor).items() if key != "pair"}


def _word_piece(given: _Given) -> _Parts:
    return _Parts(
        model={
            "type": "WordPiece",
            "unk_token": given.special["unk_token"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        },
        normalizer=normalizers.BertNormalizer(
            clean_text=True,
            handle_chinese_chars=given.settings.get("tokenize_chinese_chars", True),
            strip_accents=given.settings.get("strip_accents"),
            lowercase=given.settings.get("do_lower_case", True),
        ),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        post_processor=_between(given, "cls_token", "sep_token"),
    )


def _byte_level(given: _Given) -> _Parts:
    """As in GPT-2: what is put around a text is what the file says."""
    model = {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, **_MODEL_DEFAULTS["BPE"]}
    return _Parts(
        model=model | {"continuing_subword_prefix": "", "end_of_word_suffix": ""},
        normalizer=None,
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=given.settings.get("add_prefix_space", False)),
        post_processor=given.file.post_processor,
    )


def _byte_level_between_marks(given: _Given) -> _Parts:
    """As in RoBERTa."""
    marks = [given.special[key] for key in ("sep_token", "cls_token")]
    around = processors.RobertaProcessing(
        *((mark, given.file.token_to_id(mark)) for mark in marks),
        trim_offsets=given.settings.get("trim_offsets", True),
        add_prefix_space=given.settings.get("add_prefix_space", False),
    )
    return _byte_level(given)._replace(post_processor=around)


def _unigram_of_albert(given: _Given) -> _Parts:
    steps = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
    if not given.settings.get("keep_accents", False):
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if given.settings.get("do_lower_case", True):
        steps.append(normalizers.Lowercase())
    steps += _tables(given)
    return _unigram(given, 1, normalizers.Sequence(steps), given.file.post_processor)


def _unigram_of_xlm_roberta(given: _Given) -> _Parts:
    normalizer = next(iter(_tables(given)), None)
    return _unigram(given, 3, normalizer, _between(given, "bos_token", "eos_token"))


def _unigram(
    given: _Given, unknown: int, normalizer: normalizers.Normalizer | None, post_processor: processors.PostProcessor
) -> _Parts:
    scheme = "always" if given.settings.get("add_prefix_space", True) else "never"
    return _Parts(
        model={"type": "Unigram", "unk_id": unknown, **_MODEL_DEFAULTS["Unigram"]},
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme)]
        ),
        post_processor=post_processor,
    )


def _tables(given: _Given) -> list[normalizers.Normalizer]:
    """The first character table in a file's normalizer, if it has one."""
    normalizer = given.content["normalizer"] or {}
    steps = normalizer.get("normalizers", [normalizer])
    tables = [step["precompiled_charsmap"] for step in steps if step.get("type") == "Precompiled"]
    return [normalizers.Precompiled(base64.b64decode(table)) for table in tables[:1]]


def _between(given: _Given, first: str, last: str) -> processors.PostProcessor:
    """A special token before a text, and one after it."""
    first, last = given.special[first], given.special[last]
    return processors.TemplateProcessing(
        single=f"{first}:0 $A:0 {last}:0",
        pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
        special_tokens=[(token, given.file.token_to_id(token)) for token in (first, last)],
    )


_MARKS = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"}
_MARKS |= {"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}
_OF_BERT = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
_OF_BERT |= {"mask_token": "[MASK]"}
_OF_ALBERT = _OF_BERT | {"bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "<unk>", "pad_token": "<pad>"}
_OF_GPT2 = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
_CLASSES = {
    _AS_IT_IS: _Class({}, None),
    "AlbertTokenizer": _Class(_OF_ALBERT, _unigram_of_albert),
    "BertTokenizer": _Class(_OF_BERT, _word_piece),
    "GPT2Tokenizer": _Class(_OF_GPT2, _byte_level),
    "RobertaTokenizer": _Class(_MARKS, _byte_level_between_marks),
    "XLMRobertaTokenizer": _Class(_MARKS, _unigram_of_xlm_roberta),
}
