"""Models: where their weights are, of what kind they are, how they are loaded, and what differs between families.

Weights are safetensors; code is never taken from a model's folder. torch and transformers are imported where they are
used: this takes seconds, and most steps need neither.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import yaml

from herbarium.core import downloads, store
from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import file_hash
from herbarium.core.resources import read_yaml
from herbarium.models import folders, gguf, hub
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
    from transformers.utils import ModelOutput

CONVERT = "convert_bin: true"
_NOTHING = "tag:yaml.org,2002:null"
_PIN_AGAIN = "Correct or remove it: a run with a network pins anew what has no line."
# How a folder is read: no code of its own, nothing from the network.
_SAFELY = {"trust_remote_code": False, "local_files_only": True}
_FILES, _WEIGHTS = ["*.json", "*.txt", "*.model", "*.jinja"], "*.safetensors"
# What a tokenizer is built from if there is no tokenizer.json; a SentencePiece .model will also do.
_VOCABULARIES = (("vocab.txt",), ("vocab.json", "merges.txt"))
# Tokens that show how a model computes.
FEW = 9
# What the names of transformers' classes end in, behind the type of model.
_CLASS_ENDS = (
    r"(Model|EncoderModel|LMHeadModel|WithLMHeadModel|DoubleHeadsModel|For(MaskedLM|CausalLM|PreTraining|"
    r"ConditionalGeneration|QuestionAnswering|QuestionAnsweringSimple|SequenceClassification|TokenClassification))"
)
# Tensors that may be in a file though no quantity here uses them: what is computed from the configuration, the layer
# that classifies sentences, heads of other tasks, and what sees or hears. Most classes of transformers have lists of
# their own, which are not believed: they are of parts of names, and grow with the models that a class is to load.
HARMLESS = (
    r"(^|\.)(position_ids|token_type_ids|(original_)?inv_freq|(cos|sin)_cached|_float_tensor|version|pooler\..*)$"
    # masks of attention, saved by the first versions
    r"|(^|\.)(attn(\.attention)?|(cross)?attention)\.(masked_)?bias$"
    r"|^(cls\.seq_relationship|sop_classifier|discriminator_predictions|mask_predictions|qa_outputs|classifier|score"
    r"|multiple_choice_head|v_head)\."
    r"|(^|\.)(vision_tower|vision_model|visual|multi_modal_projector|audio_tower)\."
    # T5 was saved with relative positions between decoder and encoder, and never used them
    r"|EncDecAttention\.relative_attention_bias\.weight$"
    # absolute positions: unused only by models whose configuration wants relative or rotary ones alone
    r"|^(deberta|esm)\.embeddings\.position_embeddings\.weight$"
    # blocks that predict the tokens after the next one
    r"|(^|\.)mtp(_(layers|block|emb_norm|hidden_norm|linear_proj))?\."
)
# What a layer has if it predicts the tokens after the next one.
_LOOKS_FURTHER = r"(.*\.layers\.\d+\.)eh_proj\."
# Heads, which models without one, or with that of another task, do without.
_HEADS = (
    r"^(cls|lm_head|predictions|generator_\w+|vocab_\w+|pred_layer|head|decoder|lm_predictions|mask_predictions|embed_out)"
    r"\.|^final_logits_bias$"
)
# Classes that do not predict words, though their name (...ForPreTraining) is that of classes that do.
_DISCRIMINATORS = ("ElectraForPreTraining", "FunnelForPreTraining")


# --- where the weights are ---


def pinned(entry: dict, lock: Path) -> str | None:
    """The pinned commit of a hub model, from its entry or else the lock file; None if there is none.

    entry: the model's configuration as plain data, here and below.
    """
    return entry["revision"] or read_lock(lock).get(pin(entry))


def branch(entry: dict) -> str | None:
    """The branch or tag of a hub model that is a checkpoint of its repository; None for any other."""
    return next(iter(entry.get("checkpoints") or ()), None)


def pin(entry: dict) -> str:
    """The name of a hub model in the lock file: its id, for a checkpoint followed by @ and its branch or tag."""
    return "@".join(filter(None, (entry["hub"], branch(entry))))


def revision(name: str, entry: dict, lock: Path) -> str:
    """The pinned commit of a hub model. Raises HerbariumError when it has none."""
    require_pinned({f"models.{name}": entry}, lock)
    return pinned(entry, lock)


def require_pinned(entries: dict[str, dict], lock: Path) -> None:
    """Raise HerbariumError, listing all of them, when hub models have no pinned commit.

    entries: by their keys in the configuration, such as "models.NAME", here and below.
    """
    faults = [
        f"{key}: '{pin(entry)}' is not pinned, so its weights could change between runs."
        for key, entry in entries.items()
        if entry["hub"] and pinned(entry, lock) is None
    ]
    if faults:
        raise HerbariumError(
            "\n".join(faults) + "\nRun `snakemake pin_models` once with a network (it writes "
            f"{lock}), or give `revision:`, the commit of 40 hex digits."
        )


def read_lock(lock: Path) -> dict[str, str]:
    """Hub id, with any checkpoint as `pin` writes it -> pinned commit, and address -> pinned digest; empty when there
    is no lock file. Raises HerbariumError, listing all of them, for lines that pin nothing."""
    try:
        node = read_yaml(lock) if lock.exists() else None
    except OSError as error:
        raise HerbariumError(f"{lock}: it cannot be read ({error}). {_PIN_AGAIN}") from error
    if node is None or node.tag == _NOTHING:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise HerbariumError(f"{lock}: its lines should be `organisation/name: commit`. {_PIN_AGAIN}")
    pins, faults = {}, []
    for key, value in node.value:
        if fault := _fault_of_pin(key, value, pins):
            faults.append(f"{lock}, line {key.start_mark.line + 1}: {fault}. {_PIN_AGAIN}")
        else:
            pins[key.value] = value.value
    if faults:
        raise HerbariumError("\n".join(faults))
    return pins


def _fault_of_pin(key: yaml.Node, value: yaml.Node, before: Collection[str]) -> str:
    """Why a line of the lock file pins nothing, in words; empty if it does. before: what is pinned above it."""
    if not (isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)):
        return "it should be `organisation/name: commit`"
    if key.value in before:
        return f"'{key.value}' is pinned twice"
    is_address = downloads.is_address(key.value)
    if re.fullmatch(downloads.DIGEST if is_address else hub.COMMIT, value.value):
        return ""
    right = "a sha256 of 64 hex digits" if is_address else "a commit of 40 hex digits"
    return f"'{value.value}' pins nothing for '{key.value}': it should be {right} in small letters"


def write_lock(lock: Path, pins: dict[str, str]) -> None:
    """Add pins to the lock file: commits by the names that `pin` gives."""
    text = (
        "# Hub id, hub id@checkpoint or datasets/hub id: pinned commit; address: sha256. Written by a run, or "
        "`snakemake pin_models`.\n"
    )
    store.write_text(lock, text + yaml.safe_dump({**read_lock(lock), **pins}))


def latest_revisions(pins: list[str]) -> dict[str, str]:
    """The commit that each hub id, or branch or tag of one, points to now. pins: as from `pin`.

    Raises HerbariumError when the hub does not answer.
    """
    commits = {}
    for wanted in pins:
        name, _, at = wanted.partition("@")
        try:
            commits[wanted] = hub.latest(name, at or None, hub.MODEL)
        except HerbariumError as error:
            raise HerbariumError(f"The hub gave no revision of {wanted}: {error}.") from error
    return commits


def with_adapters(entries: dict[str, dict]) -> dict[str, dict]:
    """Models, and the adapters that some of them have, by their keys."""
    return entries | {f"{key}.adapter": entry["adapter"] for key, entry in entries.items() if entry.get("adapter")}


def require_available(entries: dict[str, dict], lock: Path) -> None:
    """Raise HerbariumError when a hub model is neither in the local cache nor available from the hub.

    Checked once before a run, so that nobody waits for an error.
    """
    for place, entry in entries.items():
        if entry["hub"] is None:
            continue
        commit = entry["revision"] or revision(place.removeprefix("models."), entry, lock)
        if why := hub.fault(entry["hub"], commit, hub.MODEL, wanted_files(entry)):
            instead = "path: FILE" if entry.get("files") else "path: FOLDER, …"
            raise hub.absent(place, entry["hub"], commit, why, instead)
        if not entry.get("files"):
            require_listed(place, entry["hub"], commit, source_file(entry))


def wanted_files(entry: dict) -> list[str]:
    """Patterns of the files that are wanted from the repository of a hub model, or of what is not a model."""
    return entry.get("files") or _wanted(source_file(entry), has_weights(entry))


def fetch(name: str, commit: str, source: str | None = None, with_weights: bool = True) -> Path:
    """The local folder of a hub model at a commit, downloaded unless the cache has it. source: as in
    `folders.read_files`."""
    require_listed("The hub", name, commit, source)
    return hub.fetch(name, commit, hub.MODEL, _wanted(source, with_weights))


def require_listed(says: str, name: str, commit: str | None, source: str | None = None) -> None:
    """Raise HerbariumError if a repository of the hub has neither configuration nor adapter, or not the GGUF file in
    `source`; nothing is raised if the hub does not say what it has.

    says: how an error begins. commit: None for the latest.
    """
    needed = [source] if gguf.is_named(source) else [folders.CONFIG, folders.ADAPTER]
    if held := hub.held_instead(name, commit, needed):
        raise HerbariumError(f"{says}: '{name}' has no {needed[0]}.{_instead(held, 'hub')}")


def fetch_missing(name: str, commit: str, files: list[str]) -> int:
    """Complete a hub model in the local cache, and return how many files were missing. files: from `wanted_files`."""
    return hub.fetch_missing(name, commit, hub.MODEL, files)


def source_file(entry: dict) -> str | None:
    """The file that weights are read from once, to be kept as safetensors; None if they are safetensors."""
    return entry.get("gguf") or (folders.BIN if entry.get("convert_bin") else None)


def has_weights(entry: dict) -> bool:
    """Whether a model's weights are needed on this machine: if it is served, only for the comparison."""
    return not entry.get("served") or entry["served"]["compare"]


