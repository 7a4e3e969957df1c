"""Small GGUF files: random models and their tokenizers, written as llama.cpp's converter writes real ones."""

import copy
import json
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Type
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = ["People in Peru are weak, and 12 people in Nepal are wise.", "They said “é”; a word, 12 words."] * 4
# By transformers' names of families; those that llama.cpp has another name for, or another layout.
_ARCHITECTURES = {"mistral": "llama", "gemma3_text": "gemma3"}
_NORMS_FROM_1 = ("gemma2", "gemma3")
_IN_OUT = ("c_attn.weight", "c_proj.weight", "c_fc.weight")  # of GPT-2, whose matrices are (inputs, outputs)
_SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2}


def byte_level(pattern: str | None = None):
    """As Llama 3's, GPT-2's and their like: no mark is put before a text. pattern: of what comes before bytes; None:
    GPT-2's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    if pattern:
        cut = pre_tokenizers.Split(Regex(pattern), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, tokenizer.pre_tokenizer])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )


def sentence_piece():
    """As Llama 2's and Gemma's: a space and <s> before a text, and bytes for what has no token."""
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=340, special_tokens=marks))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = None
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def llama(n_words: int, **settings):
    torch.manual_seed(0)
    sizes = _SIZES | {"num_hidden_layers": 2, "max_position_embeddings": 128, "vocab_size": n_words}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **settings)).eval()


def gemma(n_words: int, **settings):
    torch.manual_seed(0)
    sizes = _SIZES | {"num_hidden_layers": 7, "head_dim": 16, "max_position_embeddings": 128, "vocab_size": n_words}
    model = transformers.Gemma3ForCausalLM(
        transformers.Gemma3TextConfig(**sizes, sliding_window=8, query_pre_attn_scalar=256, **settings)
    )
    for name, parameter in model.named_parameters():
        if "norm" in name:  # zero in a model that has not been trained
            torch.nn.init.normal_(parameter, std=0.1)
    return model.eval()


def other(family: str, n_words: int, **settings):
    """A causal model of another family, by transformers' name of it, with random vectors, too."""
    torch.manual_seed(0)
    marks = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), 0)
    sizes = _SIZES | {"num_hidden_layers": 2, "max_position_embeddings": 128, "vocab_size": n_words}
    model = transformers.AutoModelForCausalLM.from_config(
        transformers.AutoConfig.for_model(family, **sizes | marks | settings)
    ).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape)
    return model


def write(
    file: Path,
    model,
    tokenizer,
    kind: Type = Type.F32,
    split: str = "gpt-2",
    **values,
):
    """Write a model and its tokenizer, and return the model with the numbers that are in the file.

    kind: of matrices; vectors stay float32. split: of a byte-level tokenizer. values: further ones of the header, by
    key, with _ for a point; None: without it.
    """
    architecture = _architecture(model.config)
    writer = gguf.GGUFWriter(file, architecture)
    written = {**_of_model(model.config, architecture), **_of_tokenizer(tokenizer, split), **values}
    for key, value in written.items():
        if value is not None:
            _add(writer, key, value)
    rounded = copy.deepcopy(model)
    (number,) = (arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(number, model.config.num_hidden_layers)
    with torch.no_grad():
        for name, parameter in rounded.named_parameters():
            of_file = _laid_out(parameter.numpy(), name, model.config)
            stored = Type.F32 if of_file.ndim == 1 else kind
            data = gguf.quants.quantize(of_file, stored)
            writer.add_tensor(names.get_name(name, (".weight", ".bias")) or name, data, raw_dtype=stored)
            parameter.copy_(torch.from_numpy(_laid_out(gguf.quants.dequantize(data, stored), name, model.config, True)))
    if rope := _rope_factors(model, architecture):
        writer.add_tensor("rope_freqs.weight", np.array(rope, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return rounded


def _architecture(config) -> str:
    return _ARCHITECTURES.get(config.model_type, config.model_type)


def _add(writer: gguf.GGUFWriter, key: str, value) -> None:
    adds = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
    adds.get(type(value), writer.add_array)(key, value)


# Keys of the header, and what transformers calls their values; those that a family does not have are left out.
_KEYS = {
    "context_length": ("max_position_embeddings",),
    "block_count": ("num_hidden_layers",),
    "embedding_length": ("hidden_size",),
    "feed_forward_length": ("intermediate_size", "n_inner"),
    "attention.head_count": ("num_attention_heads",),
    "attention.head_count_kv": ("num_key_value_heads",),
    "attention.key_length": ("head_dim",),
    "attention.sliding_window": ("sliding_window",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.layer_norm_epsilon": ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"),
    "attn_logit_softcapping": ("attn_logit_softcapping",),
    "final_logit_softcapping": ("final_logit_softcapping",),
    "use_parallel_residual": ("use_parallel_residual",),
}


def _of_model(config, architecture: str) -> dict:
    values = {
        key: next((value for name in names if (value := getattr(config, name, None)) is not None), None)
        for key, names in _KEYS.items()
    }
    if rotary := getattr(config, "rope_parameters", None):
        rotary = rotary.get("full_attention") or rotary
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        values["rope.freq_base"] = float(rotary["rope_theta"])
        values["rope.dimension_count"] = int(size * rotary.get("partial_rotary_factor", 1))
    return {f"{architecture}.{key}": value for key, value in values.items()} | {"general.name": "twin"}


def _of_tokenizer(tokenizer, split: str) -> dict:
    vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    special = set(tokenizer.all_special_tokens)
    values = {
        "tokens": vocabulary,
        "token_type": [6 if word.startswith("<0x") else 3 if word in special else 1 for word in vocabulary],
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    if tokenizer.unk_token is None:
        merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
        values |= {"model": "gpt2", "pre": split, "merges": [" ".join(pair) for pair in merges]}
    else:
        scores = [-float(number) for number in range(len(vocabulary))]  # a merge comes before those that it is part of
        values |= {"model": "llama", "scores": scores, "unknown_token_id": tokenizer.unk_token_id}
    return {f"tokenizer.ggml.{key}": value for key, value in values.items()}


def _laid_out(array: np.ndarray, name: str, config, back: bool = False) -> np.ndarray:
    """The numbers of a tensor as a file has them, or as the model has those of a file. llama.cpp turns pairs of
    neighbours where transformers turns halves."""
    architecture = _architecture(config)
    if architecture in _NORMS_FROM_1 and "norm" in name:
        return array + np.float32(-1 if back else 1)
    if architecture == "gpt2" and name.endswith(_IN_OUT):
        return np.ascontiguousarray(array.T)
    heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"} if architecture == "llama" else {}
    n = next((getattr(config, key) for part, key in heads.items() if part in name), None)
    if n is None:
        return array
    half = array.shape[0] // n // 2
    sides = (n, half, 2) if back else (n, 2, half)
    return np.ascontiguousarray(array.reshape(*sides, -1).swapaxes(1, 2).reshape(array.shape))


def _rope_factors(model, architecture: str) -> list[float] | None:
    """By how much each frequency is divided, if it is."""
    if architecture != "llama" or model.config.rope_parameters["rope_type"] != "llama3":
        return None
    plain = {"rope_type": "default", "rope_theta": model.config.rope_parameters["rope_theta"]}
    unscaled = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**(model.config.to_dict() | {"rope_parameters": plain}))
    )
    return (unscaled.model.rotary_emb.inv_freq / model.model.rotary_emb.inv_freq).tolist()
