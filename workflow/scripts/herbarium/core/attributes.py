"""Groups of texts by attributes that columns of their data name, such as the gender "female" or "male".

An attribute divides texts into groups that have no text in common; a text may be in none of them.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

# A column with the group of each text by attribute, only of attributes of which it is in a group.
GROUPS = pa.map_(pa.string(), pa.string())


class Pair(NamedTuple):
    """Two groups of an attribute that are compared: the first is group 0, the second group 1."""

    attribute: str
    first: str
    second: str

    @property
    def name(self) -> str:
        return f"{self.attribute}: {self.first}, {self.second}"


def pairs(groups: Mapping[str, Sequence[str]]) -> list[Pair]:
    """Every two groups of each attribute. groups: the names of its groups, by attribute."""
    return [Pair(attribute, *two) for attribute, names in groups.items() for two in itertools.combinations(names, 2)]


def group_of(cells: pd.Series, attribute: str, names: Sequence[str]) -> np.ndarray:
    """(n,) the number of each text's group in `names`, -1 if it is in none of them.

    cells: a column of the type GROUPS, as read: items (attribute, group), or null.
    """
    number = {name: place for place, name in enumerate(names)}
    of_text = (dict(cell if cell is not None else ()).get(attribute) for cell in cells)
    return np.array([number.get(name, -1) for name in of_text], dtype=int)
