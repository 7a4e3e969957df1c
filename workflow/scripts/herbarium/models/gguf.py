"""GGUF files, the format of llama.cpp: what one says of itself, and whether transformers can read a model from it.

Only the header is read, so that a file can be refused before anything is loaded (`converting` reads the weights).
"""

import math
import mmap
import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from herbarium.core.errors import HerbariumError, require_readable
from herbarium.core.provenance import file_hash

SUFFIX = ".gguf"
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
# The causal models among those that transformers reads from such a file, by `general.architecture`.
ARCHITECTURES = (
    *("bloom", "deci", "falcon", "gemma2", "gemma3", "gemma4", "gpt-oss", "gpt2", "lfm2", "llama", "mamba"),
    *("minimax-m2", "mistral", "nemotron", "phi3", "qwen2", "qwen2moe", "qwen3", "qwen35", "qwen35moe", "qwen3moe"),
    *("stablelm", "starcoder2"),
)
# How a byte-level tokenizer cuts a text before it merges (`tokenizer.ggml.pre`): as GPT-2's does; as GPT-2's, and every
# digit alone; and otherwise, as transformers writes down.
GPT2_SPLITS = ("gpt-2", "jais", "mpt", "olmo", "phi-2", "roberta-bpe")
DIGIT_SPLITS = ("codeshell", "command-r", "refact", "smollm", "starcoder")
OTHER_SPLITS = (
    *("dbrx", "deepseek-r1-qwen", "f2llmv2", "falcon-h1", "falcon3", "gpt-4o", "jina-v5-nano", "kanana2", "kormo"),
    *("lfm2", "llama-bpe", "llama-v3", "llama3", "llama4", "megrez", "midm-2.0", "minimax-m2", "pixtral", "qwen2"),
    *("qwen35", "smaug-bpe", "talkie", "tekken"),
)
# Of these, the ones that take a word of the vocabulary whole, whatever the merges say.
WHOLE_WORDS = (
    *("falcon-h1", "falcon3", "jina-v5-nano", "lfm2", "llama-bpe", "llama-v3", "llama3", "midm-2.0", "pixtral"),
    "tekken",
)
# What a model adds to a variance before it divides by its root: each has one of the two.
EPSILONS = ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon")
# The base of the frequencies of rotary positions, which all architectures have but these.
BASE, WITHOUT_BASE = "rope.freq_base", ("bloom", "gpt2", "mamba")
# What is in a file that is no model of words (`general.type`).
_NO_MODELS = {
    "adapter": "an adapter (LoRA), which is not a model on its own: merge it into its base with llama.cpp's "
    "llama-export-lora, or give the base as `path:` or `hub:` and a PEFT adapter as `adapter:`",
    "mmproj": "a projector (mmproj), the part of a model that reads images or sound: use the file of the language "
    "model beside it",
    "imatrix": "an importance matrix, with which models are quantised",
    "vocab": "a vocabulary without weights",
}
_PART = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
# Factors of each frequency of rotary positions: Llama 3.1 and later.
ROPE_FACTORS = "rope_freqs.weight"
# Numbers in the header, by the format's numbers of their types; beside these there are strings and arrays.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class Tensor(NamedTuple):
    """A tensor of a file: the name of its type ("F32", "Q4_K"), its shape as in torch, and where it begins, in bytes
    from the beginning of the file."""

    kind: str
    shape: tuple[int, ...]
    start: int


class Header(NamedTuple):
    """What a file says before its numbers. values: by key; of an array, only its length. tensors: by name."""

    values: dict[str, Any]
    tensors: dict[str, Tensor]

    @property
    def architecture(self) -> str:
        """`general.architecture`."""
        return str(self.values.get("general.architecture"))

    def of_model(self, key: str) -> Any:
        """A value of the model itself, such as "block_count"; None if the file does not have it."""
        return self.values.get(f"{self.architecture}.{key}")

    @property
    def n_numbers(self) -> int:
        """How many numbers the weights are, without factors of rotary positions."""
        return sum(math.prod(tensor.shape) for name, tensor in self.tensors.items() if name != ROPE_FACTORS)


def is_named(file: str | None) -> bool:
    """Whether a file has the name of a GGUF file."""
    return file is not None and file.endswith(SUFFIX)


def is_one(file: Path) -> bool:
    """Whether a file begins as a GGUF file does, whatever its name."""
    with file.open("rb") as content:
        return content.read(len(_MAGIC)) == _MAGIC


def read(file: Path) -> Header:
    """The header of a file. Raises HerbariumError if it is not a GGUF file, is damaged, or ends too early."""
    require_readable(file)
    if not is_one(file):
        raise HerbariumError(f"{file} is not a GGUF file: it does not begin as one.")
    with file.open("rb") as content, mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            header, end = _Reader(data, len(_MAGIC)).header()
        except struct.error as error:
            raise HerbariumError(f"{file} is truncated: it ends within its header. Download it again.") from error
        except (UnicodeDecodeError, OverflowError, ValueError) as error:
            raise HerbariumError(f"{file} is damaged: {error}") from error
        size = len(data)
    if end > size:
        raise HerbariumError(
            f"{file} is truncated: its header speaks of {end:,} bytes, and it has {size:,}. Download it again."
        )
    return header


def check(file: Path, says: str) -> Header:
    """The header of a file that holds a causal model which transformers can read.

    says: how an error begins. Raises HerbariumError, with file and reason, for any other.
    """
    if not file.is_file():
        raise HerbariumError(f"{says}: no such GGUF file: {file}.")
    try:
        header = read(file)
    except HerbariumError as error:
        raise HerbariumError(f"{says}: {error}") from error
    if fault := _fault(header, file):
        raise HerbariumError(f"{says}: the GGUF file {file} {fault}.")
    return header