def _wanted(source: str | None = None, with_weights: bool = True) -> list[str]:
    if gguf.is_named(source):
        return [source]
    of_weights = [_WEIGHTS, *([source] if source else [])]
    return [*_FILES, *(of_weights if with_weights else [])]


# --- what they are ---


def check_folder(folder: Path, name: str, source: str | None = None, with_weights: bool = True) -> None:
    """Raise HerbariumError unless the folder holds a configuration, a tokenizer and safetensors weights.

    source: accept the weights, or the whole model, in this file (`source_file`). with_weights: require weights at all.
    """
    if gguf.is_named(source):
        gguf.check(folder / source, f"models.{name}")
        return
    if folder.is_file():
        what = f"a GGUF file without the ending {gguf.SUFFIX}; rename it" if gguf.is_one(folder) else "a file"
        raise HerbariumError(f"models.{name}: {folder} is {what}; it should be a model's folder, or a GGUF file.")
    if not folder.is_dir():
        is_of_hub = len(folder.parts) == 2 and not folder.parent.is_dir()
        instead = f" If it is a model on the hub, use `hub: {folder}` instead of `path:`." if is_of_hub else ""
        raise HerbariumError(f"models.{name}: no such folder: {folder}.{instead}")
    if (folder / folders.ADAPTER).is_file():
        raise HerbariumError(
            f"models.{name}: {folder} holds an adapter ({folders.ADAPTER}), which is not a model on its own. Give its "
            "base as `path:` or `hub:` and, with it, the adapter's own folder as `adapter: {path: FOLDER}`."
        )
    if not (folder / "config.json").is_file():
        raise HerbariumError(
            f"models.{name}: {folder} has no config.json; it is not a model for transformers."
            + _instead([file.name for file in folder.iterdir()], "path")
        )
    tokenizers = (("tokenizer.json",), *_VOCABULARIES, *((path.name,) for path in folder.glob("*.model")))
    if not any(all((folder / file).is_file() for file in files) for files in tokenizers):
        raise HerbariumError(
            f"models.{name}: {folder} has no tokenizer.json, and no vocabulary instead (vocab.txt; vocab.json and "
            "merges.txt; a SentencePiece .model); save the tokenizer with the weights."
        )
    has_bin = (folder / "pytorch_model.bin").is_file()
    if with_weights and not any(folder.glob("*.safetensors")) and not (source and has_bin):
        if has_bin:
            raise HerbariumError(
                f"models.{name}: {folder} has its weights only as pytorch_model.bin, a format that can run code. If "
                f"you trust them, set this in the configuration: models.{name}: {{{CONVERT}}}."
            )
        raise HerbariumError(f"models.{name}: {folder} has no safetensors weights.")


