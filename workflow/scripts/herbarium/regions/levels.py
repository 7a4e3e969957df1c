"""The two levels of a hierarchy of regions that figures compare: continents, and the countries inside them.

A hierarchy of the user's own has other names for them: a continent is whatever lies right below the root.
"""

import pandas as pd


def continents(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions right below the root. regions: table "regions", here and below; gives its rows."""
    root = regions.loc[regions["parent"].isna(), "region"]
    return regions[regions["parent"].isin(root)]


def countries(regions: pd.DataFrame) -> pd.DataFrame:
    """The regions with a country code or, in a hierarchy without any, those two levels below the root; never the root.

    Gives their rows, and in the column `continent` the region right below the root in which each lies (itself, where it
    lies there).
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
    """The rows of all regions that lie in none of the `countries`."""
    inside = regions["parent"].isin(countries(regions)["region"])
    while (deeper := inside | regions["parent"].isin(regions.loc[inside, "region"])).sum() > inside.sum():
        inside = deeper
    return regions[~inside]
