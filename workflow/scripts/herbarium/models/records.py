"""The record of a model: what identifies its weights, so that every number can name them.

For the families in `FAMILIES`, which tests compare with what they do, it is read from the configuration and the headers
of the weights; nothing is loaded. Any other model is loaded once, and tried.
"""

import fnmatch
import math
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from herbarium.core.errors import HerbariumError, check_all
from herbarium.core.provenance import library_versions, value_hash
from herbarium.models import adapters, chats, folders, loading, prefixes, starts, tokenizer_files, trial
from herbarium.models.kinds import Kind


@dataclass(frozen=True)
class Family:
    """The names of a type of model in transformers, and the tensors that a language model of this type consists of."""

    heads: dict[Kind, str]  # kind -> class; the tensors below are those of the first
    trunk: tuple[str, ...]  # how the names of its tensors begin, except those of its head
    needed: tuple[str, ...]  # the tensors of its head
    body: str  # the tensors of its trunk, behind how they begin, with # for the number of a layer
    layers: dict[str, str]  # what precedes a layer's number -> key of the number of layers
    tied: dict[str, str]  # tensors that are copies of others if the configuration ties embeddings
    ties: bool = True  # whether they are tied if the configuration does not say
    positions: str | None = "max_position_embeddings"  # key of the longest input
    behind_padding: bool = False  # positions are numbered from after that of the padding token
    plain: dict[str, object] = field(default_factory=dict)  # what the configuration must say for all this to be true
    ignored: str = "$^"  # further tensors that are saved but not used

    @property
    def kind(self) -> Kind:
        """The kind of its language models; if there are several, the first."""
        return next(iter(self.heads))

    def is_whole_without_head(self, config: dict) -> bool:
        """Whether the trunk on its own is a language model of its kind: its head is the word embedding matrix."""
        return not self.needed and config.get("tie_word_embeddings", self.ties) is True


# Names of tensors, without ".weight" and ".bias".
_BERT_LAYER = (
    r"attention\.(self\.(query|key|value)|output\.(dense|LayerNorm))|intermediate\.dense|output\.(dense|LayerNorm)"
)
_BERT = rf"embeddings\.(LayerNorm|(word|position|token_type)_embeddings)|encoder\.layer\.#\.({_BERT_LAYER})"
_LLAMA = (
    r"embed_tokens\.weight|norm\.weight|layers\.#\.((input|post_attention)_layernorm|mlp\.(gate|up|down)_proj"
    r"|self_attn\.[qkvo]_proj)\.weight"
)
_BART_SIDE = r"layers\.#\.((self|encoder)_attn(\.(k|v|q|out)_proj|_layer_norm)|fc[12]|final_layer_norm)"
_T5_LAYER = (
    r"SelfAttention\.([kovq]|relative_attention_bias)|EncDecAttention\.[kovq]|DenseReluDense\.w(i|i_0|i_1|o)|layer_norm"
)
_EITHER = r"\.(weight|bias)"


def _bert_like(
    trunk: str, head: str, parts: tuple[str, ...], layers: dict | None = None, body: str = _BERT, **others
) -> Family:
    """An encoder whose head, after `parts`, has its own bias and the word embeddings as weights."""
    return Family(
        trunk=(f"{trunk}.",),
        body=f"({body}){_EITHER}",
        layers=layers or {f"{trunk}.encoder.layer.": "num_hidden_layers"},
        needed=(f"{head}.bias", *(f"{head}.{part}.{what}" for part in parts for what in ("weight", "bias"))),
        tied={
            f"{head}.decoder.weight": f"{trunk}.embeddings.word_embeddings.weight",
            f"{head}.decoder.bias": f"{head}.bias",
        },
        **others,
    )


def _decoder(family: str, model_class: str, words: str, body: str, layers: dict[str, str], **others) -> Family:
    """A decoder whose head is a word embedding matrix."""
    trunk, tied = f"{words.partition('.')[0]}.", {"lm_head.weight": f"{words}.weight"}
    heads = {Kind.causal: model_class, Kind.extractive: f"{family}ForQuestionAnswering"}
    return Family(heads, (trunk,), (), body, layers, tied, **others)