def _instead(files: Iterable[str], key: str) -> str:
    """A further sentence for a message on what is no model; empty if there are no GGUF files.

    files: that are there. key: under which it is given."""
    named = ", ".join(sorted(file for file in files if gguf.is_named(file) and "/" not in file))
    return f" Its GGUF files: {named}; name one of them as `gguf` beside `{key}`." if named else ""


def check_files(
    folder: Path, name: str, source: str | None = None, with_weights: bool = True, classes: str | None = None
) -> None:
    """As `check_folder`, and raise HerbariumError as well for a file that is empty, truncated or not what its name
    says, and for classes that are not transformers' own.

    with_weights: weights are read at all. classes: the key of a model's configuration.
    """
    check_folder(folder, name, source, with_weights)
    if gguf.is_named(source):
        return
    try:
        folders.check(folder, source, with_weights)
        if classes != folders.LIBRARY:
            _require_classes_of_library(folder)
    except HerbariumError as error:
        raise HerbariumError(f"models.{name}: {error}") from error


def _require_classes_of_library(folder: Path) -> None:
    """Raise HerbariumError for a folder whose model or tokenizer is of a class of its own, whose code is never run."""
    instead = (
        "its code is never run, and transformers' class would be another model. If it is known to compute the same, "
        f"set `classes: {folders.LIBRARY}`."
    )
    for file in (folders.CONFIG, "tokenizer_config.json"):
        content = folders.read_json(folder / file) if (folder / file).is_file() else {}
        if named := content.get("auto_map"):
            raise HerbariumError(
                f"{folder / file} names a class of its own ('auto_map': {_first_name(named)}): {instead}"
            )
    config = folders.read_json(folder / folders.CONFIG)
    for named in config.get("architectures") or ():
        if not _is_class_of(named, str(config.get("model_type"))):
            raise HerbariumError(
                f"{folder / folders.CONFIG} names the class {named}, which transformers does not have for models of "
                f"type '{config.get('model_type')}': {instead}"
            )


def _first_name(classes: object) -> str:
    while isinstance(classes, dict | list | tuple) and classes:
        classes = next(iter(classes.values() if isinstance(classes, dict) else classes))
    return str(classes)


def _is_class_of(named: str, model_type: str) -> bool:
    """Whether transformers has a class for a type of model; true for a type that it does not know, and reports."""
    start = re.sub(r"[-_]", "", model_type)
    if named.lower().startswith(start) and re.fullmatch(_CLASS_ENDS, named[len(start) :]):
        return True  # without the seconds that it takes to ask
    import transformers

    if model_type not in transformers.CONFIG_MAPPING:
        return True
    config_class = getattr(getattr(transformers, named, None), "config_class", None)
    return config_class is transformers.CONFIG_MAPPING[model_type]


