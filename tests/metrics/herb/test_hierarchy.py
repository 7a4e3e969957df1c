"""The permutation test of the hierarchy against every permutation of a small one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.core import store
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import hierarchy as herb_hierarchy
from herbarium.metrics.herb import score
from herbarium.metrics.herb.selection import Likelihoods, select
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.tidy import TIDY

#                  root, 1 and 2 in it, 3 to 5 in 1, 6 and 7 in 2, 8 and 9 in 3, 10 in 4, 11 to 13 in 6, 14 in 7
PARENT = np.array([-1, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 6, 6, 6, 7])
BOOTSTRAP = {"replicates": 40, "level": 0.9}


@pytest.fixture
def v():
    return np.random.default_rng(0).normal(size=(15, 3))


# Names of one kind may change places: 3, 4 and 6 are one token; 5 and 7 have a word in common, and two.
NAMES = ["the Earth", "A", "B", "Peru", "Chad", "Cook Islands", "Togo", "Solomon Islands", *"abcdefg"]
TOKENS = [2, 1, 1, 1, 1, 2, 1, 2, 1, 2, 2, 1, 2, 1, 1]


def families(names=NAMES, tokens=TOKENS):
    return herb_hierarchy.families(PARENT, names, tokens)


def unlike():
    """As if every name were alike."""
    return families([str(row) for row in range(15)], [1] * 15)


def literal_within(v, parent, rows):
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2) if parent[a] == parent[b]]
    return np.mean([np.linalg.norm(v[a] - v[b]) for a, b in pairs])


def every_permutation(v, depth, kinds):
    """`within` of every assignment of a level's regions to parents that share their grandparent, in which each region
    takes the place of one of its kind."""
    rows = np.flatnonzero(score.depths(PARENT) == depth)
    groups = [rows[(PARENT[PARENT[rows]] == g) & (kinds[rows] == k)] for g in range(3) for k in np.unique(kinds)]
    values = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        moved = PARENT.copy()
        for group, order in zip(groups, orders, strict=True):
            moved[group] = PARENT[list(order)]
        values.append(literal_within(v, moved, rows))
    return literal_within(v, PARENT, rows), np.array(values)


KINDS = np.array([0, 1, 1, 1, 1, 3, 1, 3, 1, 2, 2, 1, 2, 1, 1])


@pytest.mark.slow
@pytest.mark.parametrize(("level_of", "kinds"), [(unlike, np.zeros(15, dtype=int)), (families, KINDS)])
def test_expected_distance_and_p_value_are_those_of_every_permutation(v, level_of, kinds):
    levels = level_of()
    assert list(levels) == [2, 3]
    for depth, level in levels.items():
        observed, values = every_permutation(v, depth, kinds)
        assert herb_hierarchy.within(v, level) == pytest.approx(observed)
        # several sets of vectors at a time, each by itself
        assert herb_hierarchy.expected([v, 2 * v], level) == pytest.approx([values.mean(), 2 * values.mean()])
        exact = (values <= observed * (1 + 1e-9)).mean()
        p = herb_hierarchy.p_value(v, level, 3000, np.random.default_rng(1))
        assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 3000) + 1 / 3000)
        assert 0.02 < exact < 0.98  # else the comparison would say little


def test_two_regions_with_one_name_do_not_take_the_same_place():
    """Of three regions with one name two places are in the first parent; a region with another name lies in the
    second."""
    family = herb_hierarchy.Family(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    np.testing.assert_allclose(family.chances(), [[1 / 3, 1 / 3], [1 / 3, 0]])


def test_regions_that_lie_close_have_a_small_p_value_and_those_that_lie_apart_a_large_one():
    close = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    level = [herb_hierarchy.Family(np.arange(8), np.repeat([0, 1], 4), np.zeros(8, dtype=int))]
    apart = close[[0, 1, 4, 5, 2, 3, 6, 7]]
    p_close, p_apart = (herb_hierarchy.p_value(v, level, 99, np.random.default_rng(0)) for v in (close, apart))
    assert p_close < 0.1  # 2 of 70 arrangements
    assert p_apart > 0.5


def test_names_are_alike_by_tokens_and_by_the_words_that_others_have():
    names = ["Guinea", "Guinea-Bissau", "Cook Islands", "Faroe Islands", "Peru", "Chad", "the Isle of Man"]
    kinds = herb_hierarchy.alike(names, [1, 3, 2, 2, 1, 1, 4])
    assert kinds[2] == kinds[3] == (2, frozenset({"islands"}))
    assert kinds[4] == kinds[5] == (1, frozenset())
    assert kinds[0] == (1, frozenset({"guinea"})) != kinds[4]
    assert len(set(kinds)) == 5


def test_a_permutation_keeps_sizes_grandparents_and_kinds_of_names():
    level = families()[3]
    random, places = np.random.default_rng(2), set()
    for _ in range(200):
        shuffled = herb_hierarchy.permuted(level, random)
        for family, moved in zip(level, shuffled, strict=True):
            assert [len(cluster) for cluster in moved.clusters()] == [len(cluster) for cluster in family.clusters()]
            assert sorted(moved.rows) == sorted(family.rows)
            np.testing.assert_array_equal(KINDS[moved.rows], KINDS[family.rows])
        places |= {(row, place) for moved in shuffled for place, row in enumerate(moved.rows.tolist())}
    # 9 and 10 change places, as do 11, 13 and 14; 8 and 12 stay
    assert len(places) == 1 + 4 + 9 + 1
    assert [family.n_movable() for family in level] == [2, 3]


@pytest.mark.slow
def test_p_value_counts_ties_and_the_hierarchy_itself(v):
    level = unlike()[2]
    single = v.astype(np.float32)
    same = np.tile([1.0, 2.0, 3.0], (15, 1))
    assert herb_hierarchy.p_value(same, level, 9, np.random.default_rng(0)) == 1
    # countries of one continent agree: one of the ten ways to part five countries is as close
    single[[3, 4, 5]], single[[6, 7]] = [1, 0, 0], [0, 1, 0]
    p = herb_hierarchy.p_value(single, level, 2000, np.random.default_rng(0))
    assert p == pytest.approx(0.1, abs=0.03)
    assert p == herb_hierarchy.p_value(single, level, 2000, np.random.default_rng(0), threads=3)


TOKENS_OF = dict(zip(NAMES, TOKENS, strict=True))


def selected_of(f):
    regions = pd.DataFrame({"region": [f"r{row}" for row in range(15)], "level": score.depths(PARENT)})
    regions["name"] = NAMES
    regions["level"] = regions["level"].map({0: "earth", 1: "continent", 2: "country", 3: "city"})
    topics = np.repeat(["a", "b"], [4, 6])
    everything = np.ones(15, dtype=bool), np.ones(10, dtype=bool)
    return Likelihoods(regions, f, np.zeros(15), PARENT, topics, np.full(15, None), regions[:0], *everything)


def test_rows(tmp_path):
    random = np.random.default_rng(5)
    f = -5 + random.normal(size=(15, 10)) / 10
    f[[8, 9, 10]], f[[11, 12, 13, 14]] = f[8], f[11]  # cities of one continent agree: nothing of countries in them
    selected = selected_of(f + random.normal(size=f.shape) / 50)
    table = herb_hierarchy.measure("m", selected, TOKENS_OF, 199, BOOTSTRAP, "holm", seed=3)
    rows = table.set_index(["unit", "variant"])
    level = families()[2]
    v = np.vstack([np.zeros(10), score.descriptive_vectors(selected.f[1:])])
    within, expected = herb_hierarchy.within(v, level), herb_hierarchy.expected([v], level).item()
    effect = rows.loc[("country", "effect")]
    assert effect["estimate"] == pytest.approx(1 - within / expected)
    assert rows.loc[("country", "within"), "estimate"] == pytest.approx(within)
    assert effect["n"] == 5
    assert effect["note"] == "5 of 5 regions can be swapped"
    assert rows.loc[("city", "effect"), "note"] == "5 of 7 regions can be swapped"
    resampling = herb_bootstrap.Resampling(selected.topic_of)
    drawn = []
    for generator in stream(3, "bootstrap", "herb", "descriptions").spawn(40):
        counts = resampling.draw(generator)
        v = np.vstack([np.zeros(10), score.descriptive_vectors(np.repeat(selected.f[1:], counts, axis=1))])
        drawn.append(1 - herb_hierarchy.within(v, level) / herb_hierarchy.expected([v], level).item())
    assert (effect["ci_low"], effect["ci_high"]) == pytest.approx(percentile_interval(np.array(drawn), 0.9), abs=1e-4)
    ordered = rows.loc[(slice(None), "effect"), "p_value"].sort_values()
    assert rows.loc[ordered.index[0], "p_adjusted"] == pytest.approx(min(1, 2 * ordered.iloc[0]))
    assert rows.loc[("country", "within"), ["p_value", "p_adjusted"]].isna().all()
    store.write_table(tmp_path / "rows.parquet", TIDY, table, {"code": "0"})


def test_an_interval_takes_the_first_replicates_and_no_more_than_it_needs(monkeypatch):
    selected = selected_of(-5 + np.random.default_rng(7).normal(size=(15, 10)))
    enough = herb_hierarchy.measure("m", selected, TOKENS_OF, 9, {"replicates": 12, "level": 0.9}, "holm", seed=3)
    monkeypatch.setattr(herb_bootstrap, "FOR_INTERVALS", 12)
    pd.testing.assert_frame_equal(
        herb_hierarchy.measure("m", selected, TOKENS_OF, 9, BOOTSTRAP, "holm", seed=3), enough
    )


def test_countries_that_agree_are_seen_and_noise_is_not():
    random = np.random.default_rng(6)
    country = np.where(score.depths(PARENT) == 3, PARENT, np.arange(15))
    f = -5 + random.normal(size=(15, 10))[country] + random.normal(size=(15, 10)) / 100
    seen = herb_hierarchy.measure("m", selected_of(f), {}, 199, BOOTSTRAP, "holm", seed=3).set_index(
        ["unit", "variant"]
    )
    assert seen.loc[("city", "effect"), "estimate"] > 0.9
    assert seen.loc[("city", "effect"), "ci_low"] > 0.8


def test_what_cannot_be_tested_has_a_note(small):
    one_continent = small.regions[~small.regions["region"].str.contains("AS|OC")].reset_index(drop=True)
    selected = select(one_continent, small.topics, small.likelihoods())
    rows = herb_hierarchy.measure("m", selected, {}, 19, BOOTSTRAP, "holm", seed=3)
    assert rows["estimate"].isna().all()
    assert rows["unit"].tolist() == ["country", "city"]
    assert rows["note"].str.startswith("not tested: no region can be swapped").all()
    alike = herb_hierarchy.measure(
        "m", selected_of(np.tile([3.0, 4.0] * 5, (15, 1))), TOKENS_OF, 19, BOOTSTRAP, "holm", seed=3
    )
    assert alike["note"].str.startswith("not tested: all regions have the same vector").all()


@pytest.mark.nightly
def test_type_i_error_where_names_decide():
    """f(S) depends on the name's length and words alone, which differ between continents; no bias."""
    random, names, parent = np.random.default_rng(3), ["the Earth", *"ABCD"], [-1, 0, 0, 0, 0]
    for continent in range(1, 5):  # of different parts: islands, long names, short names
        for n in range(10):
            words = [f"name{continent}x{n}", *["Islands"] * (n < 3 * (continent - 1)), *["far"] * (n % continent > 0)]
            names.append(" ".join(words))
            parent.append(continent)
    parent, tokens = np.array(parent), np.array([len(name.split()) for name in names])
    loud = np.array(["Islands" in name for name in names])
    strict = herb_hierarchy.families(parent, names, tokens)[2]
    loose = herb_hierarchy.families(parent, [f"{row}" for row in range(45)], [1] * 45)[2]
    shape, result = random.normal(size=(2, 20)), {"strict": [], "loose": []}
    for _ in range(200):
        v = 0.4 * (np.outer(tokens, shape[0]) + np.outer(loud, shape[1])) + random.normal(size=(45, 20))
        for way, level in (("strict", strict), ("loose", loose)):
            result[way].append(herb_hierarchy.p_value(v, level, 99, random))
    rates = {way: np.mean(np.array(p) <= 0.05) for way, p in result.items()}
    assert rates["strict"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
    assert rates["loose"] > 0.3  # what it is where names count for nothing


def test_a_level_without_two_regions_in_one_has_no_numbers(small):
    countries = small.regions["level"].eq("country") & ~small.regions["region"].str.endswith("0")
    one_each = small.regions[~countries & small.regions["level"].ne("city")].reset_index(drop=True)
    selected = select(one_each, small.topics, small.likelihoods())
    tokens = dict.fromkeys(one_each["name"], 1)  # any country could be in any continent
    (row,) = herb_hierarchy.measure("m", selected, tokens, 9, BOOTSTRAP, "holm", seed=0).to_dict("records")
    assert row["note"] == "not tested: no two regions lie in the same region"
    assert np.isnan([row["estimate"], row["p_value"], row["p_adjusted"]]).all()
