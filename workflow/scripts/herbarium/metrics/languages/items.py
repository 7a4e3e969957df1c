"""The values whose mean is a mean gap: the gaps of pairs of occupations."""

import pandas as pd

from herbarium.metrics.languages.numbers import LEAN, METRIC
from herbarium.statistics.items import items


def of_items(pairs: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "items": an object is a language, or one in the space of its pivot, a word what an
    occupation is in all of them. `model` is the space: the order of its languages is what other words might change.

    pairs: of the schema "languages_pairs". Pairs that share a concept are distinguished by their position among these.
    """
    place = pairs.groupby(["space", "group", "concept"]).cumcount()
    word = pairs["concept"] + place.map(lambda n: f" ({n + 1})" if n else "")
    rows = pairs.drop(columns="model").rename(columns={"space": "model", "group": "object", "gap": "value"})
    return items(rows.assign(word=word, form="", metric=METRIC, measure=LEAN))
