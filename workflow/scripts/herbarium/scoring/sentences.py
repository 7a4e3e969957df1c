"""What metrics do with the sentences of their stimuli: number them, divide them among shards, find their scores."""

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import repeat

import pandas as pd

# The note on a sentence that the model cannot tell from another.
SAME = "refused: to the model, another sentence of its set is the same"
SAME_TEXT = "refused: another sentence of its set is the same text, in other characters (NFC and NFD)"


def sentence_id(text: str) -> int:
    """A 63-bit number that depends only on the text, so that the scores of different runs can be joined."""
    return _number(text) >> 1


def paired_ids(sides: Iterable[str], texts: Sequence[str]) -> list[int]:
    """Ids of sentences whose score depends on their partner's words: sentences 2i and 2i + 1 are a pair.

    Two pairs may share a sentence, so an id depends on its side and on both texts. sides: of each sentence.
    """
    firsts = (place - place % 2 for place in range(len(texts)))
    return [
        sentence_id("\x1f".join([side, *texts[first : first + 2]])) for side, first in zip(sides, firsts, strict=True)
    ]


def shard_of(key: str, n_shards: int) -> int:
    """The shard for a key, 0 to n_shards - 1: it depends only on the key, so that a new one moves no other."""
    return _number(key) % n_shards


def by_sentence(scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The values of each sentence, one column per quantity, and the first note on it, if there is one; both indexed by
    `sentence_id`.

    scores: with the schema "scores". A sentence may occur several times, with equal values.
    """
    scores = scores.drop_duplicates(["sentence_id", "quantity"])
    values = scores.pivot(index="sentence_id", columns="quantity", values="value")
    notes = scores[scores["note"].notna()].drop_duplicates("sentence_id").set_index("sentence_id")["note"]
    return values, notes


def tokens(scores: pd.DataFrame) -> pd.DataFrame:
    """`n_tokens` and `given` of each sentence, for its first quantity, indexed by `sentence_id`. scores: as above."""
    return scores.drop_duplicates("sentence_id").set_index("sentence_id")[["n_tokens", "given"]]


def told_apart(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sentences without the values of those that are one and the same as another of their set: to the model, as a
    tokenizer that drops accents makes *papa* of *papá*, and the number would be 0 whatever the model; or to Unicode,
    as a letter with its accent and the same letter followed by the accent alone (NFC).

    sentences: `set`, `value`, `note` and `given` (of `tokens`) of each, and perhaps `text`.
    """
    has_value = sentences["value"].notna()
    is_same = has_value & sentences.duplicated(["set", "given"], keep=False)
    notes = sentences["note"].mask(is_same, SAME)
    if "text" in sentences and not all(map(unicodedata.is_normalized, repeat("NFC"), sentences["text"])):
        composed = sentences[["set"]].assign(text=sentences["text"].map(partial(unicodedata.normalize, "NFC")))
        is_equal = (
            has_value & ~is_same & composed.duplicated(keep=False) & ~sentences.duplicated(["set", "text"], False)
        )
        is_same, notes = is_same | is_equal, notes.mask(is_equal, SAME_TEXT)
    return sentences.assign(value=sentences["value"].mask(is_same), note=notes)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