_OF_BERT = ("transform.dense", "transform.LayerNorm")
_OF_ROBERTA = ("dense", "layer_norm")
_OF_LLAMA = {"model.layers.": "num_hidden_layers"}
FAMILIES = {
    "albert": _bert_like(
        "albert",
        "predictions",
        ("dense", "LayerNorm"),
        {"albert.encoder.albert_layer_groups.": "num_hidden_groups"},
        r"embeddings\.(LayerNorm|(word|position|token_type)_embeddings)|encoder\.(embedding_hidden_mapping_in|"
        r"albert_layer_groups\.#\.albert_layers\.#\.(attention\.(LayerNorm|dense|key|query|value)|ffn|ffn_output|"
        r"full_layer_layer_norm))",
        heads={Kind.masked: "AlbertForMaskedLM", Kind.extractive: "AlbertForQuestionAnswering"},
    ),
    "bart": Family(
        heads={Kind.seq2seq: "BartForConditionalGeneration", Kind.extractive: "BartForQuestionAnswering"},
        trunk=("model.",),
        needed=(),
        body=rf"shared\.weight|(encoder|decoder)\.(embed_(tokens|positions)|layernorm_embedding|{_BART_SIDE}){_EITHER}",
        layers={f"model.{side}.layers.": f"{side}_layers" for side in ("encoder", "decoder")},
        tied={
            f"{copy}.weight": "model.shared.weight"
            for copy in ("lm_head", "model.encoder.embed_tokens", "model.decoder.embed_tokens")
        },
        ignored="^final_logits_bias$",  # a buffer of zeros
    ),
    "bert": _bert_like(
        "bert",
        "cls.predictions",
        _OF_BERT,
        heads={
            Kind.masked: "BertForMaskedLM",
            Kind.causal: "BertLMHeadModel",
            Kind.extractive: "BertForQuestionAnswering",
        },
    ),
    "camembert": _bert_like(
        "roberta",
        "lm_head",
        _OF_ROBERTA,
        heads={
            Kind.masked: "CamembertForMaskedLM",
            Kind.causal: "CamembertForCausalLM",
            Kind.extractive: "CamembertForQuestionAnswering",
        },
        behind_padding=True,
    ),
    "deberta-v2": _bert_like(
        "deberta",
        "cls.predictions",
        _OF_BERT,
        body=_BERT.replace("(query|key|value)", "(query|key|value|pos_key|pos_query)_proj").replace("|position|", "|")
        + r"|encoder\.(rel_embeddings|LayerNorm)",
        heads={Kind.masked: "DebertaV2ForMaskedLM", Kind.extractive: "DebertaV2ForQuestionAnswering"},
        plain={"legacy": True, "position_biased_input": False},
    ),
    "distilbert": Family(
        heads={Kind.masked: "DistilBertForMaskedLM", Kind.extractive: "DistilBertForQuestionAnswering"},
        trunk=("distilbert.",),
        needed=(
            *("vocab_transform.weight", "vocab_transform.bias", "vocab_projector.bias"),
            *("vocab_layer_norm.weight", "vocab_layer_norm.bias"),
        ),
        body=rf"(embeddings\.(LayerNorm|(word|position)_embeddings)|transformer\.layer\.#\.(attention\.(k|out|q|v)_lin|"
        rf"ffn\.lin[12]|output_layer_norm|sa_layer_norm)){_EITHER}",
        layers={"distilbert.transformer.layer.": "n_layers"},
        tied={"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"},
    ),
    "electra": Family(
        heads={
            Kind.masked: "ElectraForMaskedLM",
            Kind.causal: "ElectraForCausalLM",
            Kind.extractive: "ElectraForQuestionAnswering",
        },
        trunk=("electra.",),
        body=rf"({_BERT}|embeddings_project){_EITHER}",
        needed=(
            *("generator_predictions.dense.weight", "generator_predictions.dense.bias", "generator_lm_head.bias"),
            *("generator_predictions.LayerNorm.weight", "generator_predictions.LayerNorm.bias"),
        ),
        layers={"electra.encoder.layer.": "num_hidden_layers"},
        tied={"generator_lm_head.weight": "electra.embeddings.word_embeddings.weight"},
    ),
    "gpt2": _decoder(
        "GPT2",
        "GPT2LMHeadModel",
        "transformer.wte",
        rf"(wte|wpe|ln_f|h\.#\.(attn\.c_(attn|proj)|ln_[12]|mlp\.c_(fc|proj))){_EITHER}",
        {"transformer.h.": "n_layer"},
        positions="n_positions",
    ),
    "gpt_neox": _decoder(
        "GPTNeoX",
        "GPTNeoXForCausalLM",
        "gpt_neox.embed_in",
        rf"(embed_in|final_layer_norm|layers\.#\.(attention\.(dense|query_key_value)|(input|post_attention)_layernorm|"
        rf"mlp\.dense_(4h_to_h|h_to_4h))){_EITHER}",
        {"gpt_neox.layers.": "num_hidden_layers"},
        ties=False,
    ),
    "llama": _decoder("Llama", "LlamaForCausalLM", "model.embed_tokens", _LLAMA, _OF_LLAMA, ties=False),
    "modernbert": Family(
        heads={Kind.masked: "ModernBertForMaskedLM", Kind.extractive: "ModernBertForQuestionAnswering"},
        trunk=("model.",),
        needed=("head.dense.weight", "head.norm.weight", "decoder.bias"),
        body=r"(embeddings\.(norm|tok_embeddings)|final_norm|layers\.#\.(attn\.(Wo|Wqkv)|attn_norm|mlp\.(Wi|Wo)|mlp_norm))"
        r"\.weight",
        layers={"model.layers.": "num_hidden_layers"},
        tied={"decoder.weight": "model.embeddings.tok_embeddings.weight"},
        plain={"decoder_bias": True, "classifier_bias": False, "norm_bias": False},
    ),
    "qwen2": _decoder(
        "Qwen2",
        "Qwen2ForCausalLM",
        "model.embed_tokens",
        rf"{_LLAMA}|layers\.#\.self_attn\.[qkv]_proj\.bias",
        _OF_LLAMA,
        ties=False,
    ),
    "roberta": _bert_like(
        "roberta",
        "lm_head",
        _OF_ROBERTA,
        heads={
            Kind.masked: "RobertaForMaskedLM",
            Kind.causal: "RobertaForCausalLM",
            Kind.extractive: "RobertaForQuestionAnswering",
        },
        behind_padding=True,
    ),
    "t5": Family(
        heads={Kind.seq2seq: "T5ForConditionalGeneration", Kind.extractive: "T5ForQuestionAnswering"},
        trunk=("shared.", "encoder.", "decoder."),
        needed=(),
        body=rf"(embed_tokens\.|final_layer_norm\.|block\.#\.layer\.#\.({_T5_LAYER})\.)?weight",
        layers={"encoder.block.": "num_layers", "decoder.block.": "num_decoder_layers"},
        tied={
            f"{copy}.weight": "shared.weight" for copy in ("lm_head", "encoder.embed_tokens", "decoder.embed_tokens")
        },
        positions=None,
    ),
    "xlm": Family(
        heads={
            Kind.masked: "XLMWithLMHeadModel",
            Kind.causal: "XLMWithLMHeadModel",
            Kind.extractive: "XLMForQuestionAnsweringSimple",
        },
        trunk=("transformer.",),
        needed=("pred_layer.proj.bias",),
        body=rf"(embeddings|position_embeddings|layer_norm_emb|layer_norm[12]\.#|attentions\.#\.(k|out|q|v)_lin|"
        rf"ffns\.#\.lin[12]){_EITHER}",
        layers={"transformer.attentions.": "n_layers"},
        tied={"pred_layer.proj.weight": "transformer.embeddings.weight"},
        plain={"asm": False},
    ),
    "xlm-roberta": _bert_like(
        "roberta",
        "lm_head",
        _OF_ROBERTA,
        heads={
            Kind.masked: "XLMRobertaForMaskedLM",
            Kind.causal: "XLMRobertaForCausalLM",
            Kind.extractive: "XLMRobertaForQuestionAnswering",
        },
        behind_padding=True,
    ),
}
# Parts of tensor names in the files of the first BERTs and GPT-NeoX, and their names in the model.
_SAVED_AS = {r"\.gamma$": ".weight", r"\.beta$": ".bias", r"^embed_out\.": "lm_head."}
# Endings of the names of classes with the head of each kind.
_ENDS = {
    Kind.masked: ("ForMaskedLM", "ForPreTraining"),
    Kind.causal: ("ForCausalLM", "LMHeadModel"),
    Kind.seq2seq: ("ForConditionalGeneration",),
    Kind.extractive: ("ForQuestionAnswering",),
}
# Settings that say how the input of a decoder begins.
_STARTS = ("pad_token_id", "decoder_start_token_id")
# Model types whose tokens do not attend to every other one.
WITHOUT_ATTENTION = ("fnet", "funnel", "longformer", "mra", "reformer", "yoso")
# Settings that make transformers read other weights, or other tensors, than the files have.
_CHANGES_WEIGHTS = ("transformers_weights", "pruned_heads")


