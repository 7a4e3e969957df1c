"""The control of HERB: names of no place, as one more region with sub-regions.

A model knows nothing of them. What sets them apart, and so what HERB says of that region, is what names alone do: their
tokens, how many they are, and what a model takes them for. A name of two words lies further from one of one word, so
they have as many words, in turns, as the names of the top-level regions, with which they are compared.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

import pandas as pd

REGION, LEVEL = "control", "control"


def regions(made_up_names: Iterable[str], hierarchy: pd.DataFrame) -> pd.DataFrame:
    """The control as a hierarchy, a table of the schema "regions": its root, and the names below it.

    made_up_names: one word each. hierarchy: the table of regions of the study.
    """
    root = hierarchy.loc[hierarchy["parent"].isna(), "region"]
    like = hierarchy.loc[hierarchy["parent"].isin(root), "name"].tolist()
    below = [(f"{REGION}:{name}", REGION, "made_up", name, None) for name in names(made_up_names, like)]
    rows = [(REGION, None, LEVEL, "made-up names", None), *below]
    return pd.DataFrame(rows, columns=["region", "parent", "level", "name", "iso2"])


def names(made_up_names: Iterable[str], like: Sequence[str]) -> list[str]:
    """Names of as many words as those in `like`, one after the other and again, until there are no more words."""
    words, found = iter(made_up_names), []
    for n_words in cycle(len(name.split()) for name in like):
        name = list(islice(words, n_words))
        if len(name) < n_words:
            return found
        found.append(" ".join(name))
    return found
