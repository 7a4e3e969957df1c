"""Other contiguous regions of the map: of the same sizes, in one piece; and what the test makes of them."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest
from tests.metrics.herb import test_crossed

from herbarium.metrics.herb import contiguous, crossed


def sphere(n, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def halves(positions):
    return (positions[:, 0] > 0).astype(int)


def test_partitions_keep_sizes_and_the_same_seed_gives_them_again():
    positions, group = sphere(40), np.repeat([0, 1, 2], [20, 15, 5])
    one, other = (list(islice(contiguous.partitions(positions, group, np.random.default_rng(3)), 5)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert all(np.bincount(partition).tolist() == [20, 15, 5] for partition in one)
    assert len({tuple(partition) for partition in one}) == 5


def test_regions_of_a_partition_are_as_contiguous_as_the_first():
    positions = sphere(200)
    group = halves(positions)

    def together(group):  # how far names of a region are from its centre, less that of all
        return np.mean([np.linalg.norm(positions[group == half].mean(axis=0)) for half in (0, 1)])

    values = [
        together(partition)
        for partition in islice(contiguous.partitions(positions, group, np.random.default_rng(0)), 20)
    ]
    at_random = together(np.random.default_rng(0).permutation(group))
    assert min(values) > 0.8 * together(group) > 2 * at_random


def study(y, group):
    n = len(group)
    names = pd.Series([f"r{row}" for row in range(n)])
    below, words = pd.Index(["a", "b"]), pd.Index(range(y.shape[2]))
    kind, unit = np.ones(n, dtype=int), np.arange(n)
    residual = crossed.residuals(y, group, kind)
    return crossed.Study("earth", below, names, group, kind, unit, np.zeros(n), words, y, residual)


@pytest.mark.parametrize(("bias", "is_found"), [(0.0, False), (1.5, True)])
def test_what_belongs_to_the_regions_is_found_and_what_neighbours_share_is_not(bias, is_found):
    random, positions = np.random.default_rng(1), sphere(60)
    group = halves(positions)
    smooth = positions @ random.normal(size=(3, 30))
    noise = 0.5 * random.normal(size=(60, 30))
    f = (smooth if not bias else 0) + noise + bias * random.normal(size=(2, 30))[group]
    y = crossed.profiles(f[None], np.ones((1, 30), dtype=int), np.ones(60, dtype=int))
    places = pd.DataFrame(positions, index=[f"r{row}" for row in range(60)])
    result = contiguous.row(study(y, group), places, np.random.default_rng(0))
    crossed_study = study(y, group)
    weights = dict(crossed.contrasts(group, crossed_study.kind, crossed_study.unit))[-1]
    assert result["estimate"] == pytest.approx(
        crossed.distance(y, crossed_study.residual, weights, crossed_study.unit, crossed_study.unit >= 0).estimate
    )
    assert result["n"] == 60
    assert (result["p_value"] <= 0.01) == is_found
    assert result["p_value"] >= 1 / (1 + contiguous.N_PARTITIONS)


def test_there_is_no_test_with_few_places_or_on_one_half_of_the_globe():
    positions = sphere(60)
    crossed_study = study(np.zeros((1, 60, 4)), halves(positions))
    places = pd.DataFrame(positions, index=[f"r{row}" for row in range(60)])
    few = contiguous.row(crossed_study, places.iloc[:5], np.random.default_rng(0))
    assert (few["n"], "p_value" in few) == (5, False)
    assert "5 names have a place" in few["note"]
    assert "one half" in contiguous.row(crossed_study, places.abs(), np.random.default_rng(0))["note"]
    assert contiguous.is_on_one_side(np.abs(positions))
    assert not contiguous.is_on_one_side(positions)


def test_a_p_value_counts_ties_and_itself():
    assert contiguous.p_value(1.0, [0.0, 1.0, 2.0]) == 3 / 4
    assert contiguous.p_value(3.0, [0.0] * 99) == 0.01


def test_countries_without_a_place_are_not_among_the_names():
    """Of six countries, one has a code that the map does not have."""
    regions, tables = test_crossed.study()
    is_country = regions["level"] == "country"
    codes = [f"X{number}" for number in range(is_country.sum())]
    regions.loc[is_country, "iso2"] = codes
    positions = pd.DataFrame(sphere(len(codes)), index=codes).iloc[1:]
    rows = contiguous.measure("m", regions, test_crossed.TOPICS, tables, positions, np.random.default_rng(0))
    assert rows["n"].tolist() == [len(codes) - 1]