class _Said(NamedTuple):
    """What a record says about the weights. positions: of the longest input, None if only the tokenizer limits it.
    n_words: tokens that the model knows. n_parameters, n_words: None if there are no weights. cuts: whether inputs are
    cut (`prefixes.able`)."""

    architecture: str
    n_parameters: int | None
    positions: int | None
    n_words: int | None
    cuts: bool = False


def check(entries: dict[str, dict], weighted: Collection[str] = ()) -> None:
    """Raise HerbariumError, with all faults, for local models that cannot be scored.

    This checks what their files say, before anything is loaded.

    entries: name -> the model's configuration as plain data. weighted: names of those that `aula` is asked of.
    """

    def look(name: str, entry: dict) -> None:
        kind, shapes = Kind(entry["kind"]), None
        if entry["path"]:
            folder, has_weights = Path(entry["path"]), loading.has_weights(entry)
            loading.check_files(folder, name, loading.source_file(entry), has_weights, entry["classes"])
            if entry.get("gguf"):
                return
            _check_named_kind(folder, kind, name)
            if name in weighted:
                _require_attention(folder, name)
            if has_weights:
                _read(folder, kind, name, entry["unused_tensors"])
                _require_there(entry["unused_tensors"], folder, name)
                shapes = _shapes(folder, kind) if entry["adapter"] else None
        if entry["adapter"] and entry["adapter"]["path"]:
            adapters.check(Path(entry["adapter"]["path"]), kind, name, shapes)
            adapters.named_base(Path(entry["adapter"]["path"]), entry, name)

    check_all(partial(look, name, entry) for name, entry in entries.items())