def auto_classes(kind: Kind) -> tuple[type, dict]:
    """The transformers class that loads a kind of model, and its mapping from configuration classes."""
    import transformers
    from transformers.models.auto import modeling_auto

    return {
        Kind.masked: (transformers.AutoModelForMaskedLM, modeling_auto.MODEL_FOR_MASKED_LM_MAPPING),
        Kind.causal: (transformers.AutoModelForCausalLM, modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING),
        Kind.seq2seq: (transformers.AutoModelForSeq2SeqLM, modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING),
        Kind.extractive: (
            transformers.AutoModelForQuestionAnswering,
            modeling_auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING,
        ),
        Kind.encoder: (transformers.AutoModel, modeling_auto.MODEL_MAPPING),
    }[kind]


def _check_kind(config, kind: Kind, name: str) -> None:
    """Raise HerbariumError when a model's own configuration and the study disagree on its kind."""
    heads = {}
    for other in set(Kind) - {Kind.encoder}:
        _, mapping = auto_classes(other)
        fits = other is Kind.extractive or config.is_encoder_decoder == (other is Kind.seq2seq)
        if type(config) in mapping and fits:
            heads[other] = mapping[type(config)].__name__
    require_kind(heads, config.architectures, kind, name, type(config).__name__)


def require_kind(
    heads: dict[Kind, str], architectures: list[str] | None, kind: Kind, name: str, otherwise: str
) -> None:
    """Raise HerbariumError when a model is not of the kind that the study says.

    heads: the class for each kind that its configuration allows. architectures: the classes that its weights were saved
    from, as its configuration names them. otherwise: what the model is called if it names none.
    """
    require_no_discriminator(architectures or (), f"models.{name}")
    # an architecture that names another kind's head has no weights for this one's (GPT-2 has no masked head; a BERT
    # trained as a decoder never predicted a masked word); a bare trunk ("BartModel") names none
    named = set(architectures or ())
    others = [other for other in heads if other is not kind and {heads[other]} & named - {heads.get(kind)}]
    needed = Kind.masked if kind is Kind.encoder else kind  # with a head, its family would predict masked words
    if needed not in heads or others:
        possible = others or list(heads)
        right = f"`kind: {possible[0]}`" if possible else "another model"
        what = ", ".join(sorted(named)) or otherwise
        raise HerbariumError(f"models.{name}: {what} is not {kind.in_words}; {right} would be right.")


def require_no_discriminator(architectures: Collection[str], says: str) -> None:
    """Raise HerbariumError for a model that detects replaced words, and predicts none.

    architectures: the classes that its weights were saved from. says: how an error begins.
    """
    if names := [name for name in architectures if name in _DISCRIMINATORS]:
        raise HerbariumError(
            f"{says}: {names[0]} is a discriminator: it detects which words were replaced, and predicts none. It lacks "
            "the head of a masked language model, which its generator has: use google/electra-*-generator instead of "
            "google/electra-*-discriminator."
        )


def require_whole(missing: list[str], folder: Path, kind: Kind, name: str) -> None:
    """Raise HerbariumError when the files of a model lack some of its weights."""
    if missing:
        raise HerbariumError(
            f"models.{name}: {folder} lacks weights of {kind.in_words} ({', '.join(sorted(missing)[:3])}…); "
            "they would be random, and so would every score."
        )


def sees_only_before(config: dict) -> bool:
    """Whether a configuration says that tokens see only those before them."""
    return bool(config.get("is_decoder") or config.get("causal"))


def require_sight(sees: bool, kinds: Collection[Kind], kind: Kind, folder: Path, name: str) -> None:
    """Raise HerbariumError for a masked model whose tokens see only those before them, or a causal one whose tokens see
    those after them.

    sees: whether its configuration says that they see only those before. kinds: those of its family.
    """
    if sees and kind in (Kind.masked, Kind.encoder):
        raise HerbariumError(
            f"models.{name}: {folder / folders.CONFIG} makes it a decoder ('is_decoder' or 'causal' is true): a token "
            "would not see those after it. Set it to false, or use `kind: causal`."
        )
    if kind is Kind.causal and Kind.masked in kinds and not sees:
        raise HerbariumError(
            f"models.{name}: {folder / folders.CONFIG} does not make it a decoder ('is_decoder' or 'causal' is not "
            "true): its tokens would be predicted from themselves and those after them. Use `kind: masked`, or set it "
            "to true if it was trained as a decoder."
        )


@contextmanager
def told_by(says: str) -> Iterator[None]:
    """Turn any error of transformers about a faulty folder into a HerbariumError. says: how it begins."""
    try:
        yield
    except HerbariumError:
        raise
    except Exception as error:  # of any kind: a fault in a file shows wherever it is used first
        message = " ".join(str(error).split()) or type(error).__name__
        raise HerbariumError(f"{says}: {message}") from error


def configuration(folder: Path, says: str, **options) -> "PreTrainedConfig":
    """The configuration in a folder, as transformers reads it. options: further settings of it.

    says: how an error begins. Raises HerbariumError if it cannot be read.
    """
    from transformers import AutoConfig

    with told_by(f"{says}: {folder} has no configuration that transformers can read"):
        return AutoConfig.from_pretrained(folder, **_SAFELY, **options)


