"""Words and sentences whose vectors are needed, and a source's vectors for them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.store import schema

# One row per vector that is needed: that of the characters `start` to `end` of `text`, a word on its own or in a
# sentence. For planted sources (`vectors.planted`): `concept`, its meaning, equal for translations; `gender`, +1 if it
# is masculine by definition, -1 feminine, 0 neither; `lean`, the same by stereotypes.
WORDS = schema(
    "words",
    ("text", pa.string()),
    ("start", pa.int32()),
    ("end", pa.int32()),
    ("concept", pa.string()),
    ("gender", pa.float64()),
    ("lean", pa.float64()),
)
# One row per row of the words, in order. `vector`: of all layers, one after the other; null if there is none, and
# `note` says why.
VECTORS = schema(
    "vectors",
    ("n_tokens", pa.int32()),
    ("vector", pa.list_(pa.float32())),
    ("note", pa.string()),
    nullable=("vector", "note"),
)
# One row per word of a vocabulary, most frequent first: vectors that the study trained. count: in their corpus.
WORD_VECTORS = schema("word_vectors", ("word", pa.string()), ("count", pa.int64()), ("vector", pa.list_(pa.float32())))
# The name of the only layer of sources without layers, and of a model's input embeddings.
ONLY = "input"


# What notes on words say that a file has in lower case only.
LOWERCASE = "lowercase: true"


class Vectors(NamedTuple):
    """layers: their names. values: (n, n_layers, dimensions) of float32, nan if there is no vector. n_tokens, notes:
    (n,)."""

    layers: list[str]
    values: np.ndarray
    n_tokens: np.ndarray
    notes: np.ndarray

    def of(self, layer: str) -> np.ndarray:
        """(n, dimensions) of float64: the vectors of one layer."""
        return self.values[:, self.layers.index(layer)].astype(float)


def bare(words: Sequence[str], **known: Sequence) -> pd.DataFrame:
    """Words on their own, with the schema "words". known: `concept`, `gender`, `lean`; else the word itself, 0, 0."""
    table = pd.DataFrame({"text": list(words), "start": 0, "end": [len(word) for word in words]})
    usual = {"concept": table["text"], "gender": 0.0, "lean": 0.0}
    return table.assign(**usual | known)[WORDS.fields.names]


def asked(words: pd.DataFrame) -> list[str]:
    """The words whose vectors are needed: the characters of each text between its bounds. words: with the schema
    "words"."""
    return [text[start:end] for text, start, end in zip(words["text"], words["start"], words["end"], strict=True)]


def read(path: str) -> Vectors:
    """The vectors of a file that rule `represent` wrote."""
    table = store.read_table(path, VECTORS.name)
    layers = store.read_header(path, VECTORS.name)["layers"]
    flat = table["vector"].combine_chunks()
    is_there = ~np.asarray(flat.is_null())
    numbers, n = np.asarray(flat.flatten(), dtype=np.float32), is_there.sum()
    vectors = numbers.reshape(n, len(layers), numbers.size // max(1, n * len(layers)))
    values = np.full((len(table), *vectors.shape[1:]), np.nan, dtype=np.float32)
    values[is_there] = vectors
    notes = np.array(table["note"].to_pylist(), dtype=object)
    return Vectors(layers, values, table["n_tokens"].to_numpy(), notes)


def made_of(values: Sequence[np.ndarray | None], n_tokens: Sequence[int], notes: Sequence[str | None]) -> pa.Table:
    """A table with the schema "vectors". values: for each row (n_layers, dimensions), or None if there is none."""
    flat = [None if value is None else np.asarray(value, dtype=np.float32).ravel() for value in values]
    columns = [pa.array(n_tokens, pa.int32()), pa.array(flat, pa.list_(pa.float32())), pa.array(notes, pa.string())]
    return pa.table(columns, names=VECTORS.fields.names)
