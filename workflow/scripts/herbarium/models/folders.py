"""The files of a folder that a model, its tokenizer or a classifier is loaded from, and whether they are sound.

They are what identifies a model: all code that lists, hashes or compares the files of such a folder asks here. How a
model generates text (`generation_config.json`) is not part of it, nor is anything else in the folder.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from herbarium.core.errors import HerbariumError, require_readable
from herbarium.core.provenance import file_hash
from herbarium.models import gguf

CONFIG, ADAPTER, BIN = "config.json", "adapter_config.json", "pytorch_model.bin"
MODULES = "modules.json"  # of sentence-transformers: what a sentence passes through, first of all a transformer
TOKENIZER = "tokenizer.json"
# What decides where both say something else: a file of the folder as it is, or what transformers makes of the folder.
FILE, LIBRARY = "file", "library"
# What determines the tokens of a text.
TOKENIZER_FILES = (
    TOKENIZER,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
_ONE, _INDEX = "model.safetensors", "*.safetensors.index.json"
# transformers looks for only some of these, by rules of its own; a file too many does no harm
_WEIGHTS = ("*.safetensors", _INDEX)
_OF_TEXTS = (
    *TOKENIZER_FILES,
    "tokenizer.*.json",
    "*.model",
    "entity_vocab.json",
    "normalizer.json",
    "chat_template.jinja",
)
_PATTERNS = (CONFIG, ADAPTER, *_OF_TEXTS)
# Sizes of a model by their names in configurations.
_LAYERS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer", "encoder_layers", "decoder_layers")
_SIZES = (
    *_LAYERS,
    *("vocab_size", "n_words", "hidden_size", "embedding_size", "intermediate_size", "num_attention_heads"),
    *("d_model", "d_ff", "dim", "hidden_dim", "emb_dim", "n_embd", "n_head", "n_heads", "num_heads"),
    *("max_position_embeddings", "n_positions"),
)
_LARGEST = 2**31


def read_files(folder: Path, source: str | None = None, with_weights: bool = True) -> list[Path]:
    """The files of a folder that are loaded, sorted by name; only those that exist.

    source: the file that the weights are read from if they are not safetensors; a GGUF file has all else, too.
    with_weights: they are loaded at all. Raises HerbariumError for a list of weights that is damaged, or names
    something other than a safetensors file in this folder.
    """
    if gguf.is_named(source):
        return [folder / source]
    of_weights = () if not with_weights else (source,) if source else _WEIGHTS
    patterns = (*_PATTERNS, *of_weights)
    names = {path.name for pattern in patterns for path in folder.glob(pattern) if not path.name.startswith(".")}
    for index in _indices(folder) if of_weights == _WEIGHTS else []:
        names |= set(_listed(index))
    return [folder / name for name in sorted(names)]


def checksums(folder: Path, source: str | None = None, with_weights: bool = True) -> dict[str, str]:
    """sha256 of each file of a folder that is loaded, by its name. source, with_weights: as in `read_files`."""
    return {path.name: file_hash(path) for path in read_files(folder, source, with_weights)}


def of_weights(files: dict[str, str]) -> dict[str, str]:
    """Those of some files that determine what a model computes from token ids, by name: not those of its tokenizer."""
    return {name: sha256 for name, sha256 in files.items() if not any(fnmatchcase(name, text) for text in _OF_TEXTS)}


def of_transformer(folder: Path) -> Path:
    """The folder of the transformer in one of sentence-transformers: the same, or one in it. A damaged list of its
    parts, or one whose first part is elsewhere, is taken for that of the folder itself."""
    try:
        first = json.loads((folder / MODULES).read_text(encoding="utf-8"))[0]["path"]
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return folder
    return folder / first if isinstance(first, str) and first and Path(first).name == first else folder


def weight_files(folder: Path) -> list[Path]:
    """The files that transformers takes the weights of a plain model from: one, or those that an index lists; empty if
    there are none."""
    one, index = folder / _ONE, folder / f"{_ONE}.index.json"
    if one.exists():
        return [one]
    return [folder / name for name in sorted(set(_listed(index)))] if index.exists() else []


def tensors(file: Path) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor in a file of weights, by its name. Raises HerbariumError when it is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as weights:
            return {name: tuple(weights.get_slice(name).get_shape()) for name in weights.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise HerbariumError(f"{file} is damaged, or not a safetensors file: {error}") from error


def check(folder: Path, source: str | None = None, with_weights: bool = True) -> None:
    """Raise HerbariumError for a file of a folder that is empty, truncated, not a file, or not what its name says.

    source, with_weights: as in `read_files`. Nothing is loaded: of weights, only headers are read.
    """
    files = read_files(folder, source, with_weights)
    for file in files:
        if not file.is_file():
            what = "a folder" if file.is_dir() else "a broken link" if file.is_symlink() else "missing"
            raise HerbariumError(f"{file} is {what}; it should be a file.")
        require_readable(file)
        if file.stat().st_size == 0:
            raise HerbariumError(f"{file} is empty.")
    try:
        config = read_json(folder / CONFIG)
    except HerbariumError as error:
        raise HerbariumError(f"{folder} has no configuration that transformers can read: {error}") from error
    if with_weights and not source and not config.get("transformers_weights"):
        _require_one_candidate(folder)
    contents = {file.name: read_json(file) for file in files if file.suffix == ".json"}
    n_tensors = sum(len(tensors(file)) for file in files if file.suffix == ".safetensors")
    _check_config(folder / CONFIG, config, n_tensors if with_weights and not source else None)
    settings = contents.get("tokenizer_config.json", {})
    for key in ("model_max_length", "max_len"):
        if not (settings.get(key) is None or _is_number(settings[key])):
            raise HerbariumError(
                f"{folder / 'tokenizer_config.json'}: '{key}' is {settings[key]!r}, not a number above 0."
            )


def _require_one_candidate(folder: Path) -> None:
    """Raise HerbariumError if a folder has the weights of a plain model twice: which of them is newer, no file says."""
    one, index = folder / _ONE, folder / f"{_ONE}.index.json"
    if one.exists() and index.exists() and set(_listed(index)) != {_ONE}:
        raise HerbariumError(
            f"{folder} has its weights twice: in {_ONE}, and in the files that {index.name} lists. Which of them is "
            "meant cannot be told; remove the others."
        )


def read_json(file: Path) -> dict:
    """The JSON object in a file. Raises HerbariumError if it is not one."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise HerbariumError(f"{file} is damaged, or not JSON: {error}") from error
    if not isinstance(content, dict):
        raise HerbariumError(f"{file} does not hold a JSON object, but {type(content).__name__}.")
    return content


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _check_config(file: Path, config: dict, n_tensors: int | None) -> None:
    """n_tensors: of the weights; None if it is not known."""
    for key in ("model_type", "tokenizer_class"):
        if not isinstance(config.get(key), str | None):
            raise HerbariumError(f"{file}: '{key}' is {config[key]!r}, not a name.")
    named = config.get("architectures")
    if named is not None and not (isinstance(named, list) and all(isinstance(name, str) for name in named)):
        raise HerbariumError(f"{file}: 'architectures' is {named!r}, not a list of names.")
    if quantised := config.get("quantization_config"):
        method = quantised.get("quant_method") if isinstance(quantised, dict) else quantised
        raise HerbariumError(
            f"{file}: the weights are quantised ({method}), and cannot be scored as they are: a score could depend on "
            "what else is in its batch. Dequantise them (`model.dequantize()` of transformers, before the model has "
            "run), save model and tokenizer, and use that folder (docs/your_model.md)."
        )
    for key in _SIZES:
        size = config.get(key)
        if size is None or isinstance(size, list):  # in some families, a list with one size per layer
            continue
        if not (type(size) is int and 0 < size < _LARGEST):
            raise HerbariumError(f"{file}: '{key}' is {size!r}, not a whole number from 1 to {_LARGEST - 1}.")
        if key in _LAYERS and n_tensors is not None and size > n_tensors:
            raise HerbariumError(f"{file}: '{key}' is {size}, but the weights have {n_tensors} tensors in all.")
    if (named := config.get("transformers_weights")) is not None and not _is_plain(named, _WEIGHTS):
        raise HerbariumError(f"{file}: 'transformers_weights' is {named!r}, not a safetensors file in its folder.")


def _indices(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob(_INDEX) if not path.name.startswith("."))


def _listed(index: Path) -> list[str]:
    """The files that a list of weights names."""
    names = read_json(index).get("weight_map")
    if not isinstance(names, dict) or not names:
        raise HerbariumError(f"{index} is damaged: it has no 'weight_map' to say which tensor is in which file.")
    for tensor, name in names.items():
        if not _is_plain(name, _WEIGHTS[:1]):
            raise HerbariumError(
                f"{index}: '{tensor}' is said to be in {name!r}. Only safetensors files in its own folder are read."
            )
    return list(names.values())


def _is_plain(name: object, patterns: tuple[str, ...]) -> bool:
    """Whether a name is that of a file in the same folder, and matches a pattern."""
    is_here = isinstance(name, str) and Path(name).name == name and not name.startswith(".")
    return is_here and any(Path(name).match(pattern) for pattern in patterns)