def describe(
    name: str,
    entry: dict,
    folder: Path,
    commit: str | None,
    merged: dict | None = None,
    served: dict | None = None,
    is_weighted: bool = False,
    gguf: dict | None = None,
) -> dict:
    """The record of a model.

    merged: for a model with an adapter, what identifies base and adapter. served: for one with a server, what the
    server says about it (`servers.Server.identity`). is_weighted: whether `aula` is asked of it. gguf: of the GGUF
    file that it was read from (`gguf.describe`). Raises HerbariumError for a folder that cannot be scored, as far as
    its files say so before they are loaded.
    """
    has_weights = loading.has_weights(entry)
    loading.check_files(folder, name, with_weights=has_weights, classes=entry["classes"])
    kind, unused = Kind(entry["kind"]), entry["unused_tensors"]
    # all of these families have attention
    read = _read(folder, kind, name, unused) if has_weights else _said_alone(folder)
    facts = read or _loaded(folder, kind, name, is_weighted, unused)
    # what the workflow wrote was saved as it was chosen
    choice = None if entry["planted"] is not None or merged or loading.source_file(entry) else entry["tokenizer"]
    tokenizer = tokenizer_files.load(folder, name, choice=choice)
    if facts.n_words is not None:
        trial.require_words(tokenizer, facts.n_words, name)
    chat = entry["chat_template"]
    # a server generates a token after each prompt
    of_server = served and served["max_model_len"] and served["max_model_len"] - 1
    limits = [limit for limit in (facts.positions, tokenizer.model_max_length, of_server) if limit is not None]
    files = folders.checksums(folder, with_weights=has_weights)
    source = next(origin for origin in ("hub", "path", "planted", "derived") if entry[origin] is not None)
    return {
        "name": name,
        "source": source,
        "hub": entry["hub"],
        "revision": commit,
        # a hub model has another path on every machine: only its commit identifies it
        "path": None if source == "hub" and not (merged or loading.source_file(entry)) else os.path.relpath(folder),
        "merged": merged,
        "gguf": gguf,
        "planted": entry["planted"],
        "derived": entry["derived"],
        "kind": str(kind),
        "dtype": "served" if served else entry["dtype"],
        "served": served,
        "unused_tensors": unused,
        "classes": entry["classes"],
        "tokenizer": choice,
        "tokenizer_notes": tokenizer_files.notes(tokenizer, folder, facts.n_words),
        "lowercase": entry["lowercase"],
        "start": starts.describe(tokenizer, folder, entry, name),
        "chat_template": chat and chats.describe(loading.load_tokenizer(folder, name, choice), chat, name),
        "architecture": facts.architecture,
        "n_parameters": facts.n_parameters,
        "has_weights": has_weights,
        "max_tokens": int(min(limits)),
        "cuts": facts.cuts and not served,
        "vocabulary": len(tokenizer),
        "tokenizer_hash": value_hash({file: files.get(file) for file in folders.TOKENIZER_FILES}),
        "files": files,
        "libraries": library_versions("torch", "transformers", "tokenizers"),
    }