def _fault(header: Header, file: Path) -> str | None:
    """Why there is no model to be read; None if there is one."""
    values, architecture = header.values, header.architecture
    if not isinstance(n_parts := values.get("split.count", 0), int):
        return f"is damaged: its split.count is {n_parts!r}, not a number"
    if _PART.search(file.name) or n_parts > 1:
        return (
            "is one of several parts of a model; merge them with llama.cpp's "
            "`llama-gguf-split --merge FIRST-PART MERGED.gguf`, and give the merged file"
        )
    what = "mmproj" if architecture == "clip" else values.get("general.type", "model")
    if what in _NO_MODELS:
        return f"is {_NO_MODELS[what]}"
    if architecture not in ARCHITECTURES:
        return (
            f"is a model of the architecture '{architecture}', which transformers does not read from GGUF as a causal "
            f"model; it reads {', '.join(ARCHITECTURES)}. Use the model that it was made from"
        )
    if not header.tensors:
        return "holds no weights"
    if not isinstance(values.get("tokenizer.ggml.tokens"), int):
        return "holds no tokenizer (tokenizer.ggml.tokens)"
    split = values.get("tokenizer.ggml.pre")
    if values.get("tokenizer.ggml.model") == "gpt2" and split not in (*GPT2_SPLITS, *DIGIT_SPLITS, *OTHER_SPLITS):
        return (
            f"says that its tokenizer cuts texts as '{split}' does (tokenizer.ggml.pre), which transformers does not "
            "know: texts would get other tokens. Use the model that it was made from"
        )
    if header.of_model("rope.scaling.type") not in (None, "none", "linear") and architecture != "gpt-oss":
        return (
            f"scales its positions by '{header.of_model('rope.scaling.type')}', which transformers does not read from "
            "GGUF. Use the model that it was made from"
        )
    needed = [EPSILONS] if architecture in WITHOUT_BASE else [EPSILONS, (BASE,)]
    for keys in needed:
        if not any(_is_positive(header.of_model(key)) for key in keys):
            return (
                f"has no number for {architecture}.{keys[0]}: the library would take one of its own, perhaps not that "
                "of the model's training. Convert the model anew with a current llama.cpp"
            )
    return None


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def describe(file: Path) -> dict[str, Any]:
    """What the record of a model says of the file that it was read from: its name, sha256 and architecture, its type
    as llama.cpp names it, how many tensors have each type, and a note if they are quantised."""
    from gguf.constants import LlamaFileType

    header = read(file)
    types = Counter(tensor.kind for tensor in header.tensors.values())
    number = header.values.get("general.file_type")
    named = {kind.value: kind.name.removeprefix("MOSTLY_").removeprefix("ALL_") for kind in LlamaFileType}
    file_type = named.get(number, types.most_common(1)[0][0])
    is_quantised = bool(types.keys() - {"F32", "F16", "BF16", "F64"})
    return {
        "file": file.name,
        "sha256": file_hash(file),
        "architecture": header.architecture,
        "file_type": file_type,
        "tensor_types": dict(sorted(types.items())),
        "note": f"Quantised weights ({file_type}), dequantised: numbers are of this file, not of the model that it was "
        "made from."
        if is_quantised
        else None,
    }


class _Reader:
    """Reads a header from its bytes, from a place on. Errors are those of struct and of text."""

    def __init__(self, data: mmap.mmap, at: int):
        self._data, self._at = data, at

    def header(self) -> tuple[Header, int]:
        """The header, and how many bytes the file must have."""
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        version = self._number("I")
        if version not in _VERSIONS:
            raise ValueError(f"its version is {version}, not {' or '.join(map(str, _VERSIONS))}")
        n_tensors, n_values = self._number("Q"), self._number("Q")
        values = {self._string(): self._value(self._number("I")) for _ in range(n_values)}
        entries = [self._entry() for _ in range(n_tensors)]
        alignment = values.get("general.alignment", 32)
        if not (type(alignment) is int and alignment > 0):
            raise ValueError(f"general.alignment is {alignment!r}, not a number of bytes")
        begin = -(-self._at // alignment) * alignment
        tensors, end = {}, begin
        for name, shape, number, offset in entries:
            kind = GGMLQuantizationType(number)
            per_block, block_bytes = GGML_QUANT_SIZES[kind]
            tensors[name] = Tensor(kind.name, shape, begin + offset)
            end = max(end, begin + offset + math.prod(shape) // per_block * block_bytes)
        return Header(values, tensors), end

    def _entry(self) -> tuple[str, tuple[int, ...], int, int]:
        name, n = self._string(), self._number("I")
        shape = tuple(self._number("Q") for _ in range(n))[::-1]
        return name, shape, self._number("I"), self._number("Q")

    def _number(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self._data, self._at)
        self._at += struct.calcsize(f"<{code}")
        return value

    def _string(self) -> str:
        n = self._number("Q")
        self._at += n
        if self._at > len(self._data):
            raise ValueError("a text goes beyond its end")
        return self._data[self._at - n : self._at].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            raise ValueError(f"a value of type {kind}")
        inner, n = self._number("I"), self._number("Q")
        if inner in _NUMBERS:
            self._at += n * struct.calcsize(f"<{_NUMBERS[inner]}")
        elif inner == _STRING:
            for _ in range(n):
                length = self._number("Q")
                self._at += length
        else:
            raise ValueError(f"an array of type {inner}")
        return n
