"""Weights in another format than safetensors: read once, and kept as a folder like any other.

From `pytorch_model.bin` only tensors are read. From a GGUF file transformers makes configuration, weights and
tokenizer: all is dequantised to float32. What it would read wrongly is set here, or refused.
"""

import pickle
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from herbarium.core.errors import HerbariumError
from herbarium.models import folders, gguf, loading, saving
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

# Models of 27 billion parameters, by architecture and number of layers: unlike smaller ones, they divide attention by
# the root of the embedding's share of a head.
_LARGE_GEMMA = {("gemma2", 46), ("gemma3", 62)}
# What configurations call the number of `gguf.EPSILONS`.
_EPSILONS = ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon")
# Types of tokens in a GGUF file whose spelling is that of the tokenizer.
_SPELLED = (1, 3)
# On which tokenizers differ that cut texts in different ways. All are composed (NFC), as some classes compose a text
# first, which a file cannot say.
_TEXTS = ("A word, 12 words; “é”.", "It's 2,048 we'LL\n\n  #@!\tx_y", "日本語, 1234567 مرحبا")


def keep_as_safetensors(
    source: Path,
    file: str,
    target: Path,
    kind: Kind,
    name: str,
    unused: Collection[str] = (),
    choice: str | None = None,
) -> dict[str, Any]:
    """Write the model in a file of a folder to an empty folder, as safetensors with configuration and tokenizer.

    file: `pytorch_model.bin`, or a GGUF file. unused, choice: as in `loading.require_used` and `load_tokenizer`.
    Returns what the record of what is written has beside its files. Raises HerbariumError if the file cannot be read as
    a model of this kind.
    """
    if gguf.is_named(file):
        return {"gguf": _dequantise(source / file, target, name)}
    _keep_bin(source, target, kind, name, unused, choice)
    return {}


def _keep_bin(source: Path, target: Path, kind: Kind, name: str, unused: Collection[str], choice: str | None) -> None:
    says = f"models.{name}"
    if not (source / folders.BIN).is_file():
        raise HerbariumError(f"{says}: `{loading.CONVERT}` is set, but {source} has no {folders.BIN}; remove the key.")
    auto = loading.auto_classes(Kind(kind))[0]
    try:
        model, _, left = loading.weights(auto, source, loading.configuration(source, says), "auto", says, from_bin=True)
    except HerbariumError as error:
        if isinstance(error.__cause__, pickle.UnpicklingError):
            raise HerbariumError(
                f"{says}: {source / folders.BIN} holds more than weights, so it is not read."
            ) from error
        raise
    loading.require_used(left, unused, source, says)
    saving.save(target, model, loading.load_tokenizer(source, name, choice))


# --- GGUF ---


def _dequantise(file: Path, target: Path, name: str) -> dict[str, Any]:
    """Write the model of a GGUF file in float32, and describe the file (`gguf.describe`)."""
    says = f"models.{name}"
    header = gguf.check(file, says)
    with loading.told_by(f"{says}: transformers cannot read the GGUF file {file}"):
        model, tokenizer = _model(file, header, name), _tokenizer(file, header)
    saving.save(target, model, tokenizer)
    _check_tokenizer(loading.load_tokenizer(target, name), tokenizer, file, header, says)
    return gguf.describe(file)


def _model(file: Path, header: gguf.Header, name: str) -> "PreTrainedModel":
    """The model, with all of its weights, none of them left over."""
    from transformers import AutoConfig, AutoModelForCausalLM, GgufConfig
    from transformers.utils import logging

    logging.disable_progress_bar()
    where = {"gguf_file": file.name, "trust_remote_code": False, "local_files_only": True}
    config = AutoConfig.from_pretrained(file.parent, **where)
    _complete(config, header, file)
    model, report = AutoModelForCausalLM.from_pretrained(
        file.parent,
        config=config,
        attn_implementation=None,  # transformers' choice for the family, as in `loading.weights`
        dtype="float32",
        quantization_config=GgufConfig(dequantize=True),
        output_loading_info=True,
        **where,
    )
    parameters = dict(model.named_parameters())
    loading.require_whole(list(parameters.keys() & report["missing_keys"]), file, Kind.causal, name)
    n_read = sum(parameter.numel() for parameter in parameters.values())
    if n_read != header.n_numbers:
        raise HerbariumError(
            f"models.{name}: the weights of the GGUF file {file} are {header.n_numbers:,} numbers, and the model that "
            f"transformers makes of it has {n_read:,}: it would be another model. Use the one that it was made from."
        )
    return model