def _said_alone(folder: Path) -> _Said:
    """What the configuration says about weights that are not there."""
    config = folders.read_json(folder / folders.CONFIG)
    named = " ".join(config.get("architectures") or ["not known"])
    return _Said(named, None, config.get("max_position_embeddings"), None)


def _require_there(unused: Collection[str], folder: Path, name: str) -> None:
    """Raise HerbariumError for a pattern of `unused_tensors` that names no tensor in the files of a folder."""
    names = {tensor for file in folder.glob("*.safetensors") for tensor in folders.tensors(file)} if unused else ()
    for pattern in unused:
        if not fnmatch.filter(names, pattern):
            raise HerbariumError(f"models.{name}.unused_tensors: '{pattern}' names no tensor of {folder}.")


def _loaded(folder: Path, kind: Kind, name: str, is_weighted: bool, unused: Collection[str]) -> _Said:
    model = loading.load(folder, kind, "float32", name, unused=unused)
    trial.check(model, kind, name)
    if is_weighted:
        trial.require_attention(model, name)
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    n_words, cuts = trial.n_words(model), prefixes.able(model)
    return _Said(type(model).__name__, n_parameters, trial.positions(model), n_words, cuts)


def _read(folder: Path, kind: Kind, name: str, unused: Collection[str]) -> _Said | None:
    """What the configuration and the headers of the weights say; None if that is not enough.

    unused: the key of the model. Raises HerbariumError when they say that the model is of another kind, lacks weights
    of its head, or has tensors that it does not use.
    """
    config = folders.read_json(folder / folders.CONFIG)
    family = FAMILIES.get(str(config.get("model_type")))
    files = folders.weight_files(folder)
    if family and kind is Kind.seq2seq:
        _require_start(config, folder, name)
    if family is None or not files or not _is_plain(config, family):
        return None
    loading.require_kind(family.heads, config.get("architectures"), kind, name, config["model_type"])
    loading.require_sight(loading.sees_only_before(config), family.heads, kind, folder, name)
    if kind is not family.kind:
        return None
    shapes, others = _named_alike(files, family)
    _check_shapes(shapes, config, family, folder, kind, name)
    if others:  # of few models: a setting of their configuration may want them
        wanted = loading.skeleton(folder, kind, name).state_dict().keys()
        loading.require_used(others - wanted, unused, folder, f"models.{name}")
        return None
    sizes = {tensor: math.prod(shape) for tensor, shape in shapes.items()}
    same = {tensor: {tensor} for tensor in (*family.needed, *family.tied.values(), *family.tied)}
    if config.get("tie_word_embeddings", family.ties):
        for copy, tensor in family.tied.items():
            same[tensor] |= same.pop(copy)
    if any(len(tensors & sizes.keys()) > 1 for tensors in same.values()):
        return None  # they are tied only if they are equal, number by number
    missing = [tensor for tensor, tensors in same.items() if not tensors & sizes.keys()]
    loading.require_whole(missing, folder, kind, name)
    positions = None if family.positions is None else config[family.positions]
    if family.behind_padding:
        positions -= config["pad_token_id"] + 1
    n_words = min(shapes[tensor][0] for tensor in {*family.tied, *family.tied.values()} & shapes.keys())
    cuts = kind is Kind.causal and not prefixes.scales_by_length(config)
    return _Said(family.heads[kind], sum(sizes.values()), positions, n_words, cuts)


