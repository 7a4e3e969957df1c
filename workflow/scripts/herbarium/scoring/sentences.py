"""What metrics do with the sentences of their stimuli: number them, divide them among shards, find their scores."""

import hashlib
from collections.abc import Iterable, Sequence

import pandas as pd

# The note on a sentence that the model cannot tell from another.
SAME = "refused: to the model, another sentence of its set is the same"


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
    """Sentences without the values of those that are one and the same to the model as another of their set: a tokenizer
    that drops accents makes *papa* of *papá*, and the number would be 0 whatever the model.

    sentences: `set`, `value`, `note` and `given` (of `tokens`) of each.
    """
    is_same = sentences["value"].notna() & sentences.duplicated(["set", "given"], keep=False)
    return sentences.assign(value=sentences["value"].mask(is_same), note=sentences["note"].mask(is_same, SAME))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
