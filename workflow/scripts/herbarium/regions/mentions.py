"""Which countries or continents texts name.

A name counts as it is written in the table "regions": as a whole, with its capitals; of overlapping ones, the longest
("Papua New Guinea" does not name Guinea). Adjectives, other spellings and cities do not count, and some names are also
words or names of people (Jordan, Georgia).
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from herbarium.regions import levels

LEVELS = (CONTINENT, COUNTRY) = ("continent", "country")  # of groups


def groups(regions: pd.DataFrame, level: str) -> pd.DataFrame:
    """The regions of a level, rows `region, name`, numbered from 0. regions: table "regions", here and below."""
    table = levels.continents(regions) if level == CONTINENT else levels.countries(regions)
    return table[["region", "name"]].reset_index(drop=True)


def number_of(regions: pd.DataFrame, level: str) -> pd.Series:
    """The number of the group that each country is, or is in, by region identifier."""
    numbers = {region: number for number, region in enumerate(groups(regions, level)["region"])}
    countries = levels.countries(regions)
    lies_in = countries["continent" if level == CONTINENT else "region"]
    return pd.Series(lies_in.map(numbers).to_numpy(), index=countries["region"])


def named(texts: Sequence[str], regions: pd.DataFrame, level: str) -> np.ndarray:
    """(n_pairs, 2) integers: the number of a text, and that of a group that it names; each pair once, in order.

    A continent is named by its own name and by those of its countries.
    """
    countries, numbers = levels.countries(regions), number_of(regions, level)
    group_of = dict(zip(countries["name"], numbers[countries["region"]], strict=True))
    if level == CONTINENT:
        group_of |= {name: number for number, name in enumerate(groups(regions, level)["name"])}
    longest_first = sorted(group_of, key=lambda name: (-len(name), name))
    name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    pairs = [
        (number, group)
        for number, text in enumerate(texts)
        for group in sorted({group_of[match] for match in name.findall(text)})
    ]
    return np.array(pairs, dtype=int).reshape(-1, 2)