def _require_start(config: dict, folder: Path, name: str) -> None:
    """Raise HerbariumError if a configuration says that there is no token from which a decoder predicts the first."""
    for key in _STARTS:
        if key in config and config[key] is None:
            raise HerbariumError(
                f"models.{name}: {folder / folders.CONFIG}: '{key}' is null, so that the decoder has no token to start "
                "from; set it to that of the model's training."
            )


def _require_attention(folder: Path, name: str) -> None:
    """Raise HerbariumError if a configuration says that tokens do not attend to each other."""
    if (model_type := folders.read_json(folder / folders.CONFIG).get("model_type")) in WITHOUT_ATTENTION:
        raise HerbariumError(f"models.{name}: {loading.no_attention(model_type)}")


def _check_named_kind(folder: Path, kind: Kind, name: str) -> None:
    """Raise HerbariumError if a model was saved from a class whose name is that of another kind."""
    config = folders.read_json(folder / folders.CONFIG)
    family, named = family_of(config), config.get("architectures") or []
    heads = family.heads if family else _heads_named(named, config)
    if heads:
        loading.require_kind(heads, named, kind, name, str(config.get("model_type")))


def family_of(config: dict) -> Family | None:
    """The family of a model that has an encoder, a decoder or both just as the family; None if it is not listed."""
    family = FAMILIES.get(str(config.get("model_type")))
    return family if family and _has_sides(config, family) else None


def kinds_named(named: list[str], config: dict, family: Family | None) -> set[Kind]:
    """The kinds of the heads of some classes. named: the classes. family: `family_of` the configuration."""
    by_end = set(_heads_named(named, config))
    return (
        by_end & set(family.heads) | {kind for kind, head in family.heads.items() if head in named}
        if family
        else by_end
    )


def _heads_named(named: list[str], config: dict) -> dict[Kind, str]:
    """Classes by the kind of their head, according to their names."""
    heads = {kind: model_class for model_class in named for kind, ends in _ENDS.items() if model_class.endswith(ends)}
    if config.get("is_encoder_decoder") is not True:  # models of images and text have this name, too
        heads.pop(Kind.seq2seq, None)
    return heads


