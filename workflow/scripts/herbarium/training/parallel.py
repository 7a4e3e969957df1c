"""Parallel texts: which of them are used, and how their words are aligned."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.resources import numbered
from herbarium.core.store import schema
from herbarium.training import word_alignment

# One row per row of the source, in order. `text` is empty if that has none.
PARALLEL = schema("parallel", ("text", pa.string()))
# One row per word and its translation, in the order of the texts. `row`: of both texts. The first character of each
# word and the one after its last; `from_text` and `to_text`: the words.
ALIGNMENTS = schema(
    "alignments",
    ("row", pa.int64()),
    *((f"{side}_{what}", pa.int32()) for side in ("from", "to") for what in ("start", "end")),
    *((f"{side}_text", pa.string()) for side in ("from", "to")),
)
_PAIR = re.compile(r"(\d+)-(\d+)")


def as_table(texts: Sequence[object]) -> pd.DataFrame:
    """Texts as a table of the schema "parallel"; what is not text becomes an empty text."""
    return pd.DataFrame({"text": [text.strip() if isinstance(text, str) else "" for text in texts]}, dtype=object)


def require_equal(name: str, n_rows: dict[str, int]) -> None:
    """Raise HerbariumError if parallel texts differ in their number of rows. n_rows: language, or file -> rows."""
    if len(set(n_rows.values())) > 1:
        counts = ", ".join(f"{n:,} of {source}" for source, n in n_rows.items())
        raise HerbariumError(
            f"parallel.{name}: there are {counts}; each row must be the translation of the same row of the others, or "
            "empty if there is none."
        )


def chosen(sides: Sequence[Sequence[str]], name: str, max_texts: int | None, seed: int) -> np.ndarray:
    """The rows that are used, ascending: those with text on each side, or a random sample of `max_texts` of them.

    Raises HerbariumError if there is none.
    """
    rows = np.array([row for row, texts in enumerate(zip(*sides, strict=True)) if all(texts)], dtype=np.int64)
    if not len(rows):
        raise HerbariumError(f"parallel.{name}: no row has a text in each of the languages.")
    return np.sort(stream(seed, "parallel", name).permutation(rows)[:max_texts])


def learned(rows: np.ndarray, sides: tuple[Sequence[str], Sequence[str]]) -> pd.DataFrame:
    """A table with the schema "alignments", learned from the texts themselves, in both directions: the pairs on which
    these agree (`word_alignment`). Case is ignored. sides: the text of each row.
    """
    spans = [list(map(word_alignment.words, texts)) for texts in sides]
    words = [
        [
            [text[begin:end].lower() for begin, end in text_spans]
            for text, text_spans in zip(texts, side_spans, strict=True)
        ]
        for texts, side_spans in zip(sides, spans, strict=True)
    ]
    directions = []
    for source, target in ((0, 1), (1, 0)):
        translations = word_alignment.learn(words[source], words[target])
        directions.append(word_alignment.aligned(translations, words[source], words[target]))
    return _table(rows, sides, spans, word_alignment.symmetric(*directions))


def read_alignments(path: Path) -> list[np.ndarray]:
    """Pairs of word positions (n, 2) for each line of a file as fast_align writes it: `0-0 1-2`, from 0.

    Raises HerbariumError, with the line, for anything else.
    """
    rows = []
    for number, line in numbered(path):
        pairs = [_PAIR.fullmatch(pair) for pair in line.split()]
        if not all(pairs):
            raise HerbariumError(
                f"{path}, line {number}: '{line.split()[pairs.index(None)]}' is not a pair of words; pairs are numbers "
                "from 0, as in `0-0 1-2`."
            )
        rows.append(np.array([pair.groups() for pair in pairs], dtype=int).reshape(-1, 2))
    return rows


def given(
    rows: np.ndarray,
    sides: tuple[Sequence[str], Sequence[str]],
    alignments: Sequence[np.ndarray],
    is_reversed: bool,
    path: Path,
) -> pd.DataFrame:
    """A table with the schema "alignments" from those of a file (`read_alignments`), whose words are separated by
    spaces. sides: the text of each row. is_reversed: the file has the second side's word of each pair first.
    Raises HerbariumError, with the line, for a word that a text does not have.
    """
    pairs = [alignments[row][:, ::-1] if is_reversed else alignments[row] for row in rows]
    spans = [[[word.span() for word in re.finditer(r"\S+", text)] for text in texts] for texts in sides]
    for at, row in enumerate(rows):
        n_words = [len(spans[side][at]) for side in (0, 1)]
        if (pairs[at] >= n_words).any():
            raise HerbariumError(
                f"{path}, line {row + 1}: a pair has a word that does not exist; the texts have {n_words[0]} and "
                f"{n_words[1]} words separated by spaces, numbered from 0."
            )
    return _table(rows, sides, spans, pairs)


def with_words(
    texts: pd.Series, alignments: pd.DataFrame, side: str, lowercase: bool
) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """The texts that have aligned words, in order, and the positions of these words in each.

    texts: by row. alignments: with the schema "alignments". side: "from" or "to". lowercase: texts are lower-cased, in
    which a letter such as İ becomes longer.
    """
    shown, places = [], []
    for row, words in alignments.groupby("row"):
        text, bounds = texts[row], words[[f"{side}_start", f"{side}_end"]].to_numpy().tolist()
        shown.append(text.lower() if lowercase else text)
        places.append([tuple(len(text[:at].lower()) if lowercase else at for at in word) for word in bounds])
    return shown, places


def _table(rows, sides, spans, alignments: Sequence[np.ndarray]) -> pd.DataFrame:
    table_rows = []
    for at, row in enumerate(rows):
        for places in alignments[at]:
            words = [spans[side][at][place] for side, place in enumerate(places)]
            texts = [sides[side][at][begin:end] for side, (begin, end) in enumerate(words)]
            table_rows.append((row, *words[0], *words[1], *texts))
    return pd.DataFrame(table_rows, columns=ALIGNMENTS.fields.names)
