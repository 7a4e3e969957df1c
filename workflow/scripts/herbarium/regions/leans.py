"""How regions lean: what the testbed's models, and the texts of planted tasks, associate with regions.

This is separate from the code that makes them, so that measurements can be compared with it without a language model.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.regions import levels

RANK = 3  # dimensions in which regions and descriptions can differ
INHERITED = 0.5  # share of a region's variance that comes from its parent: the correlation of two siblings


def region_leans(regions: pd.DataFrame, seed: int) -> np.ndarray:
    """a_r of `testbed.region_description_log_p`, shape (n_regions, RANK): see there, also for errors."""
    names = dict(zip(regions["region"], regions["name"], strict=True))
    parents = dict(zip(regions["region"], regions["parent"], strict=True))
    leans: dict[str, np.ndarray] = {}

    def lean(region: str, below: tuple[str, ...]) -> np.ndarray:
        if region not in names or region in below:
            fault = "is not in the table" if region not in names else "is among its own descendants"
            raise HerbariumError(f"regions: '{region}', the parent of '{below[-1]}', {fault}.")
        if region not in leans:
            own_lean = stream(seed, "testbed", "region", names[region]).standard_normal(RANK)
            parent = parents[region]
            if pd.isna(parent):
                leans[region] = np.zeros(RANK)
            else:
                above = lean(parent, (*below, region))
                inherited = 0.0 if pd.isna(parents[parent]) else INHERITED
                leans[region] = np.sqrt(inherited) * above + np.sqrt(1 - inherited) * own_lean
        return leans[region]

    return np.array([lean(region, ()) for region in regions["region"]])


def affinities(regions: pd.DataFrame, descriptions: Sequence[str], seed: int) -> np.ndarray:
    """a_r · b_d / √RANK, shape (n_regions, n_descriptions): how much a strength of 1 raises the log-odds of a
    description with a region in the text of the testbed.

    regions: as for `region_leans`. descriptions: words. b_d is standard normal, and depends only on the seed and the
    word.
    """
    b = np.array([stream(seed, "testbed", "description", word).standard_normal(RANK) for word in descriptions])
    return region_leans(regions, seed) @ b.T / np.sqrt(RANK)


def country_leans(regions: pd.DataFrame, seed: int) -> pd.Series:
    """The first dimension of the lean of each country, by region identifier, standardised over the countries.

    regions: table "regions". Mean 0 and standard deviation 1; nan for a single country.
    """
    lean = pd.Series(region_leans(regions, seed)[:, 0], index=regions["region"])
    lean = lean[levels.countries(regions)["region"]]
    return (lean - lean.mean()) / lean.std(ddof=0)