class Loaded(NamedTuple):
    """A model on the CPU. missing: its parameters that are in none of the files. unused: tensors of the files that it
    does without, but for those that no quantity here uses."""

    model: "PreTrainedModel"
    missing: set[str]
    unused: set[str]


def weights(
    auto: type, folder: Path, config: "PreTrainedConfig", dtype: str, says: str, from_bin: bool = False
) -> Loaded:
    """A model in a folder.

    auto: the class of transformers that loads it. config: by `configuration`. says: how an error begins. from_bin: the
    weights are in `pytorch_model.bin`. Raises HerbariumError if the weights cannot be read, do not match the
    configuration, or have more layers than it says.
    """
    doubt = f"{says}: the weights in {folder} do not match the model that its {folders.CONFIG} describes"
    with told_by(doubt), _whole_report() as (missing, unexpected):
        model, report = auto.from_pretrained(
            folder,
            config=config,
            attn_implementation=None,  # transformers' choice for the family: a folder could name code on the hub
            dtype=dtype,
            use_safetensors=not from_bin,
            weights_only=True,
            ignore_mismatched_sizes=True,  # reported below, tensor by tensor
            output_loading_info=True,
            **_SAFELY,
        )
    for tensor, of_file, of_model in sorted(report["mismatched_keys"]):
        require_shape(tensor, tuple(of_file), tuple(of_model), folder, says)
    parameters = {parameter for parameter, _ in model.named_parameters()}
    alike = {unnumbered(parameter) for parameter in parameters}
    unused = {tensor for tensor in unexpected if not re.search(HARMLESS, tensor)}
    unused -= _of_further_tokens(unused, parameters)
    require_no_more([tensor for tensor in unused - parameters if unnumbered(tensor) in alike], folder, says)
    return Loaded(model, parameters & missing - _computed(model), unused)


@contextmanager
def _whole_report() -> Iterator[tuple[set[str], set[str]]]:
    """The tensors that a model lacks and those that it does not use, once transformers has loaded one: also those that
    its class wants to have ignored, and does not report."""
    from transformers import PreTrainedModel

    missing, unexpected, adjust = set(), set(), PreTrainedModel._adjust_missing_and_unexpected_keys

    def keep(model, report) -> None:
        missing.update(report.missing_keys)
        unexpected.update(report.unexpected_keys)
        adjust(model, report)

    PreTrainedModel._adjust_missing_and_unexpected_keys = keep
    try:
        yield missing, unexpected
    finally:
        PreTrainedModel._adjust_missing_and_unexpected_keys = adjust


def _of_further_tokens(unused: Collection[str], parameters: Collection[str]) -> set[str]:
    """Tensors of layers that predict the tokens after the next one, and stand behind the last layer of the model.

    unused: tensors of its files. parameters: of the model.
    """
    layers = {match[1] for tensor in unused if (match := re.match(_LOOKS_FURTHER, tensor))}
    behind = tuple(layer for layer in layers if not any(parameter.startswith(layer) for parameter in parameters))
    return {tensor for tensor in unused if tensor.startswith(behind)}


def _computed(model: "PreTrainedModel") -> set[str]:
    """Parameters that a class computes where a file lacks them: sinusoidal positions."""
    patterns = model._keys_to_ignore_on_load_missing or ()
    modules = {name: type(module).__name__ for name, module in model.named_modules()}
    return {
        name
        for name, _ in model.named_parameters()
        if "Sinusoidal" in modules[name.rpartition(".")[0]] and any(re.search(pattern, name) for pattern in patterns)
    }


def require_used(unused: Collection[str], patterns: Collection[str], folder: Path, says: str) -> None:
    """Raise HerbariumError if tensors of a folder are used by no part of the model; unless the configuration names
    them.

    patterns: the key `unused_tensors` of the model.
    """
    left = sorted(tensor for tensor in unused if not any(fnmatchcase(tensor, pattern) for pattern in patterns))
    if left:
        raise HerbariumError(
            f"{says}: {folder} has {len(left)} tensors that the model of transformers does not use "
            f"({', '.join(left[:3])}{'…' if len(left) > 3 else ''}): another model would be scored than was saved. A "
            f"setting may be missing in {folders.CONFIG}, an adapter unmerged, or it is no longer supported. "
            "If they are known to change nothing, name them in `unused_tensors`, with * for any part of a name."
        )


def require_shape(tensor: str, of_file: tuple, of_model: tuple, folder: Path, says: str) -> None:
    """Raise HerbariumError when a tensor does not have the shape that the configuration gives it."""
    if of_file != of_model:
        raise HerbariumError(
            f"{says}: '{tensor}' in the weights is {'×'.join(map(str, of_file))}, but {folder / folders.CONFIG} makes "
            f"it {'×'.join(map(str, of_model))}."
        )


def unnumbered(tensor: str) -> str:
    """The name of a tensor without the number of its layer."""
    return re.sub(r"\.\d+\.", ".#.", tensor)


