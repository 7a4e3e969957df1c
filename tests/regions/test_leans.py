"""How regions lean: by hand, from the random numbers of their names."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core.random import stream
from herbarium.regions import leans

REGIONS = pd.DataFrame(
    [
        ("earth", None, "Earth", None),
        ("eu", "earth", "Europe", None),
        ("fr", "eu", "France", "FR"),
        ("es", "eu", "Spain", "ES"),
        ("paris", "fr", "Paris", None),
    ],
    columns=["region", "parent", "name", "iso2"],
)
OF_NAME = {name: stream(3, "testbed", "region", name).standard_normal(leans.RANK) for name in REGIONS["name"]}


def test_a_region_inherits_half_of_its_variance_below_the_continents():
    earth, europe, france, _, paris = leans.region_leans(REGIONS, 3)
    assert earth.tolist() == [0, 0, 0]
    assert europe == pytest.approx(OF_NAME["Europe"])
    assert france == pytest.approx(np.sqrt(0.5) * (OF_NAME["Europe"] + OF_NAME["France"]))
    assert paris == pytest.approx(np.sqrt(0.5) * (france + OF_NAME["Paris"]))


def test_leans_of_countries_have_a_mean_of_0_and_a_standard_deviation_of_1():
    result = leans.country_leans(REGIONS, 3)
    assert result.index.tolist() == ["fr", "es"]
    assert sorted(result) == pytest.approx([-1, 1])
    assert (result["fr"] > result["es"]) == (OF_NAME["France"][0] > OF_NAME["Spain"][0])
