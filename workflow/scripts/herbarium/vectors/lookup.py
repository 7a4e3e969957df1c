"""Sources that have one vector per word, whatever its context: files, and vectors that are planted or trained."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.models import hub
from herbarium.vectors import files, planted, tables
from herbarium.vectors.tables import WORD_VECTORS, made_of


def place(entry: dict) -> Path:
    """The path of a file of word vectors on this machine: one on the hub is fetched unless the cache has it.

    entry: of `vectors` in the configuration, as plain data, here and below.
    """
    if entry["hub"] is None:
        return Path(entry["path"])
    return hub.fetch(entry["hub"], entry["revision"], hub.MODEL, [entry["path"]]) / entry["path"]


def vectors(words: pd.DataFrame, entry: dict, source: str, seed: int, trained: str | None = None) -> pa.Table:
    """A source's vectors for words, with the schema "vectors", in their order.

    words: with the schema "words". source: the name of the source. trained: the file of its trained vectors, whose
    words are in lower case.
    """
    wanted, in_other_case = looked_up(tables.asked(words), entry), set()
    if entry["planted"] is not None:
        known = (words[column].to_numpy() for column in ("concept", "gender", "lean"))
        values = list(planted.vectors(wanted, *known, source, entry["planted"], entry["rotated"], seed))
    elif trained:
        by_word = read_trained(trained, set(wanted), entry["trained"]["part"])
        values = [by_word.get(word) for word in wanted]
    else:
        by_word = files.read(place(entry), {*wanted, *map(str.lower, wanted)}).vectors
        values = [by_word.get(word) for word in wanted]
        in_other_case = by_word.keys() - set(wanted)
    notes = [
        None if value is not None else _lacking(word, word.lower() in in_other_case, source)
        for word, value in zip(wanted, values, strict=True)
    ]
    return made_of(values, [int(value is not None) for value in values], notes)


def _lacking(word: str, is_there_in_lower_case: bool, source: str) -> str:
    other = f", but '{word.lower()}': set `{tables.LOWERCASE}` in vectors.{source}" if is_there_in_lower_case else ""
    return f"no word '{word}'{other}"


def looked_up(words: Sequence[str], entry: dict) -> list[str]:
    """The form in which words are looked up: in lower case if the source has them so."""
    return [word.lower() for word in words] if entry["lowercase"] or entry["trained"] else list(words)


def blocks(entry: dict, trained: str | None, size: int) -> Iterator[tuple[list[str], np.ndarray]]:
    """The whole vocabulary of a source that has one (`section.Source.has_vocabulary`) and its vectors, (n, dimensions)
    of float32, `size` words at a time. trained: as in `vectors`."""
    if not trained:
        yield from files.blocks(place(entry), size)
        return
    end = _end(entry["trained"]["part"])
    for piece in store.read_pieces([trained], WORD_VECTORS.name):
        for batch in piece.to_batches(max_chunksize=size):
            values = np.asarray(batch["vector"].flatten()).reshape(len(batch), -1)
            yield batch["word"].to_pylist(), values[:, :end]


def read_trained(path: str, wanted: Collection[str], part: str) -> dict[str, np.ndarray]:
    """The vectors of some words, with the schema "word_vectors". part: `neutral`, without their last coordinate."""
    table = store.read_table(path, WORD_VECTORS.name, ["word", "vector"])
    is_wanted = np.array([word in wanted for word in table["word"].to_pylist()], dtype=bool)
    table = table.filter(pa.array(is_wanted))
    end = _end(part)
    rows = zip(table["word"].to_pylist(), table["vector"].to_pylist(), strict=True)
    return {word: np.array(vector[:end], dtype=np.float32) for word, vector in rows}


def _end(part: str) -> int | None:
    """The end of the coordinates of a vector."""
    return -1 if part == "neutral" else None
