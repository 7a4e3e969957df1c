"""Silhouette and kNN purity of countries by continent: against definitions written out, chance as it can be known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from herbarium.metrics.herb import space


def points(n, seed=0, dimensions=5):
    return np.random.default_rng(seed).normal(size=(n, dimensions))


def study(label, representation):
    """Countries of the given continents, and their embeddings."""
    region = [f"country:{i}" for i in range(len(label))]
    countries = pd.DataFrame({"region": region, "level": "country", "continent": label})
    return countries, pd.DataFrame({"region": region, "representation": list(representation)})


def measure(label, representation):
    countries, embeddings = study(label, representation)
    return space.measure("m", countries, embeddings, np.random.default_rng(1)).set_index("variant")


def test_distance_is_the_cosine_and_nobody_is_away_from_itself():
    x = points(6)
    result = space.distances(x)
    assert result == pytest.approx(
        np.array([[0 if i == j else cosine(x[i], x[j]) for j in range(6)] for i in range(6)])
    )
    assert (np.diag(result) == 0).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_purity_is_what_counting_gives(seed, k):
    random = np.random.default_rng(seed)
    x, label = random.normal(size=(9, 3)), random.choice(list("abc"), 9)
    distance = space.distances(x)
    shares = []
    for i in range(9):
        others = sorted((j for j in range(9) if j != i), key=lambda j: distance[i, j])[:k]
        shares.append(sum(label[j] == label[i] for j in others) / k)
    assert space.purity(space.nearest(distance, k), label) == pytest.approx(np.mean(shares))


def test_of_equally_near_ones_the_first_come_first():
    assert space.nearest(np.ones((4, 4)), 2).tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]


def test_chance_purity_is_the_mean_over_every_permutation():
    label, neighbours = np.array(list("aaabb")), space.nearest(space.distances(points(5)), 2)
    every = [space.purity(neighbours, np.array(order)) for order in itertools.permutations(label)]
    # 3 x 2 + 2 x 1 of 5 x 4 ordered pairs
    assert space.chance_purity(label) == pytest.approx(0.4)
    assert np.mean(every) == pytest.approx(0.4)


def test_silhouette_as_rousseeuw_defines_it():
    distance, label = space.distances(points(7)), np.array(list("aaabbcc"))
    widths = []
    for i in range(7):
        mean = {
            continent: np.mean([distance[i, j] for j in range(7) if label[j] == continent and j != i])
            for continent in "abc"
        }
        a, b = mean[label[i]], min(mean[continent] for continent in "abc" if continent != label[i])
        widths.append((b - a) / max(a, b))
    assert space.silhouette(distance, label) == pytest.approx(np.mean(widths))


@pytest.mark.slow
def test_null_of_purity_is_that_of_chance_and_no_structure_is_found_where_none_is():
    label = np.repeat(list("abc"), [20, 15, 10])
    rows = measure(label, points(45))
    assert rows.loc["knn_purity_null", "estimate"] == pytest.approx(space.chance_purity(label), abs=0.005)
    assert rows.loc[["silhouette", "knn_purity"], "p_value"].min() > 0.05
    assert (rows["n"] == 45).all()
    assert rows["note"].isna().all()


@pytest.mark.slow
def test_structure_is_found_with_the_least_p_there_is():
    label = np.repeat(list("abc"), 15)
    centre = 5 * np.eye(3)[np.repeat(range(3), 15)]
    rows = measure(label, centre + 0.1 * points(45, dimensions=3))
    assert rows.loc["knn_purity", "estimate"] == 1
    assert rows.loc["silhouette", "estimate"] > 0.9
    assert rows.loc[["silhouette", "knn_purity"], "p_value"].tolist() == [0.001, 0.001]
    assert rows.loc[["silhouette", "knn_purity"], "p_adjusted"].tolist() == [0.002, 0.002]
    assert rows.loc[["silhouette_null", "knn_purity_null"], "p_value"].isna().all()


@pytest.mark.slow
def test_who_cannot_take_part_is_named_and_changes_nothing():
    label = np.repeat(list("abc"), [15, 15, 1])
    x = points(31)
    rows = measure(label, x)
    assert rows["note"].unique().tolist() == ["1 alone on its continent left out"]
    pd.testing.assert_series_equal(rows["estimate"], measure(label[:30], x[:30])["estimate"])
    refused = [*x[:30], None]
    rows = measure(np.repeat(list("ab"), [15, 16]), refused)
    assert rows["note"].unique().tolist() == ["1 without representation left out"]
    pd.testing.assert_series_equal(rows["estimate"], measure(label[:30], x[:30])["estimate"])


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        (["a"] * 20, "fewer than two continents with two countries"),
        (list("abcdefghijklmno"), "fewer than two continents with two countries"),
        (["a"] * 5 + ["b"] * 5, "10 countries are too few for 10 nearest neighbours"),
        ([], "fewer than two continents with two countries"),
    ],
)
def test_what_cannot_be_measured_is_null_and_says_why(label, reason):
    rows = measure(label, points(len(label)))
    assert rows["estimate"].isna().all()
    assert rows["note"].str.endswith(reason).all()


def test_representations_are_found_by_region():
    embeddings = pd.DataFrame({"region": ["b", "c", "a"], "representation": [[1.0, 2], None, [3.0, 4]]})
    result = space.matrix(embeddings, pd.Series(["a", "c", "b", "d"]))
    np.testing.assert_array_equal(result, [[3, 4], [np.nan] * 2, [1, 2], [np.nan] * 2])
