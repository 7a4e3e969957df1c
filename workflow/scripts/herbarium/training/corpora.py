"""Corpora: texts that models are trained further on, and how they are divided."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.training.swapping import ORIGINAL

# One row per text. `side`: of `swapping.SIDES`; a text whose terms were exchanged has the `text_id` and `split` of its
# original. `swapping.Swapped` explains the other columns.
CORPUS = schema(
    "corpus",
    ("text_id", pa.int64()),
    ("split", pa.string()),
    ("side", pa.string()),
    ("text", pa.string()),
    ("n_swapped", pa.int32()),
    ("n_ambiguous", pa.int32()),
)
# Ahn and Oh (2021), Appendix B: for training, for monitoring it, and for seeing its effect on the model.
SHARES = {"train": 0.64, "validation": 0.16, "test": 0.2}


def divided(texts: Iterable[object], name: str, max_texts: int | None, seed: int) -> pd.DataFrame:
    """A corpus as a table of the schema "corpus", its texts in random order and divided by `SHARES`.

    texts: anything that is not text, or is empty, is left out. Equal texts stay in one part, so that none is in both
    training and held-out parts. max_texts: the size of a random sample, if there are more.
    Raises HerbariumError if a part would be empty.
    """
    cleaned = pd.Series([text.strip() for text in texts if isinstance(text, str) and text.strip()], dtype=object)
    random = stream(seed, "corpus", name)
    cleaned = cleaned.iloc[random.permutation(len(cleaned))[:max_texts]].reset_index(drop=True)
    distinct = cleaned.unique()
    ends = np.round(np.cumsum(list(SHARES.values())) * len(distinct)).astype(int)
    part = np.searchsorted(ends, np.arange(len(distinct)), side="right")
    if not (np.bincount(part, minlength=len(SHARES)) > 0).all():
        raise HerbariumError(f"corpora.{name}: {len(distinct)} different texts are too few to divide into 3 parts.")
    split = pd.Series(np.array(list(SHARES))[part], index=distinct)
    return _corpus(split[cleaned].to_numpy(), cleaned)


def undivided(texts: pd.Series, name: str, max_texts: int | None, seed: int) -> pd.DataFrame:
    """A planted text as a corpus: all of it for training, and random samples of it, of the usual sizes, for the others.

    What is planted is the frequency of each sentence. A part of them would by chance have associations that nobody
    planted; and each of these sentences is expected in held-out parts. max_texts: the size of a random sample for
    training, if there are more.
    """
    if max_texts is not None and max_texts < len(texts):
        texts = texts.iloc[stream(seed, "corpus", name).choice(len(texts), max_texts, replace=False)]
    parts = [texts]
    for split in ("validation", "test"):
        n = max(1, round(SHARES[split] * len(texts)))
        parts.append(texts.iloc[stream(seed, "corpus", name, split).choice(len(texts), n, replace=False)])
    split = np.repeat(list(SHARES), list(map(len, parts)))
    whole = pd.concat(parts, ignore_index=True)
    return _corpus(split, whole)


def _corpus(split: np.ndarray, texts: pd.Series) -> pd.DataFrame:
    """Unchanged texts."""
    none = {"n_swapped": 0, "n_ambiguous": 0}
    return pd.DataFrame({"text_id": texts.index, "split": split, "side": ORIGINAL, "text": texts, **none})


def as_divided(swapped: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """A corpus whose terms were exchanged, divided as before. swapped: a `swapping.table` of its texts."""
    originals = before.iloc[swapped["text_id"]]
    return swapped.assign(text_id=originals["text_id"].to_numpy(), split=originals["split"].to_numpy())[
        CORPUS.fields.names
    ]
