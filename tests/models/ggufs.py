"""Small GGUF files: random models and their tokenizers, written as llama.cpp's converter writes real ones."""

import copy
import json
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEXTS = ["People in Peru are weak, and 12 people in Nepal are wise.", "They said “é”; a word, 12 words."] * 4
_TENSORS = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
_OF_LAYERS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
}
_NORMS = {
    "llama": {"post_attention_layernorm": "ffn_norm"},
    "gemma3": {
        "post_attention_layernorm": "post_attention_norm",
        "pre_feedforward_layernorm": "ffn_norm",
        "post_feedforward_layernorm": "post_ffw_norm",
    },
}
_SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2}


def byte_level() -> PreTrainedTokenizerFast:
    """As Llama 3's, GPT-2's and their like: no mark is put before a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>")


def sentence_piece() -> PreTrainedTokenizerFast:
    """As Llama 2's and Gemma's: a space and <s> before a text, and bytes for what has no token."""
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=340, special_tokens=marks))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = None
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def llama(n_words: int, **settings) -> LlamaForCausalLM:
    torch.manual_seed(0)
    sizes = _SIZES | {"num_hidden_layers": 2, "max_position_embeddings": 128, "vocab_size": n_words}
    return LlamaForCausalLM(LlamaConfig(**sizes, **settings)).eval()


def gemma(n_words: int, **settings) -> Gemma3ForCausalLM:
    torch.manual_seed(0)
    sizes = _SIZES | {"num_hidden_layers": 7, "head_dim": 16, "max_position_embeddings": 128, "vocab_size": n_words}
    model = Gemma3ForCausalLM(Gemma3TextConfig(**sizes, sliding_window=8, query_pre_attn_scalar=256, **settings))
    for name, parameter in model.named_parameters():
        if "norm" in name:  # zero in a model that has not been trained
            torch.nn.init.normal_(parameter, std=0.1)
    return model.eval()


def write(
    file: Path, model, tokenizer: PreTrainedTokenizerFast, kind: Type = Type.F32, split: str = "gpt-2", **values
) -> torch.nn.Module:
    """Write a model and its tokenizer, and return the model with the numbers that are in the file.

    kind: of matrices; vectors stay float32. split: of a byte-level tokenizer. values: further ones of the header, by
    key, with _ for a point; None: without it.
    """
    architecture = "gemma3" if isinstance(model, Gemma3ForCausalLM) else "llama"
    writer = gguf.GGUFWriter(file, architecture)
    written = {**_of_model(model.config, architecture), **_of_tokenizer(tokenizer, split), **values}
    for key, value in written.items():
        if value is not None:
            _add(writer, key, value)
    rounded = copy.deepcopy(model)
    parameters = dict(rounded.named_parameters())
    with torch.no_grad():
        for name, parameter in parameters.items():
            array, shift = parameter.numpy(), float(architecture == "gemma3" and "norm" in name)
            of_file = _permuted(array, name, model.config) if architecture == "llama" else array + np.float32(shift)
            stored = Type.F32 if array.ndim == 1 else kind
            data = gguf.quants.quantize(of_file, stored)
            writer.add_tensor(_name(name, architecture), data, raw_dtype=stored)
            now = gguf.quants.dequantize(data, stored) - np.float32(shift)
            parameter.copy_(torch.from_numpy(_permuted(now, name, model.config, back=True)))
    if rope := _rope_factors(model, architecture):
        writer.add_tensor("rope_freqs.weight", np.array(rope, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return rounded


def _add(writer: gguf.GGUFWriter, key: str, value) -> None:
    adds = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
    adds.get(type(value), writer.add_array)(key, value)


def _of_model(config, architecture: str) -> dict:
    values = {
        "context_length": config.max_position_embeddings,
        "block_count": config.num_hidden_layers,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.freq_base": float((config.rope_parameters.get("full_attention") or config.rope_parameters)["rope_theta"]),
    }
    if architecture == "gemma3":
        values |= {"attention.key_length": config.head_dim, "attention.sliding_window": config.sliding_window}
    return {f"{architecture}.{key}": value for key, value in values.items()} | {"general.name": "twin"}


def _of_tokenizer(tokenizer: PreTrainedTokenizerFast, split: str) -> dict:
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


def _name(name: str, architecture: str) -> str:
    if name in _TENSORS:
        return _TENSORS[name]
    _, _, layer, part = name.split(".", 3)
    module, _, ending = part.rpartition(".")
    return f"blk.{layer}.{(_OF_LAYERS | _NORMS[architecture])[module]}.{ending}"


def _permuted(array: np.ndarray, name: str, config, back: bool = False) -> np.ndarray:
    """llama.cpp turns pairs of neighbours where transformers turns halves."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    n = next((n for part, n in heads.items() if part in name), None)
    if n is None or config.model_type != "llama":
        return array
    half = array.shape[0] // n // 2
    sides = (n, half, 2) if back else (n, 2, half)
    return np.ascontiguousarray(array.reshape(*sides, -1).swapaxes(1, 2).reshape(array.shape))


def _rope_factors(model, architecture: str) -> list[float] | None:
    """By how much each frequency is divided, if it is."""
    if architecture != "llama" or model.config.rope_parameters["rope_type"] != "llama3":
        return None
    plain = {"rope_type": "default", "rope_theta": model.config.rope_parameters["rope_theta"]}
    unscaled = LlamaForCausalLM(LlamaConfig(**(model.config.to_dict() | {"rope_parameters": plain})))
    return (unscaled.model.rotary_emb.inv_freq / model.model.rotary_emb.inv_freq).tolist()
