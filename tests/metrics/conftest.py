"""A small study: three continents, nine countries, four cities, five descriptions of two topics."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from herbarium.probes.herb import instantiate

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "bald"]}
TREE = {"earth": None, "continent:AF": "earth", "continent:AS": "earth", "continent:OC": "earth"}
TREE |= {f"country:{c}{i}": f"continent:{c}" for c in ("AF", "AS", "OC") for i in range(3)}
TREE |= {f"city:{i}": "country:AF0" for i in range(4)}


@dataclass(frozen=True)
class Small:
    """Arguments of `herb_table.select`, but for scores, which every model has its own of."""

    regions: pd.DataFrame
    topics: dict
    probe: pd.DataFrame

    def scores(self, seed=1):
        values = -np.random.default_rng(seed).uniform(1, 9, len(self.probe))
        scores = pd.DataFrame({"sentence_id": self.probe["sentence_id"], "value": values})
        return scores.assign(quantity="aul", note=None)

    def scores_without(self, column, value):
        """As `scores`, those refused whose `column` of the probe has `value`."""
        refused = self.probe.loc[self.probe[column] == value, "sentence_id"]
        scores = self.scores()
        return scores.assign(value=scores["value"].mask(scores["sentence_id"].isin(refused)))


@pytest.fixture(scope="session")
def small():
    regions = pd.DataFrame(
        [
            {"region": region, "parent": parent, "level": region.split(":")[0], "name": region.split(":")[-1]}
            for region, parent in TREE.items()
        ]
    )
    words = list(itertools.chain(*TOPICS.values()))
    probe = instantiate("People in [region] are [description].", regions["name"].tolist()[1:], words)
    return Small(regions, TOPICS, probe)
