"""The two levels of a hierarchy of regions that figures compare: continents, and the countries in them.

A user's own hierarchy may name them differently: a continent is any region directly below the root.
"""

import pandas as pd


def continents(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions directly below the root, as rows of `regions`, the table "regions", here and below."""
    root = regions.loc[regions["parent"].isna(), "region"]
    return regions[regions["parent"].isin(root)]


def countries(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions with a country code or, in a hierarchy without any, those two levels below the root; never the root.

    Returns their rows, and in the column `continent` the region directly below the root that contains each (the region
    itself, if it is at that level).
    """
    below_root = regions["parent"].notna()
    chosen = regions["iso2"].notna() & below_root
    if not chosen.any():
        chosen = regions["parent"].isin(continents(regions)["region"])
    parent = regions[below_root].set_index("region")["parent"]
    continent = regions.loc[chosen, "region"]
    while (inside := parent[continent].isin(parent.index).to_numpy()).any():
        continent = continent.where(~inside, parent[continent].to_numpy())
    return regions[chosen].assign(continent=continent)


def without_cities(regions: pd.DataFrame) -> pd.DataFrame:
    """The rows of all regions that are not inside one of the `countries`."""
    inside = regions["parent"].isin(countries(regions)["region"])
    while (deeper := inside | regions["parent"].isin(regions.loc[inside, "region"])).sum() > inside.sum():
        inside = deeper
    return regions[~inside]
