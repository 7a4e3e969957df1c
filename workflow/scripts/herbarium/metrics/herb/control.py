"""The control of HERB: made-up place names, as one more region with sub-regions.

A model has never read about them. Whatever differs between them is the effect of names alone: their tokens, the number
of these, and what they remind a model of. A name of two words lies further from a name of one, so the names have, in
turn, the same numbers of words as those of the top-level regions, with which they are compared.
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
    """Names with the numbers of words of those in `like`, in turn and repeatedly, until no words are left."""
    words, made = iter(made_up_names), []
    for n_words in cycle(len(name.split()) for name in like):
        name = list(islice(words, n_words))
        if len(name) < n_words:
            return made
        made.append(" ".join(name))
    return made
