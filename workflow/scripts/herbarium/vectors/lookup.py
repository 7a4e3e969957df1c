"""Sources that have one vector for each word, whatever stands around it: files, and vectors that are planted."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from herbarium.models import hub
from herbarium.vectors import files, planted
from herbarium.vectors.tables import made_of


def place(entry: dict) -> Path:
    """Where a file of word vectors is on this machine: that of the hub is fetched unless the cache has it.

    entry: of `vectors` in the configuration, as plain data, here and below.
    """
    if entry["hub"] is None:
        return Path(entry["path"])
    return hub.fetch(entry["hub"], entry["revision"], hub.MODEL, [entry["path"]]) / entry["path"]


def vectors(words: pd.DataFrame, entry: dict, source: str, seed: int) -> pa.Table:
    """What a source has for words, as of the schema "vectors", in their order.

    words: of the schema "words". source: the name of the source.
    """
    asked = [text[start:end] for text, start, end in zip(words["text"], words["start"], words["end"], strict=True)]
    asked = [word.lower() for word in asked] if entry["lowercase"] else asked
    if entry["planted"] is not None:
        known = (words[column].to_numpy() for column in ("concept", "gender", "lean"))
        values = list(planted.vectors(asked, *known, source, entry["planted"], entry["rotated"], seed))
    else:
        found = files.read(place(entry), set(asked))
        values = [found.vectors.get(word) for word in asked]
    notes = [None if of is not None else f"no word '{word}'" for word, of in zip(asked, values, strict=True)]
    return made_of(values, [int(of is not None) for of in values], notes)