def require_no_more(tensors: list[str], folder: Path, says: str) -> None:
    """Raise HerbariumError when the weights have layers that the configuration leaves out."""
    if tensors:
        raise HerbariumError(
            f"{says}: {folder / folders.CONFIG} describes a model with fewer layers than its weights have "
            f"({', '.join(sorted(tensors)[:3])}…); they would be left out."
        )


def load(
    folder: Path,
    kind: Kind,
    dtype: str,
    name: str,
    from_bin: bool = False,
    unused: Collection[str] = (),
    **options,
) -> "PreTrainedModel":
    """The model in a folder, in evaluation mode, on the CPU.

    from_bin: as in `weights`. unused: as in `require_used`. options: further settings of its configuration. Raises
    HerbariumError when it is of another kind, lacks weights that would then be random, or has some that are not used.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    kind, says = Kind(kind), f"models.{name}"
    config = configuration(folder, says, **options)
    _check_kind(config, kind, name)
    kinds = [model_kind for model_kind in Kind if type(config) in auto_classes(model_kind)[1]]
    require_sight(sees_only_before(config.to_dict()), kinds, kind, folder, name)
    model, missing, left = weights(auto_classes(kind)[0], folder, config, dtype, says, from_bin)
    if kind is Kind.encoder:  # whose vectors of tokens come before the pooler
        missing = {tensor for tensor in missing if not tensor.startswith("pooler.")}
    require_whole(list(missing), folder, kind, name)
    if kind in (Kind.encoder, Kind.extractive):
        left = without_heads(left)
    require_used(left, unused, folder, says)
    return model.eval()


def load_recorded(record: dict, folder: Path, dtype: str = "float32", **options) -> "PreTrainedModel":
    """As `load`, for a recorded model."""
    return load(folder, record["kind"], dtype, record["name"], unused=record["unused_tensors"], **options)


def without_heads(tensors: Iterable[str]) -> set[str]:
    """Tensors that are not of a head that predicts words."""
    return {tensor for tensor in tensors if not re.match(_HEADS, tensor)}


def skeleton(folder: Path, kind: Kind, name: str) -> "PreTrainedModel":
    """The model in a folder without its weights: the layers that its configuration describes, using no memory."""
    import torch

    config = configuration(folder, f"models.{name}")
    _check_kind(config, Kind(kind), name)
    auto, _ = auto_classes(Kind(kind))
    with torch.device("meta"):
        return auto.from_config(config, attn_implementation="eager", trust_remote_code=False)


def load_tokenizer(folder: Path, name: str, choice: str | None = None) -> "PreTrainedTokenizerFast":
    """The tokenizer in a folder. choice: the key `tokenizer` of the model. Raises HerbariumError when it does not say
    which characters a token covers."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    with told_by(f"models.{name}: {folder} has no tokenizer that transformers can read"):
        tokenizer = AutoTokenizer.from_pretrained(folder, **_SAFELY)
    if not tokenizer.is_fast:
        raise HerbariumError(
            f"models.{name}: the tokenizer of {folder} gives no character offsets (no tokenizer.json)."
        )
    if choice != folders.FILE:
        return tokenizer
    return PreTrainedTokenizerFast(
        tokenizer_file=str(folder / folders.TOKENIZER),
        model_max_length=tokenizer.model_max_length,
        chat_template=tokenizer.chat_template,
        **tokenizer.special_tokens_map,
    )


def folder_of(record: dict, with_weights: bool = True) -> Path:
    """Where the files of a recorded model are on this machine.

    record: with "name", "path" or else "hub" and "revision", "files", and "has_weights" if there may be none.
    with_weights: weights are needed, not only the tokenizer. Raises HerbariumError if the files that would be loaded
    are not the recorded ones.
    """
    recorded = record["files"]
    has_any = record.get("has_weights", True)
    folder = Path(record["path"]) if record["path"] else fetch(record["hub"], record["revision"], with_weights=has_any)
    for file in sorted({folder / name for name in recorded}.union(folders.read_files(folder, with_weights=has_any))):
        is_asked = with_weights or file.suffix != ".safetensors"
        if is_asked and not (file.is_file() and file_hash(file) == recorded.get(file.name)):
            raise HerbariumError(
                f"{file} is not the file that '{record['name']}' was recorded with: it is damaged, was replaced, or is "
                "new. If the model is yours, restore the file, or run snakemake again to record the model as it is. "
                f"If the workflow made it, delete {folder} and run snakemake again to make it again."
            )
    return folder


# --- what differs between families ---


def trunk(model: "PreTrainedModel") -> "torch.nn.Module":
    """The part of a model whose hidden states its head turns into logits, position by position."""
    return model.get_decoder() if model.config.is_encoder_decoder else model.base_model