def _has_sides(config: dict, family: Family) -> bool:
    """Whether a model has both encoder and decoder if and only if its family has: a decoder may have been saved without
    its encoder."""
    is_seq2seq = Kind.seq2seq in family.heads
    return config.get("is_encoder_decoder", is_seq2seq) == is_seq2seq


def _is_plain(config: dict, family: Family) -> bool:
    """Whether the tensors of a family are known for this configuration."""
    is_seq2seq = Kind.seq2seq in family.heads
    ties = config.get("tie_word_embeddings", family.ties)
    numbers = _STARTS if is_seq2seq else ("pad_token_id",) if family.behind_padding else ()
    wanted = [family.positions, *numbers, *family.layers.values()]
    return (
        not any(config.get(key) for key in _CHANGES_WEIGHTS)
        and all(config.get(key) == value for key, value in family.plain.items())
        and _has_sides(config, family)
        and ties in ((True,) if is_seq2seq else (True, False))  # which copies stay tied in a seq2seq model is unclear
        and all(type(config.get(key)) is int for key in wanted if key is not None)
    )


def _check_shapes(
    shapes: dict[str, tuple[int, ...]], config: dict, family: Family, folder: Path, kind: Kind, name: str
) -> None:
    """Raise HerbariumError if the weights do not have the layers, or the vocabulary, that the configuration says."""
    says = f"models.{name}"
    for prefix, key in family.layers.items():
        present = {
            prefix + tensor.removeprefix(prefix).partition(".")[0] for tensor in shapes if tensor.startswith(prefix)
        }
        wanted = {f"{prefix}{number}" for number in range(config[key])}
        loading.require_no_more(list(present - wanted), folder, says)
        loading.require_whole(list(wanted - present), folder, kind, name)
    n_words = config.get("vocab_size", config.get("n_words"))
    for tensor in sorted({*family.tied, *family.tied.values()} & shapes.keys()):
        if n_words is not None and tensor.endswith(".weight"):
            loading.require_shape(tensor, shapes[tensor], (n_words, *shapes[tensor][1:]), folder, says)


def _shapes(folder: Path, kind: Kind) -> dict[str, tuple[int, ...]] | None:
    """The shapes of the tensors of the model in a folder, tied ones included; None if they are not all known."""
    config = folders.read_json(folder / folders.CONFIG)
    family, files = FAMILIES.get(str(config.get("model_type"))), folders.weight_files(folder)
    if family is None or kind is not family.kind or not files or not _is_plain(config, family):
        return None
    shapes, others = _named_alike(files, family)
    if others:
        return None
    return {copy: shapes[tensor] for copy, tensor in family.tied.items() if tensor in shapes} | shapes


def _named_alike(files: list[Path], family: Family) -> tuple[dict[str, tuple[int, ...]], set[str]]:
    """The shapes of the tensors of a language model of a family, by their names in the model; and further tensors.

    files: its weights.
    """
    shapes = {tensor: shape for file in files for tensor, shape in folders.tensors(file).items()}
    head = {*family.needed, *family.tied}
    if not any(tensor in head or tensor.startswith(family.trunk) for tensor in shapes):  # saved without its head
        shapes = {family.trunk[0] + tensor: shape for tensor, shape in shapes.items()}
    shapes = {_in_model(tensor): shape for tensor, shape in shapes.items()}
    trunk = "|".join(map(re.escape, family.trunk))
    of_trunk = re.compile(f"({trunk})({family.body})")
    known = {tensor for tensor in shapes if tensor in head or of_trunk.fullmatch(loading.unnumbered(tensor))}
    others = {tensor for tensor in shapes if not re.search(f"{loading.HARMLESS}|{family.ignored}", tensor)} - known
    return {tensor: shapes[tensor] for tensor in shapes if tensor in known}, others


def _in_model(tensor: str) -> str:
    """The name in the model of a saved tensor."""
    for saved, now in _SAVED_AS.items():
        tensor = re.sub(saved, now, tensor)
    return tensor
