"""Small random twins of models that people have: their architecture, and a tokenizer with the contract of the real one,
that is its normaliser, how it cuts a text before it merges, and what it puts around a text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import transformers
from tests.conftest import TEXT
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from herbarium.training import untrained

SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
SIZES |= {"max_position_embeddings": 128}
GROUPED = SIZES | {"num_key_value_heads": 1, "head_dim": 16}
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN = _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


class Twin(NamedTuple):
    """kind, architecture: what it is. tokenizer: makes it. start: the token that the first of a sentence is predicted
    from; None for a masked model. sizes: of its configuration."""

    kind: str
    architecture: str
    tokenizer: Callable
    start: str | None
    sizes: dict = SIZES


def _byte_level(special, cut=None, normalizer=None, before=(), after=(), whole_words=False, **names):
    """cut: what comes before bytes; None: as GPT-2 does it. before, after: what is put around a text."""
    made = Tokenizer(models.BPE(ignore_merges=whole_words))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not isinstance(cut, pre_tokenizers.Split))
    made.pre_tokenizer = pre_tokenizers.Sequence([cut, byte_level]) if cut else byte_level
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _trained(made, special, normalizer, before, after, names, initial_alphabet=alphabet, vocab_size=340)


def _sentence_piece(special, normalizer, cut=None, before=(), after=(), **names):
    """Spaces are marked, and what has no token becomes bytes."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    if cut:
        made.pre_tokenizer = cut
    marks = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence(marks)
    return _trained(made, [*special, *_BYTES], normalizer, before, after, names, vocab_size=400, max_token_length=8)


def _trained(made, special, normalizer, before, after, names, **settings):
    if normalizer:
        made.normalizer = normalizer
    made.train_from_iterator(TEXT * 3, trainers.BpeTrainer(special_tokens=special, show_progress=False, **settings))
    content = json.loads(made.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] not in _BYTES]
    made = Tokenizer.from_str(json.dumps(content))
    if before or after:
        template = " ".join([*(f"{token}:0" for token in before), "$A:0", *(f"{token}:0" for token in after)])
        around = [(token, made.token_to_id(token)) for token in {*before, *after}]
        made.post_processor = processors.TemplateProcessing(single=template, special_tokens=around)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def _split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def modernbert():
    mask = AddedToken("[MASK]", lstrip=True, special=True, normalized=False)
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]"]
    names = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    around = {"before": ["[CLS]"], "after": ["[SEP]"]}
    return _byte_level([*special, mask], None, normalizers.NFC(), **around, **names, mask_token=mask)


_OF_GEMMA = {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"}


def _gemma(after=(), **names):
    cut = pre_tokenizers.Split(" ", "merged_with_previous")
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    return _sentence_piece(special, normalizers.Replace(" ", "▁"), cut, ["<bos>"], after, **_OF_GEMMA, **names)


def mmbert():
    return _gemma(["<eos>"], mask_token="<mask>", cls_token="<bos>", sep_token="<eos>")


def qwen3():
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    names = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    return _byte_level(special, _split(QWEN), normalizers.NFC(), **names)


def llama3():
    special, first = ["<|begin_of_text|>", "<|end_of_text|>"], {"before": ["<|begin_of_text|>"]}
    names = {"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}
    return _byte_level(special, _split(_LLAMA3), whole_words=True, **first, **names)


def smollm():
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    names = dict.fromkeys(["bos_token", "eos_token", "unk_token"], "<|endoftext|>")
    return _byte_level(special, pre_tokenizers.Digits(individual_digits=True), **names)


def olmo2():
    names = dict.fromkeys(["bos_token", "eos_token", "unk_token"], "<|endoftext|>")
    return _byte_level(["<|endoftext|>", "<|pad|>"], _split(_LLAMA3), **names, pad_token="<|pad|>")


def mistral():
    marked = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return _sentence_piece(["<unk>", "<s>", "</s>"], marked, before=["<s>"], **names)


def phi():
    return _byte_level(["<|endoftext|>"], **dict.fromkeys(["bos_token", "eos_token", "unk_token"], "<|endoftext|>"))


def gpt_neox():
    names = dict.fromkeys(["bos_token", "eos_token", "unk_token"], "<|endoftext|>")
    return _byte_level(["<|endoftext|>", "<|padding|>"], None, normalizers.NFC(), **names)


_LOCAL = {"local_attention": 8, "global_attn_every_n_layers": 2}
# By the names of docs/families.md.
TWINS = {
    "ModernBERT": Twin("masked", "ModernBertForMaskedLM", modernbert, None, SIZES | _LOCAL),
    "mmBERT": Twin("masked", "ModernBertForMaskedLM", mmbert, None, SIZES | _LOCAL),
    "Gemma 3": Twin("causal", "Gemma3ForCausalLM", _gemma, "<bos>", GROUPED | {"sliding_window": 8}),
    "Qwen 3": Twin("causal", "Qwen3ForCausalLM", qwen3, "<|endoftext|>", GROUPED),
    "Llama 3": Twin("causal", "LlamaForCausalLM", llama3, "<|begin_of_text|>", GROUPED),
    "SmolLM2": Twin("causal", "LlamaForCausalLM", smollm, "<|endoftext|>", GROUPED | {"tie_word_embeddings": True}),
    "OLMo 2": Twin("causal", "Olmo2ForCausalLM", olmo2, "<|endoftext|>", SIZES),
    "Mistral": Twin("causal", "MistralForCausalLM", mistral, "<s>", GROUPED | {"sliding_window": 8}),
    "Phi 2": Twin("causal", "PhiForCausalLM", phi, "<|endoftext|>", SIZES),
    "GPT-NeoX, Pythia": Twin("causal", "GPTNeoXForCausalLM", gpt_neox, "<|endoftext|>", SIZES),
}


def write(folder: Path, name: str):
    """Write a twin to a folder, and return its tokenizer."""
    twin = TWINS[name]
    tokenizer = twin.tokenizer()
    tokenizer.save_pretrained(folder)
    marks = {
        key: getattr(tokenizer, key)
        for key in ("bos_token_id", "eos_token_id", "pad_token_id", "cls_token_id", "sep_token_id")
    }
    marks = {key: number for key, number in marks.items() if number is not None or key == "pad_token_id"}
    untrained.model(twin.architecture, twin.sizes | marks, len(tokenizer), 0, name).save_pretrained(folder)
    return tokenizer
