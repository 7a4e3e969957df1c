"""The outlines of countries on the plane."""

import numpy as np
import pytest

from herbarium.drawing import maps as world


def test_equal_earth_keeps_area_and_a_published_point():
    # x of the equator's end and y of the pole for a sphere of radius 1 (Šavrič et al., 2018)
    assert world.equal_earth([[180, 0], [0, 90]])[[0, 1], [0, 1]] == pytest.approx([2.70663, 1.31737], abs=1e-5)
    step = 1e-3
    for latitude in (0, 30, 70):
        o, e, n = world.equal_earth([[40, latitude], [40 + step, latitude], [40, latitude + step]])
        area = np.linalg.det([e - o, n - o]) / np.radians(step) ** 2
        assert area == pytest.approx(np.cos(np.radians(latitude)), rel=1e-3)


def test_no_outline_crosses_the_map_at_the_180th_meridian():
    ring = [[170, 10], [-170, 10], [-170, 20], [170, 20], [170, 10]]
    country = {"properties": {"iso2": "XX"}, "geometry": {"coordinates": [[ring]]}}
    ((_, outline),) = world.outlines({"features": [country]})
    inside = [outline.contains_point(world.equal_earth([[x, 15]])[0]) for x in (-175, -100, 0, 100, 175)]
    assert inside == [True, False, False, False, True]