def hidden_states(
    model: "PreTrainedModel",
    token_ids: "torch.Tensor",
    with_attention: bool = False,
    attention_mask: "torch.Tensor | None" = None,
) -> tuple["torch.Tensor", "torch.Tensor | None"]:
    """The states that the head would turn into logits, (n, length, hidden), for token ids (n, length).

    Position t predicts token t of the sentence; in a causal model, token t + 1. For an encoder-decoder,
    whose encoder sees the whole sentence, it is the teacher-forced log P(w_t | S, w_<t): what the released HERB code
    computes for BART.
    with_attention: for an encoder, also the attention that each token receives, (n, length): the mean over layers,
    heads and queries. attention_mask: (n, length) of 0 and 1, 0 for padding; None if there is none. As in transformers,
    a decoder's own tokens are not masked.
    """
    if model.config.is_encoder_decoder:
        seen = model.get_encoder()(input_ids=token_ids, attention_mask=attention_mask).last_hidden_state
        given = model.prepare_decoder_input_ids_from_labels(labels=token_ids)
        decoded = trunk(model)(
            input_ids=given,
            encoder_hidden_states=seen,
            encoder_attention_mask=attention_mask,
            use_cache=False,
        )
        return decoded.last_hidden_state, None
    if not with_attention:
        return trunk(model)(input_ids=token_ids, attention_mask=attention_mask).last_hidden_state, None
    output, received = _with_attention(model, trunk(model), token_ids)
    return output.last_hidden_state, received


def no_attention(what: str) -> str:
    """What to say of a model from which there is no `aula`."""
    return (
        f"{what} does not attend from every token to every other: no token has a share of the attention, which 'aula' "
        "needs."
    )


def _with_attention(
    model: "PreTrainedModel", part: "torch.nn.Module", token_ids: "torch.Tensor"
) -> tuple["ModelOutput", "torch.Tensor"]:
    """The output for token ids (n, length) of a model, or of a part of it, and the attention that each token receives,
    (n, length), as in `hidden_states`. Raises HerbariumError for a model that does not compute it for every token."""
    usual = model.config._attn_implementation
    model.set_attn_implementation("eager")  # faster ones do not keep the attention
    try:
        output = part(input_ids=token_ids, output_attentions=True)
    finally:
        model.set_attn_implementation(usual)
    n, length = token_ids.shape
    each = getattr(output, "attentions", None) or ()
    if not each or any(layer is None or (layer.shape[0], *layer.shape[2:]) != (n, length, length) for layer in each):
        raise HerbariumError(no_attention(type(model).__name__))
    return output, sum(layer.mean(dim=(1, 2)) for layer in each) / len(each)


def layers(model: "PreTrainedModel", wanted: Sequence[int] | None, name: str) -> list[int]:
    """The numbers of layers, 0 for the embeddings; negative ones count from the last. None: all.

    Raises HerbariumError if a model has fewer. name: of the source of vectors that uses them, for messages.
    """
    n = model.config.num_hidden_layers
    numbers = range(n + 1) if wanted is None else [layer + n + 1 if layer < 0 else layer for layer in wanted]
    if not all(0 <= layer <= n for layer in numbers):
        raise HerbariumError(f"vectors.{name}.layers: {wanted}: this model has layers 0 to {n} (-{n + 1} to -1).")
    return list(numbers)


def layer_states(model: "PreTrainedModel", token_ids: "torch.Tensor", wanted: Sequence[int]) -> "torch.Tensor":
    """Hidden states, (n, n_layers, length, hidden), for token ids (n, length); in an encoder-decoder, those of its
    encoder.

    wanted: from `layers`. The last one is what the head, or the decoder, sees.
    """
    import torch

    trunk = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    states = trunk(input_ids=token_ids, output_hidden_states=True).hidden_states
    return torch.stack([states[layer] for layer in wanted], dim=1)


def input_embeddings(model: "PreTrainedModel", token_ids: "torch.Tensor") -> "torch.Tensor":
    """As `layer_states`, for the layer of input embeddings only: no model is run."""
    return model.get_input_embeddings()(token_ids)[:, None]


def head(model: "PreTrainedModel", states: "torch.Tensor") -> "torch.Tensor":
    """Logits (n, vocabulary) of hidden states (n, hidden), wherever they come from.

    The model's own forward pass runs without its trunk: whatever a family does between trunk and logits is done, and
    nothing here needs to know it. A head works position by position. Not every model is made so (`forward`).
    """
    from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

    inner, one_sentence = trunk(model), states.unsqueeze(0)
    anything = states.new_zeros((1, len(states)), dtype=int)
    inputs = {"input_ids": anything}
    if model.config.is_encoder_decoder:
        inputs = {"encoder_outputs": (one_sentence,), "decoder_input_ids": anything}
    inner.forward = lambda *_, **__: BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=one_sentence)
    try:
        return model(**inputs).logits[0]
    finally:
        del inner.forward  # the class's own method is back


def whole(
    model: "PreTrainedModel",
    token_ids: "torch.Tensor",
    with_attention: bool = False,
    attention_mask: "torch.Tensor | None" = None,
) -> tuple["torch.Tensor", "torch.Tensor | None"]:
    """As `hidden_states`, but the logits of every position, (n, length, vocabulary), by the model's own forward
    pass."""
    if with_attention:
        output, received = _with_attention(model, model, token_ids)
        return output.logits, received
    labels = {"labels": token_ids} if model.config.is_encoder_decoder else {}
    masks = {} if attention_mask is None else {"attention_mask": attention_mask}
    return model(input_ids=token_ids, **labels, **masks).logits, None


class Forward(NamedTuple):
    """How the logits of a model can be computed. in_two: by trunk and head one after the other, each for the positions
    that need it. vocabulary: how many there are at a position."""

    in_two: bool
    vocabulary: int


# by model: it never changes
_FORWARD: "WeakKeyDictionary[PreTrainedModel, Forward]" = WeakKeyDictionary()


