"""Pairs of sentences that differ in gendered words, with the word in each whose vector is compared; and the same
sentences with a word without gender swapped."""

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError, did_you_mean, nearest
from herbarium.core.resources import check_cells, finder, read_text_table
from herbarium.core.store import schema
from herbarium.metrics.gender_in_context.names import GENDER
from herbarium.vectors import tables

# One row per needed vector, in the order of the table of words. `pair`: its number. `swap`: GENDER, or the neutral
# swap, "the → a". `side`: 0 or 1, of the two sides of the set of sentences; a neutral swap has the sentence of the
# first as its side 0. `stereotype`: the side that stereotypes assign to the word, null if there is none. `is_seen`: the
# difference begins before the word, so that a model that reads from left to right has seen it.
DESIGN = schema(
    "gender_in_context_design",
    ("pair", pa.int32()),
    ("swap", pa.string()),
    ("side", pa.int8()),
    ("word", pa.string()),
    ("stereotype", pa.int8()),
    ("is_seen", pa.bool_()),
    nullable=("stereotype",),
)


def read_neutral(path: str | Path) -> dict[str, str]:
    """Words without gender and their replacements: columns `word` and `replacement`, in lower case.

    Raises HerbariumError, with the row, for an empty cell.
    """
    table = read_text_table(path, ["word", "replacement"])
    check_cells(path, table, ["word", "replacement"])
    return list(table[["word", "replacement"]].itertuples(index=False, name=None))


def instantiate(
    sentences: pd.DataFrame, word: str, stereotype: str | None, sides: list[str], neutral: list[tuple[str, str]]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The words whose vectors are needed, of the schema "words"; their design, of `DESIGN`; and what was left out.

    sentences: `set`, `side`, `text`, and the columns `word`, which names the word of each set, and `stereotype`, whose
    values are sides. A set whose sentences are equal, or lack the word, is left out. Raises HerbariumError if there is
    no such column, a word has two stereotypes, or no set is left.
    """
    for column in filter(None, (word, stereotype)):
        if column not in sentences:
            raise HerbariumError(f"The sentences have no column '{column}'{did_you_mean(column, sentences.columns)}")
    if stereotype:
        _check_stereotypes(sentences, word, stereotype, sides)
    rows, left_out = [], []
    for pair, (name, group) in enumerate(sentences.groupby("set", sort=False)):
        by_side = group.set_index("side").loc[sides]
        texts, word_text = by_side["text"].tolist(), by_side[word].iloc[0]
        spans = [_span(text, word_text) for text in texts]
        if None in spans or texts[0] == texts[1]:
            why = "the sentences are equal" if None not in spans else f"a sentence lacks the word '{word_text}'"
            left_out.append(f"{name}: {why}")
            continue
        of_pair = {"pair": pair, "word": word_text, "stereotype": _place(by_side, stereotype, sides)}
        rows += _rows(GENDER, texts, spans, of_pair)
        for one, other in neutral:
            if (text := _swapped(texts[0], spans[0], one, other)) is not None:
                rows += _rows(f"{one} → {other}", [texts[0], text], [spans[0], _span(text, word_text)], of_pair)
    if not rows:
        raise HerbariumError(f"No set of sentences has a word to measure; the first fault: {left_out[0]}.")
    table = pd.DataFrame(rows)
    words = tables.bare(table["text"], concept=table["word"]).assign(start=table["start"], end=table["end"])
    return words, table[DESIGN.fields.names].astype({"stereotype": "Int8"}), left_out


def words_behind(sentences: pd.DataFrame, word: str, sides: list[str]) -> set[str]:
    """The words that come after what differs in a pair: of a model that reads from left to right, only their vectors
    depend on it. Arguments as for `instantiate`."""
    _, design, _ = instantiate(sentences, word, None, sides, [])
    return set(design.loc[design["is_seen"], "word"])


def _check_stereotypes(sentences: pd.DataFrame, word: str, stereotype: str, sides: list[str]) -> None:
    """Raises HerbariumError, with the words, if sets disagree on the stereotype of a word, in whichever case; and if
    none of the stereotypes is a side, or one is nearly."""
    others = [value for value in sentences[stereotype].dropna().unique() if value and value not in sides]
    for value in others:
        if nearest(value, sides) or not sentences[stereotype].isin(sides).any():
            raise HerbariumError(
                f"The stereotype '{value}' in the column '{stereotype}' is no side{did_you_mean(value, sides)}."
            )
    values = sentences[stereotype].fillna("").groupby(sentences[word].str.lower()).unique()
    if len(twice := values[values.map(len) > 1]):
        of_words = (f"{name}: {', '.join(repr(value) for value in sorted(words))}" for name, words in twice.items())
        raise HerbariumError(
            f"A word has one value in the column '{stereotype}', the same in all sets; {'; '.join(of_words)}."
        )


def _rows(swap: str, texts: list[str], spans: list[tuple[int, int]], of_pair: dict) -> list[dict]:
    begins = next((place for place, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), 0)
    return [
        of_pair | {"swap": swap, "side": side, "text": text, "start": start, "end": end, "is_seen": begins < start}
        for side, (text, (start, end)) in enumerate(zip(texts, spans, strict=True))
    ]


def _place(by_side: pd.DataFrame, stereotype: str | None, sides: list[str]) -> int | None:
    value = by_side[stereotype].iloc[0] if stereotype else None
    return sides.index(value) if value in sides else None


def _span(text: str, word: str) -> tuple[int, int] | None:
    """The first position of a word in a text; None if it does not occur, or is empty."""
    match = word and finder([word], re.IGNORECASE).search(text)
    return match.span() if match else None


def _swapped(text: str, span: tuple[int, int], one: str, other: str) -> str | None:
    """The text with every `one` as `other`, in the same case, except the word at the span; None without one."""

    def cased(match: re.Match) -> str:
        inside = match.start() < span[1] and span[0] < match.end()
        return match[0] if inside else other.capitalize() if match[0][0].isupper() else other

    changed = finder([one], re.IGNORECASE).sub(cased, text)
    return None if changed == text else changed
