"""Positions of countries on the sphere."""

import json

import numpy as np
import pytest

from herbarium.regions.positions import positions


def country(iso2, *outlines):
    return {"properties": {"iso2": iso2}, "geometry": {"coordinates": [[outline] for outline in outlines]}}


def square(longitude, latitude, half, step=1):
    ring = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)][::step]
    return [[longitude + half * x, latitude + half * y] for x, y in ring]


def at(longitude, latitude):
    x, y = np.radians([longitude, latitude])
    return np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)


@pytest.mark.parametrize("step", [1, -1])
def test_a_country_lies_at_the_centroid_of_its_largest_polygon_whatever_the_direction(step):
    small, large = square(100, 50, 0.5, step), square(-30, 0, 2, step)
    across = square(180, 0, 3, step)  # written from 177 to -177
    across = [[across - 360 if across > 180 else across, latitude] for across, latitude in across]
    result = positions({"features": [country("XA", small, large, small), country("XB", across), country(None, small)]})
    assert result.index.tolist() == ["XA", "XB"]
    np.testing.assert_allclose(result.loc["XA"], at(-30, 0), atol=1e-9)
    np.testing.assert_allclose(result.loc["XB"], at(180, 0), atol=1e-9)


def test_the_shipped_map_has_countries_where_they_are():
    with open("resources/maps/countries.geojson", encoding="utf-8") as file:
        loaded = positions(json.load(file))
    np.testing.assert_allclose(np.linalg.norm(loaded, axis=1), 1)
    for iso2, place in {"FR": (2, 47), "US": (-99, 40), "NZ": (171, -44), "FJ": (178, -18)}.items():
        assert loaded.loc[iso2] @ at(*place) > np.cos(np.radians(2))