def forward(model: "PreTrainedModel") -> Forward:
    """How a language model computes logits, from what it does with a few tokens: its trunk may not be where it says,
    or its head may want more of it than hidden states.

    Raises HerbariumError for a model that cannot run on tokens alone.
    """
    import torch

    if model not in _FORWARD:
        was_training = model.training
        model.eval()
        with torch.inference_mode():
            with told_by(f"{type(model).__name__} cannot be run on tokens alone"):
                token_ids = some_tokens(model, FEW)
                expected = whole(model, token_ids)[0][0]
            _FORWARD[model] = Forward(_is_computed_in_two(model, token_ids, expected), expected.shape[-1])
        model.train(was_training)
    return _FORWARD[model]


def _is_computed_in_two(model: "PreTrainedModel", token_ids: "torch.Tensor", expected: "torch.Tensor") -> bool:
    """Whether head and trunk give the logits of the whole model. expected: these, (length, vocabulary)."""
    import torch

    try:
        logits = head(model, hidden_states(model, token_ids)[0][0])
    except Exception:  # of any kind: whatever a model wants that it is not given here
        return False
    # the same operations on the same shapes
    rounding = 4 * torch.finfo(expected.dtype).eps * float(expected.abs().nan_to_num().max())
    return logits.shape == expected.shape and torch.allclose(logits, expected, rtol=0, atol=rounding, equal_nan=True)


def some_tokens(model: "PreTrainedModel", n: int) -> "torch.Tensor":
    """Different token ids, (1, n), from all parts of the vocabulary; none is the padding token, which some models
    ignore."""
    import torch

    size = model.get_input_embeddings().weight.shape[0]
    token_ids = torch.arange(1, n + 1) * (size - 1) // (n + 1)
    padding = getattr(model.config, "pad_token_id", None)
    return (token_ids + (token_ids == (-1 if padding is None else padding)))[None].to(model.device)


def before_head(
    model: "PreTrainedModel",
    token_ids: "torch.Tensor",
    with_attention: bool = False,
    attention_mask: "torch.Tensor | None" = None,
) -> tuple["torch.Tensor", "torch.Tensor | None"]:
    """What `logits` is to be given, (n, length, size), and attention: `hidden_states` where the head can run on its
    own, else `whole`."""
    run = hidden_states if forward(model).in_two else whole
    return run(model, token_ids, with_attention, attention_mask)


def logits(model: "PreTrainedModel", states: "torch.Tensor") -> "torch.Tensor":
    """Logits (n, vocabulary) of states (n, size) from `before_head`."""
    return head(model, states) if forward(model).in_two else states


def is_causal(model: "PreTrainedModel") -> bool:
    """Whether a model is of a class that predicts each token from those before it, as far as its name says."""
    from transformers.models.auto import modeling_auto

    return type(model).__name__ in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()


def is_extractive(model: "PreTrainedModel") -> bool:
    """Whether a model predicts where an answer begins and ends, and no words."""
    from transformers.models.auto import modeling_auto

    return type(model).__name__ in modeling_auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES.values()


def is_encoder(model: "PreTrainedModel") -> bool:
    """Whether a model has no head."""
    from transformers.models.auto import modeling_auto

    return type(model).__name__ in modeling_auto.MODEL_MAPPING_NAMES.values()


def span_logits(
    model: "PreTrainedModel",
    token_ids: "torch.Tensor",
    n_second: "torch.Tensor",
    attention_mask: "torch.Tensor | None" = None,
) -> "torch.Tensor":
    """Logits of an extractive model that an answer begins at a token, and that it ends there, (n, length, 2).

    token_ids: (n, length). n_second: (n,) how many of the last tokens, before any padding, are of the second type, for
    a model that distinguishes types of tokens. attention_mask: (n, length) of 0 and 1, 0 for padding, which comes
    last; None if there is none.
    """
    import torch

    types = {}
    if (getattr(model.config, "type_vocab_size", None) or 0) > 1:
        n_tokens = token_ids.shape[1] if attention_mask is None else attention_mask.sum(dim=1, keepdim=True)
        from_end = n_tokens - torch.arange(token_ids.shape[1], device=token_ids.device)
        is_second = (from_end > 0) & (from_end <= n_second[:, None])
        types = {"token_type_ids": is_second.to(token_ids.dtype)}
    output = model(input_ids=token_ids, attention_mask=attention_mask, **types)
    return torch.stack([output.start_logits, output.end_logits], dim=-1)


def positions(model: "PreTrainedModel") -> int | None:
    """The number of tokens, including special ones, that a configuration says the model has positions for; None if it
    says nothing."""
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is None or limit < 0:  # as XLNet says
        return None
    # RoBERTa numbers positions from padding_idx + 1, so that many of its embeddings are never used
    embeddings = getattr(getattr(trunk(model), "embeddings", None), "position_embeddings", None)
    reserved = getattr(embeddings, "padding_idx", None)
    return limit - (0 if reserved is None else reserved + 1)


def max_tokens(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerFast") -> int:
    """The number of tokens, including special ones, that the model takes."""
    return int(min(positions(model) or tokenizer.model_max_length, tokenizer.model_max_length))
