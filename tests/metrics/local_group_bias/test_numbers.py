"""Instances of comparisons by hand; clusters, numbers and topic words of planted data."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.attributes import Pair
from herbarium.core.random import stream
from herbarium.core.store import read_frame, write_table
from herbarium.metrics.downstream import planted_text
from herbarium.metrics.local_group_bias import null
from herbarium.metrics.local_group_bias import numbers as table
from herbarium.metrics.local_group_bias import score as lgb

COUNTRIES = {"AF": ["KE", "GH", "EG"], "EU": ["FR", "ES"], "SA": ["PE"]}


def made_prefixes():
    rows = [("original",) * 4 + (None,), ("control", "control", "control:here", "here", None)]
    rows += [
        ("region", "country", f"country:{code}", f"Land {code}", f"continent:{continent}")
        for continent, codes in COUNTRIES.items()
        for code in codes
    ]
    rows += [("region", "city", "city:1", "Lima", "continent:SA")]
    table = pd.DataFrame(rows, columns=["kind", "unit", "group", "name", "continent"])
    return table.rename_axis("prefix").reset_index()


@pytest.fixture(scope="module")
def prefixes():
    return made_prefixes()


def test_pairs_by_hand(prefixes):
    result = table.pairs(prefixes, 2, "country:FR", "city:1")
    assert result.name == "country:FR against city:1"
    assert result.design == table.MATCHED
    assert result.instances.to_numpy().tolist() == [[0, 5, 0], [1, 5, 0], [0, 8, 1], [1, 8, 1]]
    examples = pd.DataFrame({"label": [1, 0], "text": ["a", "b"]})
    observed = table.observed(result, examples, np.arange(18.0).reshape(9, 2))
    assert observed["label"].tolist() == [1, 0, 1, 0]
    assert observed["text"].tolist() == ["a", "b", "a", "b"]
    assert observed["log_odds"].tolist() == [10, 11, 16, 17]
    for region in ("country:XX", "control:here"):
        with refused("local_group_bias.pairs", f"'{region}'", "'country:KE'"):
            table.pairs(prefixes, 2, "country:FR", region)
    cells = pd.Series([[("gender", "male")], None, [("race", "white"), ("gender", "female")], [("gender", "other")]])
    result = table.own_groups(cells, Pair("gender", "female", "male"))
    assert (result.name, result.design) == ("gender: female, male", table.GIVEN)
    assert result.instances.to_numpy().tolist() == [[0, 0, 1], [2, 0, 0]]


def test_one_against_rest_halves_each_class(prefixes):
    labels = np.array([1] * 61 + [0] * 40)
    result = table.one_against_rest(prefixes, labels, "continent:AF", stream(1, "halves"))
    instances = result.instances
    assert result.design == table.DRAWN
    assert instances["example"].tolist() == list(range(101))
    at = prefixes.set_index("prefix")
    assert (at["unit"][instances["prefix"]] == "country").all()
    inside = (at["continent"][instances["prefix"]] == "continent:AF").to_numpy()
    assert (inside == (instances["group"] == 0)).all()
    assert instances["group"][labels == 0].sum() == 20
    assert instances["group"][labels == 1].sum() in (30, 31)
    assert instances["prefix"].nunique() == 6
    again = table.one_against_rest(prefixes, labels, "continent:AF", stream(1, "halves"))
    pd.testing.assert_frame_equal(again.instances, instances)


@pytest.mark.parametrize(("continent", "share"), [("continent:XX", "none"), ("continent:AF", "all")])
def test_a_continent_has_countries_inside_and_outside(prefixes, continent, share):
    some = prefixes[prefixes["continent"].isna() | (prefixes["continent"] == "continent:AF")]
    with refused("local_group_bias.continents", share, "3 countries"):
        table.one_against_rest(some, np.array([0, 1]), continent, stream(1))


def test_comparisons_pass_through_their_table_and_find_their_features(prefixes):
    made = [table.pairs(prefixes, 2, "country:FR", other) for other in ("country:PE", "country:KE")]
    written = table.instance_table(made)
    result = table.comparisons(written)
    for comparison, again in zip(made, result, strict=True):
        assert (comparison.name, comparison.design) == (again.name, again.design)
        assert (comparison.instances.to_numpy() == again.instances.to_numpy()).all()
    kept = written[["example", "prefix"]].drop_duplicates(ignore_index=True)
    features = 10.0 * kept[["prefix"]].to_numpy(int) + kept[["example"]].to_numpy(int)
    assert table.features_of(result[1], kept, features).ravel().tolist() == [50, 51, 20, 21]
    assert table.comparisons(table.instance_table([])) == []
    without = kept["prefix"] != 2
    with refused("country:FR against country:KE", "2 of 4", "example 0", "prefix 2"):
        table.features_of(result[1], kept[without], features[without])


SETTINGS = table.Settings(clusters=6, strength=5, permutations=39, restarts=2)
TOPICS = ["tea", "rain", "chess", "goats", "opera", "trains"]


def planted(prefixes, worse, matched=True, n=300, shift=8.0):
    """A comparison, its instances and features: one blob in which group 1 is classified falsely more often.

    shift: between the features of the groups.
    """
    random = np.random.default_rng(4)
    blob = random.integers(6, size=n)
    label = random.integers(2, size=n)
    examples = pd.DataFrame({"label": label, "text": [f"The {TOPICS[topic]} of France." for topic in blob]})
    if matched:
        comparison = table.pairs(prefixes, n, "country:FR", "country:PE")
    else:
        comparison = table.one_against_rest(prefixes, label, "continent:EU", random)
    right = np.tile(random.random(n) < 0.9, (len(prefixes), 1))
    outside = (prefixes["continent"] != "continent:EU").to_numpy()[:, None]
    right &= ~(outside & (blob == 2) & (random.random(n) < worse))
    log_odds = np.where(right, 1, -1) * (2 * label - 1) * random.uniform(0.1, 2, right.shape)
    example, group = (comparison.instances[name].to_numpy() for name in ("example", "group"))
    features = random.normal(size=(len(example), 5)) + 6 * np.eye(6, 5)[blob][example] + shift * group[:, None]
    return comparison, table.observed(comparison, examples, log_odds), features


def measured(prefixes, comparison, instances, features, model="m", settings=SETTINGS):
    names = [*prefixes["name"], "France"]
    return table.measure(model, "messages", comparison, instances, features, settings, 7, names)


@pytest.fixture(scope="module")
def biased(prefixes):
    return measured(prefixes, *planted(prefixes, worse=0.6))


def test_the_planted_cluster_is_found_and_named(biased, tmp_path):
    path = tmp_path / "clusters.parquet"
    write_table(path, table.CLUSTERS, biased.clusters)
    clusters = read_frame(path, "local_group_bias_clusters")
    assert clusters["method"].unique().tolist() == ["global", lgb.EXACT, "k_means", lgb.PUBLISHED]
    for _, of_method in clusters[clusters["method"] != "global"].groupby("method"):
        assert len(of_method) == 6
        assert of_method["cluster"].tolist() == list(range(6))
        assert of_method["gap"].abs().is_monotonic_decreasing
        worst = of_method.iloc[0]
        assert worst["gap"] == worst["accuracy_1"] - worst["accuracy_0"] < -0.3
        assert worst["words"].split()[0] == "chess"
        assert worst["fpr_1"] > worst["fpr_0"]
        assert worst["fnr_1"] > worst["fnr_0"]
        assert worst["auc_gap"] == worst["auc_1"] - worst["auc_0"] < 0
    assert not clusters["words"].str.contains("france").any()
    assert not clusters["words"].str.contains("the|of", regex=True).any()  # they stand everywhere alike


def test_its_numbers_are_those_of_the_clusters(biased):
    numbers = biased.numbers.set_index(["definition", "variant"])
    assert set(numbers["group"]) == {"messages/country:FR against country:PE"}
    assert set(numbers["n"]) == {600}
    for definition, method in (("paper", lgb.EXACT), ("released", lgb.PUBLISHED)):
        of_method = biased.clusters[biased.clusters["method"] == method]
        rows = numbers.loc[definition]
        gaps, sizes = of_method["gap"].abs(), of_method["n_0"] + of_method["n_1"]
        large = gaps >= 0.05
        expected = {"n_clusters": len(of_method), "largest_gap": gaps.max(), "bcr": large.mean()}
        expected |= {"bir": sizes[large].sum() / sizes.sum(), "bias": gaps[large].mean()}
        assert rows["estimate"][list(expected)].to_dict() == pytest.approx(expected)
        assert rows["estimate"]["inertia_ratio"] == pytest.approx(1, abs=0.05)
        assert rows["p_value"]["largest_gap"] == rows["p_value"]["largest_gap_k_means"] == 1 / 40
        assert rows["p_value"].drop(["largest_gap", "bcr", "largest_gap_k_means", "bcr_k_means"]).isna().all()
        assert set(rows["note"].dropna().index) == {"largest_gap", "largest_gap_k_means"}
        assert set(rows["note"].dropna()) == {table.SELECTED}
        assert set(rows.index) == {*expected, "inertia_ratio", *(f"{name}_k_means" for name in expected)}


@pytest.mark.parametrize("shift", [8.0, 0.0])
def test_the_same_seed_gives_the_same_whatever_a_prefix_gives_all_texts(prefixes, biased, shift):
    again = measured(prefixes, *planted(prefixes, worse=0.6, shift=shift))
    pd.testing.assert_frame_equal(again.clusters, biased.clusters)
    if shift == 8.0:
        pd.testing.assert_frame_equal(again.numbers, biased.numbers)


@pytest.mark.parametrize("matched", [True, False])
@pytest.mark.nightly
def test_p_values_are_of_searches_done_anew(prefixes, matched):
    comparison, instances, features = planted(prefixes, worse=0.1, matched=matched, shift=0.0)
    p = measured(prefixes, comparison, instances, features).numbers.set_index(["definition", "variant"])["p_value"]
    group = instances["group"].to_numpy()
    for g in (0, 1):
        features[group == g] -= features[group == g].mean(axis=0)
    correct = (instances["log_odds"] > 0) == instances["label"]
    random = {
        step: stream(7, "local_group_bias", "messages", comparison.name, step)
        for step in ("permutations", "starts", "order")
    }
    drawing = 39, random["permutations"]
    if matched:
        drawn = null.matched(group, correct.to_numpy(), instances["example"].to_numpy(), *drawing)
    else:
        drawn = null.free(group, correct.to_numpy(), *drawing)
    kinds = [lgb.kinds(group, correct), *drawn]
    starts = lgb.starts(features, 6, 2, random["starts"])
    initial, order = lgb.k_means(features, starts), random["order"].permutation(len(features))
    for definition, variant, fit in (
        ("paper", lgb.EXACT, lambda kind: lgb.exact(features, kind, initial, 5, order)),
        ("released", lgb.PUBLISHED, lambda kind: lgb.published(features, kind, starts, 5)),
    ):
        for suffix, partitions_of in (("", fit), ("_k_means", lambda kind: lgb.best(initial))):
            values = [
                lgb.summarise(*lgb.counts(lgb.merged(partitions_of(kind[None]), 0, kind, features, variant), kind))
                for kind in kinds
            ]
            for name in ("bcr", "largest_gap"):
                first, *others = (getattr(summary, name) for summary in values)
                assert p[definition, name + suffix] == (1 + sum(other >= first for other in others)) / 40


def test_of_texts_that_stand_in_both_groups_their_pairs_stay_together(prefixes):
    """In each of two clusters of 30 texts one instance of one text is classified falsely: whichever of the two it is,
    the gap is 1/30. Groups permuted among all texts would differ in size within a cluster, and gaps with them."""
    comparison = table.pairs(prefixes, 60, "country:FR", "country:PE")
    examples = pd.DataFrame({"label": 1, "text": [f"The {TOPICS[text // 30]}." for text in range(60)]})
    log_odds = np.ones((len(prefixes), 60))
    log_odds[comparison.instances["prefix"].iloc[-1], [0, 30]] = -1
    instances = table.observed(comparison, examples, log_odds)
    features = np.eye(2)[instances["example"] // 30]
    settings = replace(SETTINGS, clusters=2, permutations=19, restarts=1)
    rows = measured(prefixes, comparison, instances, features, settings=settings).numbers.set_index("variant")
    assert rows["estimate"]["largest_gap_k_means"].tolist() == pytest.approx([1 / 30] * 2)
    assert (rows["p_value"]["largest_gap_k_means"] == 1).all()


def test_p_values_are_adjusted_over_comparisons_number_by_number():
    keys = {"group": ["a", "b", "c"], "definition": ["paper", "released"], "variant": ["bcr", "largest_gap", "bias"]}
    numbers = pd.MultiIndex.from_product(keys.values(), names=keys).to_frame(index=False)
    p = pd.Series(np.arange(1, 19) / 1000).where(numbers["variant"] != "bias")
    of_variant = dict(list(table.adjusted(numbers.assign(p_value=p)).groupby(["definition", "variant"])["p_adjusted"]))
    assert of_variant["paper", "bcr"].tolist() == pytest.approx([0.003, 0.014, 0.014])  # of .001, .007 and .013
    assert of_variant["released", "largest_gap"].tolist() == pytest.approx([0.015, 0.022, 0.022])
    assert of_variant["paper", "bias"].isna().all()


@pytest.mark.parametrize("matched", [True, False])
@pytest.mark.slow
def test_a_bias_that_is_not_there_is_not_found(prefixes, matched):
    numbers = measured(prefixes, *planted(prefixes, worse=0, matched=matched, n=400)).numbers
    p = numbers.set_index("variant")["p_value"].filter(like="largest_gap")
    assert len(p) == 4
    assert (p > 0.05).all()
    if not matched:
        numbers = measured(prefixes, *planted(prefixes, worse=0.8, matched=False, n=600)).numbers
        assert (numbers.set_index("variant")["p_value"].filter(like="largest_gap") < 0.05).all()


def of_columns(worse, n=600, seed=4):
    """As `planted`, of texts with a group of their own: group 1 writes more on some topics, and more positive texts; on
    two of these topics all texts are classified falsely more often."""
    random = np.random.default_rng(seed)
    blob = random.integers(6, size=n)
    group = (random.random(n) < np.array([0.2, 0.8, 0.4, 0.4, 0.8, 0.2])[blob]).astype(int)
    label = (random.random(n) < 0.3 + 0.4 * group).astype(int)
    cells = pd.Series([[("writer", "ab"[g])] for g in group])
    right = random.random(n) < 0.95 - 0.4 * np.isin(blob, [1, 4]) - worse * (blob == 2) * group
    log_odds = (np.where(right, 1, -1) * (2 * label - 1))[None]
    examples = pd.DataFrame({"label": label, "text": [f"The {TOPICS[topic]} of writer a." for topic in blob]})
    comparison = table.own_groups(cells, Pair("writer", "a", "b"))
    features = random.normal(size=(n, 5)) + 6 * np.eye(6, 5)[blob] - 6 * (blob == 5)[:, None]
    return comparison, table.observed(comparison, examples, log_odds), features


def test_groups_of_a_column_are_compared_on_the_texts_as_they_are(prefixes):
    result = measured(prefixes, *of_columns(worse=0.6))
    assert set(result.numbers["group"]) == {"messages/writer: a, b"}
    p = result.numbers.set_index("variant")["p_value"]
    assert (p.filter(like="largest_gap") < 0.05).all()
    worst = result.clusters[result.clusters["method"] == lgb.EXACT].iloc[0]
    assert worst["words"].split() == ["chess"]
    assert worst["gap"] < -0.3


@pytest.mark.slow
def test_what_is_planted_in_the_writers_of_texts_is_found(prefixes):
    """Of a classifier that follows the words, which is right equally often for both writers."""
    random = np.random.default_rng(3)
    of_words = random.normal(size=(800, 3))
    summed = of_words.sum(axis=1)
    label = (random.uniform(size=800) < 1 / (1 + np.exp(-summed))).astype(int)
    cells = pd.Series([[("writer", name)] for name in planted_text.writers(summed, label == 1, random)])
    comparison = table.own_groups(cells, Pair("writer", "A", "B"))
    examples = pd.DataFrame({"label": label, "text": "text"})
    result = measured(prefixes, comparison, table.observed(comparison, examples, summed[None]), of_words)
    (overall,) = result.clusters.loc[result.clusters["method"] == table.GLOBAL, "gap"]
    assert abs(overall) < 0.05
    assert (result.clusters.loc[result.clusters["method"] == lgb.EXACT, "gap"].iloc[[0, 1]].abs() > 0.2).all()
    p = result.numbers.set_index(["definition", "variant"])["p_value"]
    assert p["paper", "largest_gap"] < 0.05
    assert p["paper", "largest_gap_k_means"] < 0.05


def test_what_groups_write_is_no_local_bias(prefixes):
    """Groups are treated equally on each topic, but write on other topics."""
    comparison, instances, features = of_columns(worse=0)
    p = measured(prefixes, comparison, instances, features).numbers.set_index("variant")["p_value"]
    assert (p.filter(like="largest_gap") > 0.05).all()
    groups_apart = table.Comparison(comparison.name, comparison.instances, table.DRAWN)
    everywhere = measured(prefixes, groups_apart, instances, features).clusters
    (row,) = everywhere[everywhere["method"] == table.GLOBAL].to_dict("records")
    assert row["gap"] < -0.1  # which a free permutation would call a bias


def test_equal_groups_have_no_mean_gap(prefixes):
    comparison, instances, features = planted(prefixes, worse=0)
    instances["log_odds"] = 2 * instances["label"] - 1  # never false
    numbers = measured(prefixes, comparison, instances, features).numbers.set_index("variant")
    assert (numbers["estimate"]["largest_gap"] == 0).all()
    assert (numbers["p_value"]["largest_gap"] == 1).all()
    assert numbers["estimate"]["bias"].isna().all()
    assert (numbers["note"]["bias"] == "no cluster has a gap of 0.05").all()
    few = measured(prefixes, *planted(prefixes, worse=0, n=18))  # too few instances of a group
    assert few.clusters.empty
    numbers = few.numbers.set_index("variant")
    assert (numbers["estimate"]["n_clusters"] == 0).all()
    assert (numbers["note"]["largest_gap"] == "no cluster has 20 instances of each group").all()
    assert numbers["p_value"]["largest_gap"].isna().all()


def test_too_few_distinct_features_are_rows_that_say_so(prefixes):
    comparison, instances, features = planted(prefixes, worse=0, n=40)
    whole = measured(prefixes, comparison, instances, features).numbers
    result = measured(prefixes, comparison, instances, np.ones_like(features))
    assert result.clusters.empty
    keys = ["definition", "variant", "unit", "group", "n"]
    assert sorted(result.numbers[keys].to_numpy().tolist()) == sorted(whole[keys].to_numpy().tolist())
    assert result.numbers["estimate"].isna().all()
    assert set(result.numbers["note"]) == {"not measured: 1 distinct instances cannot make 6 clusters"}
    with refused("messages, country:FR against country:PE", "features"):
        measured(prefixes, comparison, instances, np.where(features == features[3], np.nan, features))
    with refused("messages, country:FR against country:PE", "log-odds"):
        measured(prefixes, comparison, instances.assign(log_odds=np.inf), features)


def test_top_words_are_those_of_log_odds_ratios_by_hand():
    # counts + prior: (4 + 5, 2 + 6), the others (1 + 5, 4 + 6)
    first = (np.log(9 / 8) - np.log(6 / 10)) / np.sqrt(1 / 9 + 1 / 6)
    second = (np.log(8 / 9) - np.log(10 / 6)) / np.sqrt(1 / 8 + 1 / 10)
    z = table.log_odds_ratios(np.array([[4, 2], [1, 4]]))
    np.testing.assert_allclose(z, [[first, second], [-first, -second]])
    texts = ["Tea and New tea", "rain and rain's zeal", "Tea, tea and don’t", "1 & 2"]
    cluster = np.repeat([0, 1, 0, 2], 50)
    instances = pd.DataFrame({"example": np.arange(200), "text": np.repeat(texts, 50)})
    result = table.top_words(instances, cluster, ["New Zeal"])
    assert result == ["tea don’t", "rain rain's", ""]  # `and` stands as often in both
    twice = pd.concat([instances, instances[:100]])
    assert table.top_words(twice, np.append(cluster, cluster[:100]), ["New Zeal"]) == result
    for few in (["tea", "rain"], ["1", "1"]):  # too little to tell
        assert table.top_words(pd.DataFrame({"example": [0, 1], "text": few}), np.array([0, 1]), []) == ["", ""]
