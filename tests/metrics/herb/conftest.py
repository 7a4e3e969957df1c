"""A small study: three continents, nine countries, four cities, five descriptions of two topics."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium.metrics.herb.likelihoods import with_matrix

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "bald"]}
TREE = {"earth": None, "continent:AF": "earth", "continent:AS": "earth", "continent:OC": "earth"}
TREE |= {f"country:{c}{i}": f"continent:{c}" for c in ("AF", "AS", "OC") for i in range(3)}
TREE |= {f"city:{i}": "country:AF0" for i in range(4)}


@dataclass(frozen=True)
class Small:
    """Arguments of `herb_selection.select`, but for likelihoods, which every model has its own of."""

    regions: pd.DataFrame
    topics: dict

    def likelihoods(self, seed=1, noise=0.0, without_region=None, without_description=None):
        """Of one wording. noise: standard deviation of what is added. without_...: what was refused."""
        names = self.regions["region"].iloc[1:].tolist()
        words = list(itertools.chain(*self.topics.values()))
        f = -np.random.default_rng(seed).uniform(1, 9, (len(names), len(words) + 1))
        f += noise * np.random.default_rng(seed + 1000).normal(size=f.shape)
        f[[name == without_region for name in names]] = np.nan
        f, f_name = f[:, :-1].copy(), f[:, -1]
        f[:, [word == without_description for word in words]] = np.nan
        table = pa.table({"region": names, "f_name": f_name, "note": pa.nulls(len(names), pa.string()), "f": f_name})
        return with_matrix(table, f)


def small_study():
    regions = pd.DataFrame(
        [
            {"region": region, "parent": parent, "level": region.split(":")[0], "name": region.split(":")[-1]}
            for region, parent in TREE.items()
        ]
    )
    return Small(regions, TOPICS)


@pytest.fixture(scope="session")
def small():
    return small_study()
