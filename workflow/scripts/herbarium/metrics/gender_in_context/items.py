"""The components of a stereotype difference, word by word."""

import numpy as np
import pandas as pd

from herbarium.metrics.gender_in_context.crossed import FEWEST_OF_A_KIND
from herbarium.metrics.gender_in_context.names import DIFFERENCE, METRIC
from herbarium.statistics.items import items


def placed(places: pd.DataFrame, side: str) -> pd.DataFrame:
    """The words of the last layer that stereotypes assign to a side and that have a position: `is_first`, of that side,
    and `position`, by `word`. places: of the schema "gender_in_context_places", of one source and set."""
    last = places[places["group"] == places["group"].iloc[-1]] if len(places) else places
    known = last.dropna(subset=["stereotype", "position"]).set_index("word")
    return pd.DataFrame({"is_first": known["stereotype"] == side, "position": known["position"].astype(float)})


def is_few(words: pd.DataFrame) -> bool:
    """Whether a side has too few words for a difference. words: of `placed`."""
    return min(words["is_first"].sum(), (~words["is_first"]).sum()) < FEWEST_OF_A_KIND


def of_items(source: str, name: str, places: pd.DataFrame, side: str) -> pd.DataFrame:
    """A table of the schema "items": an object is a set of sentences, whose `stereotype_difference` in the last layer
    is the mean of `value` over words.

    A value is the distance of a word from the middle between both kinds of words, towards the side that stereotypes
    assign to it, times the number of words divided by the number of its kind. side: the first one.
    """
    words = placed(places, side)
    if is_few(words):
        return items(pd.DataFrame())
    is_first = words["is_first"].to_numpy()
    middle = words["position"].groupby(is_first).mean().mean()
    weight = len(words) / np.where(is_first, is_first.sum(), (~is_first).sum())
    value = np.where(is_first, 1, -1) * weight * (words["position"] - middle)
    rows = pd.DataFrame({"word": words.index, "value": value.to_numpy(), "form": ""})
    return items(rows.assign(model=source, metric=METRIC, measure=DIFFERENCE, object=name))