def _complete(config: "PreTrainedConfig", header: gguf.Header, file: Path) -> None:
    """Set what the file says and transformers leaves out: numbers under a name that it does not read, scaled positions,
    and how a large Gemma divides attention."""
    epsilon = next(value for key in gguf.EPSILONS if (value := header.of_model(key)) is not None)
    for key in _EPSILONS:
        if hasattr(config, key):
            setattr(config, key, epsilon)
    rotary = getattr(config, "rope_parameters", None) or {}
    rotary = rotary.get("full_attention", rotary)
    if rotary and header.of_model(gguf.BASE) is not None:
        rotary["rope_theta"] = header.of_model(gguf.BASE)
    if header.of_model("rope.scaling.type") == "linear" and (factor := header.of_model("rope.scaling.factor")):
        rotary |= {"rope_type": "linear", "factor": factor}
    if factors := header.tensors.get(gguf.ROPE_FACTORS):
        values = np.fromfile(file, "<f4", factors.shape[0], offset=factors.start).tolist()
        # this type divides each frequency by a factor of its own, which is all that the file says
        rotary |= {"rope_type": "longrope", "short_factor": values, "long_factor": values, "attention_factor": 1.0}
        rotary |= {"original_max_position_embeddings": config.max_position_embeddings, "factor": 1.0}
    if (header.architecture, header.of_model("block_count")) in _LARGE_GEMMA:
        config.query_pre_attn_scalar = config.hidden_size // config.num_attention_heads


def _tokenizer(file: Path, header: gguf.Header) -> "PreTrainedTokenizerFast":
    """The tokenizer, as it is: a class that transformers has for a model could change it when it is read again."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    made = AutoTokenizer.from_pretrained(
        file.parent, gguf_file=file.name, trust_remote_code=False, local_files_only=True
    )
    backend, split = made.backend_tokenizer, header.values.get("tokenizer.ggml.pre")
    if header.values.get("tokenizer.ggml.model") == "gpt2":
        if split not in gguf.OTHER_SPLITS:  # transformers would cut as the first model of the architecture does
            digits = [pre_tokenizers.Digits(individual_digits=True)] if split in gguf.DIGIT_SPLITS else []
            as_gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
            backend.pre_tokenizer = pre_tokenizers.Sequence([*digits, as_gpt2])
        backend.model.ignore_merges = split in gguf.WHOLE_WORDS
    special = {key: str(token) for key, token in made.special_tokens_map.items() if isinstance(token, str)}
    return PreTrainedTokenizerFast(tokenizer_object=backend, chat_template=made.chat_template, **special)


def _check_tokenizer(
    tokenizer: "PreTrainedTokenizerFast", made: "PreTrainedTokenizerFast", file: Path, header: gguf.Header, says: str
) -> None:
    """Raise HerbariumError if the tokenizer does not do what the file says of it: which number each token has, whether
    a text begins and ends with a mark, whether a space is put before it, and that a text can be had back; or not what
    it did when it was made.

    made: that one. transformers can read it again as one of a class that cuts texts in its own way."""
    from transformers.integrations.gguf import read_gguf_metadata

    said, _ = read_gguf_metadata(str(file), ("tokenizer.ggml.tokens",))
    value = header.values.get
    is_sentencepiece = value("tokenizer.ggml.model") == "llama"
    kinds = said.get("tokenizer.ggml.token_type") or [1] * len(said["tokenizer.ggml.tokens"])
    numbers = tokenizer.get_vocab()
    moved = [
        token
        for number, (token, kind) in enumerate(zip(said["tokenizer.ggml.tokens"], kinds, strict=True))
        if kind in _SPELLED and token.strip() and numbers.get(token) != number
    ]
    ids, plain = (tokenizer("a", add_special_tokens=marks)["input_ids"] for marks in (True, False))
    text = _TEXTS[0]
    faults = {
        f"{len(moved)} of its tokens have other numbers ({', '.join(map(repr, moved[:3]))})": bool(moved),
        "begins texts otherwise": (ids[0] == tokenizer.bos_token_id)
        != bool(value("tokenizer.ggml.add_bos_token", is_sentencepiece)),
        "ends texts otherwise": (ids[-1] == tokenizer.eos_token_id)
        != bool(value("tokenizer.ggml.add_eos_token", False)),
        "puts a space before a text, or leaves it out": is_sentencepiece
        and tokenizer.convert_ids_to_tokens(plain[0]).startswith("▁") != value("tokenizer.ggml.add_space_prefix", True),
        "cuts texts otherwise when it is read again": any(_ids(made, text) != _ids(tokenizer, text) for text in _TEXTS),
        "does not give a text back": tokenizer.unk_token_id not in (plain_text := _ids(tokenizer, text))
        and tokenizer.decode(plain_text).strip() != text,
    }
    if fault := next((fault for fault, is_so in faults.items() if is_so), None):
        raise HerbariumError(
            f"{says}: the tokenizer that transformers makes of the GGUF file {file} is not the one in the file: "
            f"{fault}. Use the model that it was made from."
        )


def _ids(tokenizer: "PreTrainedTokenizerFast", text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]
