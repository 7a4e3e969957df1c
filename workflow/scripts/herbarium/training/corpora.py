"""Corpora: texts that models go on learning from, and how they are divided."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema

# One row per text. `side`: "original", or "swapped" where its terms were exchanged; both have the `text_id` and `split`
# of the text as it was.
CORPUS = schema(
    "corpus",
    ("text_id", pa.int64()),
    ("split", pa.string()),
    ("side", pa.string()),
    ("text", pa.string()),
)
# Ahn and Oh (2021), Appendix B: to learn from, to see how it goes, and to see what it has done to the model.
SHARES = {"train": 0.64, "validation": 0.16, "test": 0.2}


def divided(texts: Iterable[object], name: str, max_texts: int | None, seed: int) -> pd.DataFrame:
    """A corpus as a table of the schema "corpus", its texts in random order and divided by `SHARES`.

    texts: anything that is not text, or is empty, is left out. Texts that are equal stay in one part, so that none is
    met in training and again where it is held out. max_texts: at most so many, drawn at random.
    Raises HerbariumError where a part would be empty.
    """
    found = pd.Series([text.strip() for text in texts if isinstance(text, str) and text.strip()], dtype=object)
    random = stream(seed, "corpus", name)
    found = found.iloc[random.permutation(len(found))[:max_texts]].reset_index(drop=True)
    distinct = found.unique()
    ends = np.round(np.cumsum(list(SHARES.values())) * len(distinct)).astype(int)
    part = np.searchsorted(ends, np.arange(len(distinct)), side="right")
    if not (np.bincount(part, minlength=len(SHARES)) > 0).all():
        raise HerbariumError(f"corpora.{name}: {len(distinct)} different texts are too few to be divided into 3 parts.")
    split = pd.Series(np.array(list(SHARES))[part], index=distinct)
    return pd.DataFrame({"text_id": found.index, "split": split[found].to_numpy(), "side": "original", "text": found})


def undivided(texts: pd.Series, name: str, seed: int) -> pd.DataFrame:
    """A planted text as a corpus: all of it to learn from, and of it a random part of its usual size for the others.

    How often each sentence is met there is what is planted. A part of them would hold an association that nobody
    planted, by chance; and of these sentences each is expected where it is held out.
    """
    parts = [texts]
    for split in ("validation", "test"):
        n = max(1, round(SHARES[split] * len(texts)))
        parts.append(texts.iloc[stream(seed, "corpus", name, split).choice(len(texts), n, replace=False)])
    split = np.repeat(list(SHARES), list(map(len, parts)))
    whole = pd.concat(parts, ignore_index=True)
    return pd.DataFrame({"text_id": whole.index, "split": split, "side": "original", "text": whole})
