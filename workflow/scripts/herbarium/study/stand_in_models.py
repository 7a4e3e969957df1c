"""Tiny models with random weights that take the place of those of the hub, of the same class and kind of tokenizer."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.models import folders, saving
from herbarium.models.kinds import Kind
from herbarium.training import untrained

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Of each model.
VOCABULARY, LONGEST = 4000, 512  # tokens
HIDDEN, INNER, HEADS = 16, 32, 2

_BERT = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 1,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "max_position_embeddings": LONGEST,
    # with more, attention on a CPU is computed differently, and training takes twice as long
    "attention_probs_dropout_prob": 0.0,
}
# The numbers of its special tokens; the first two positions are never used.
_ROBERTA = {**_BERT, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "max_position_embeddings": LONGEST + 2}
_DISTILBERT = {"dim": HIDDEN, "hidden_dim": INNER, "n_layers": 1, "n_heads": HEADS, "max_position_embeddings": LONGEST}
_BART = {
    "d_model": HIDDEN,
    "max_position_embeddings": LONGEST,
    **{f"{side}_layers": 1 for side in ("encoder", "decoder")},
    **{f"{side}_attention_heads": HEADS for side in ("encoder", "decoder")},
    **{f"{side}_ffn_dim": INNER for side in ("encoder", "decoder")},
}
_LLAMA = {**_BERT, "num_key_value_heads": 1, "bos_token_id": 0, "eos_token_id": 1}


class Family(NamedTuple):
    """A family of models: its class in transformers, the configuration of a stand-in, and its tokenizer."""

    architecture: str
    sizes: dict
    tokenizer: Callable[..., "PreTrainedTokenizerFast"]


# By the beginning of a model's name on the hub, after its organisation.
FAMILIES = {
    "xlm-roberta-": Family("XLMRobertaForMaskedLM", _ROBERTA, partial(untrained.unigram, of="XLMRobertaTokenizerFast")),
    "roberta-": Family("RobertaForMaskedLM", _ROBERTA, untrained.byte_level),
    "albert-": Family(
        "AlbertForMaskedLM",
        {**_BERT, "embedding_size": HIDDEN // 2},
        partial(untrained.unigram, of="AlbertTokenizerFast"),
    ),
    "distilbert-": Family("DistilBertForMaskedLM", _DISTILBERT, untrained.word_piece),
    "bert-": Family("BertForMaskedLM", _BERT, untrained.word_piece),
    "kcbert-": Family("BertForMaskedLM", _BERT, untrained.word_piece),
    "bart-": Family("BartForConditionalGeneration", _BART, untrained.byte_level),
    "llama-": Family("LlamaForCausalLM", _LLAMA, untrained.byte_level_of_llama),
}


def family(hub: str, kind: str) -> Family:
    """The family of a hub model. kind: of `models.kinds`. Raises HerbariumError for an unknown one."""
    name = hub.partition("/")[2].lower()
    for beginning, model_family in FAMILIES.items():
        if name.startswith(beginning):
            if kind == Kind.extractive:
                architecture = model_family.architecture.replace("ForMaskedLM", "ForQuestionAnswering")
                return model_family._replace(architecture=architecture)
            return model_family
    raise HerbariumError(
        f"{hub}: there is no stand-in for it; its name begins with none of {', '.join(FAMILIES)}. "
        "Add its family to FAMILIES in herbarium/study/stand_in_models.py."
    )


def make(name: str, hub: str, kind: str, path: Path, is_bin: bool, texts: list[str], seed: int) -> None:
    """Write a model and its tokenizer.

    name: of the model in the study. hub: the model that it stands in for. is_bin: whether its weights are those of
    PyTorch instead of safetensors. texts: what its tokenizer learns from.
    """
    model_family = family(hub, kind)
    cased = {"lowercase": "uncased" in hub} if model_family.tokenizer is untrained.word_piece else {}
    tokenizer = model_family.tokenizer(texts, VOCABULARY, LONGEST, **cased)
    model = untrained.model(model_family.architecture, model_family.sizes, len(tokenizer), seed, "stand_ins", name)
    with store.atomic_folder(path) as partial_folder:
        saving.save(partial_folder, model, tokenizer)
        if is_bin:
            import torch

            torch.save(model.state_dict(), partial_folder / folders.BIN)
            (partial_folder / "model.safetensors").unlink()
