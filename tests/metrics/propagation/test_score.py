"""Intrinsic against extrinsic: what the rows hold, against other libraries."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from scipy.spatial.distance import pdist

from herbarium.metrics.propagation import score as propagation
from herbarium.statistics import correlation
from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import TIDY

COUNTRIES = pd.Index([f"country:{i:02}" for i in range(40)])
BOOTSTRAP = {"replicates": 200, "level": 0.95}


@pytest.fixture
def f():
    """Likelihoods of countries, whose vectors and measures are made of them."""
    values = -np.random.default_rng(1).uniform(1, 9, (len(COUNTRIES), 5))
    return pd.DataFrame(values, index=COUNTRIES.rename("region"))


def measures(f, C_w, countries=COUNTRIES):
    of_topics = f.sub(f.mean(axis=1), axis=0)
    columns = {"C_w": C_w, "f/mind": of_topics[[0, 1]].mean(axis=1), "f/body": of_topics[[2, 3, 4]].mean(axis=1)}
    return pd.DataFrame(columns, index=f.index).loc[countries]


def vectors(f, countries=COUNTRIES):
    known = f.loc[countries].dropna()
    result = pd.Series(list(known.to_numpy() / np.linalg.norm(known, axis=1, keepdims=True)), known.index)
    return result.reindex(countries).astype(object).where(lambda table: table.notna(), None)


def downstream_rows(effect, model="m", task="reviews"):
    rows = {"model": model, "metric": "downstream", "definition": "paper", "variant": "excess", "unit": "country"}
    bounds = {"estimate": effect, "ci_low": np.subtract(effect, 1), "ci_high": np.add(effect, 1)}
    return pd.DataFrame({"group": f"{task}/" + COUNTRIES, **bounds}).assign(**rows)


CONTINENTS = np.arange(len(COUNTRIES)) % 4


def described(f, countries=COUNTRIES):
    """What is known of countries, besides their measures."""
    n = np.arange(len(countries))
    given = {"n_letters": 4 + n * 7 % 11, "n_tokens": n % 3 + 1, "norm": 9 + n * 5 % 13 / 13}
    table = pd.DataFrame(
        {"continent": CONTINENTS[: len(countries)], "vector": vectors(f, countries), **given}, countries
    )
    topics = pd.Series([["mind", "mind", "body", "body", "body"]] * len(countries), countries)
    return table.assign(topics=topics, norm=pd.Series(np.linalg.norm(f.loc[countries], axis=1), countries).fillna(9))


def measured(f, C_w, effect, bootstrap=BOOTSTRAP):
    effects = propagation.country_effects(downstream_rows(effect), "m", "reviews")["estimate"]
    inputs = measures(f, C_w), described(f), effects, propagation.words_of(described(f)), in_sets(effects)
    return propagation.of_countries("m", "reviews", *inputs, bootstrap, "fdr_bh", 1)


def in_sets(effects):
    """Effects of three training sets, whose mean they are."""
    noise = 0.1 * np.random.default_rng(7).normal(size=(len(effects), 3))
    return pd.DataFrame(effects.to_numpy()[:, None] + noise - noise.mean(axis=1, keepdims=True), effects.index)


def test_measures_of_countries_keep_their_order():
    rows = [("country:b", "C_w", 1.0), ("country:a", "C_w", np.nan), ("country:b", "a", 3.0), ("country:a", "a", 4.0)]
    wide = propagation.by_country(pd.DataFrame(rows, columns=["region", "measure", "value"]))
    assert wide.index.tolist() == ["country:b", "country:a"]
    assert wide.columns.tolist() == ["C_w", "a"]
    np.testing.assert_array_equal(wide, [[1, 3], [np.nan, 4]])


def test_what_was_not_measured_is_left_out(f):
    f.loc["country:03"] = np.nan
    rows = measured(f, np.arange(40.0), np.arange(40.0)[::-1]).set_index(["variant", "group"])
    assert rows.loc[("spearman_effect", "reviews/f/mind"), "n"] == 39
    assert rows.loc[("reliability_effect", "reviews/f/mind"), "n"] == 39
    assert rows.loc[("mantel", "reviews/v"), "n"] == 39
    assert rows.loc[("spearman_effect", "reviews/C_w"), "n"] == 40


def test_countries_with_sub_regions_are_told_apart(f):
    measures_table = measures(f, np.arange(40.0))
    measures_table.insert(1, "C_w_leaves", measures_table["C_w"].where(np.arange(40) < 30))
    effect = pd.Series(np.arange(40.0), COUNTRIES)
    sides = effect, propagation.words_of(described(f)), in_sets(effect)
    table = propagation.of_countries("m", "reviews", measures_table, described(f), *sides, BOOTSTRAP, "fdr_bh", 1)
    measures_table = table[table["variant"] == "spearman_effect"].set_index("group")
    assert measures_table.loc["reviews/C_w_leaves", "n"] == 30
    mixed = "30 without sub-regions; C_w of the others is about their sub-regions"
    assert measures_table.loc["reviews/C_w", "note"] == mixed
    measures_table = table[table["variant"] == "within_given_effect"].set_index("group")
    assert measures_table.loc["reviews/C_w", "note"].startswith(f"{mixed}; names explain ")


def test_rows_of_countries(f):
    random = np.random.default_rng(6)
    C_w = random.uniform(size=40)
    effect = C_w - 0.5 + random.normal(0, 0.1, 40) + CONTINENTS
    table = measured(f, C_w, effect)
    assert table.columns.tolist() == TIDY.fields.names
    assert not table.duplicated(["variant", "group"]).any()
    assert len(table) == 3 * 6 + 1 + 3 * 3
    assert (table["unit"] == "country").all()
    assert (table["n"] == 40).all()
    rows = table.set_index(["variant", "group"]).sort_index()
    together = rows.loc[("spearman_effect", "reviews/C_w")]
    assert together["estimate"] == pytest.approx(scipy.stats.spearmanr(C_w, effect).statistic)
    assert together[["p_value", "ci_low", "ci_high"]].isna().all()  # countries are not independent
    row = rows.loc[("within_effect", "reviews/C_w")]

    def inside(values):
        """Normal scores of ranks inside continents, less their mean: all four continents have ten countries."""
        scores = scipy.stats.norm.ppf(pd.Series(values).groupby(CONTINENTS).rank() / 11)
        return scores - pd.Series(scores).groupby(CONTINENTS).transform("mean").to_numpy()

    assert row["estimate"] == pytest.approx(np.corrcoef(inside(C_w), inside(effect))[0, 1])
    assert row["estimate"] > 0.9 > together["estimate"]
    assert row["p_value"] == 1e-4
    assert row["ci_low"] < row["estimate"] < row["ci_high"] < 1
    given = np.column_stack([inside(described(f)[name].to_numpy()) for name in propagation.GIVEN])
    squares = pd.DataFrame(given**2)
    given = np.column_stack([given, squares - squares.groupby(CONTINENTS).transform("mean")])
    left = [values - given @ np.linalg.lstsq(given, values, rcond=None)[0] for values in (inside(C_w), inside(effect))]
    partial = rows.loc[("within_given_effect", "reviews/C_w")]
    assert partial["estimate"] == pytest.approx(np.corrcoef(*left)[0, 1])
    sides = zip(left, (C_w, effect), strict=True)
    shares = [1 - (residuals**2).sum() / (inside(values) ** 2).sum() for residuals, values in sides]
    assert partial["note"] == "names explain {:.0%} of the measure and {:.0%} of the outcome".format(*shares)
    of_size = scipy.stats.spearmanr(C_w, np.abs(effect)).statistic
    assert rows.loc[("spearman_absolute_effect", "reviews/C_w"), "estimate"] == pytest.approx(of_size)
    tested = table[table["variant"].str.startswith(("within", "mantel"))]
    assert (tested["p_adjusted"] >= tested["p_value"]).all()
    assert tested[["ci_low", "ci_high", "p_value"]].notna().all(axis=None)


def test_where_names_are_most_of_both_sides_there_is_no_test(f):
    length = described(f)["n_letters"].to_numpy(float)
    random = np.random.default_rng(0)
    rows = measured(f, *(length + random.normal(size=40) for _ in range(2)))
    row = rows.set_index(["variant", "group"]).loc[("within_given_effect", "reviews/C_w")]
    assert np.isnan(row["p_value"])
    assert row["note"].endswith("too much of both for a test")
    assert not np.isnan(row["estimate"])


def test_what_continents_share_is_no_correlation_inside_them(f):
    of_continent = 5.0 * CONTINENTS
    random = np.random.default_rng(3)
    rows = measured(f, of_continent + random.normal(size=40), of_continent + random.normal(size=40))
    rows = rows.set_index(["variant", "group"])
    assert rows.loc[("spearman_effect", "reviews/C_w"), "estimate"] > 0.8
    assert rows.loc[("within_effect", "reviews/C_w"), "p_value"] > 0.05


def test_effects_that_follow_descriptive_vectors_are_found(f):
    v = np.stack(vectors(f))
    effect = 5 * v[:, 0]
    rows = measured(f, np.ones(40), effect).set_index(["variant", "group"]).sort_index()
    row = rows.loc[("mantel", "reviews/v")]
    pairs = [[], []]
    for continent in range(4):  # pairs inside continents, less their mean
        at = continent == CONTINENTS
        for side, values in zip(pairs, (v[at], effect[at, None]), strict=True):
            side.append(pdist(values) - pdist(values).mean())
    expected = np.corrcoef(*map(np.concatenate, pairs))[0, 1]
    assert row["estimate"] == pytest.approx(expected)
    assert row["p_value"] == 1e-4
    assert row["ci_low"] < expected < row["ci_high"]
    constant = rows.loc[("within_effect", "reviews/C_w")]
    assert np.isnan(constant["estimate"])
    assert constant["note"].startswith("no correlation: one side is constant")


@pytest.mark.slow
def test_draws_of_countries_are_those_of_every_model_and_the_order_of_countries_changes_no_estimate(f):
    random = np.random.default_rng(6)
    C_w, effect = random.uniform(size=40), random.normal(size=40)
    one, same = measured(f, C_w, effect), measured(f, C_w, effect)
    pd.testing.assert_frame_equal(one, same)
    order = random.permutation(40)
    others = measures(f, C_w).iloc[order]
    effects, words = pd.Series(effect, COUNTRIES), propagation.words_of(described(f))
    other = propagation.of_countries(
        "m", "reviews", others, described(f), effects, words, in_sets(effects), BOOTSTRAP, "fdr_bh", 1
    )
    np.testing.assert_allclose(other["estimate"].astype(float), one["estimate"].astype(float))
    two = np.where(np.arange(40) < 20, 0.3, 0.7)  # effects that differ by rounding have one rank
    one, other = (measured(f, C_w, two + size * np.arange(40)[::-1])["estimate"] for size in (0, 1e-16))
    np.testing.assert_array_equal(one, other)
    constant = measured(f, np.arange(40.0), np.zeros(40))
    assert constant[["estimate", "p_value", "ci_low"]].isna().all(axis=None)
    assert constant["note"].str.startswith("no correlation").all()


@pytest.mark.parametrize("n", [2, 6])
def test_few_countries(f, n):
    countries = COUNTRIES[:n]
    effect = pd.Series(np.arange(float(n)), countries)
    inputs = measures(f, np.arange(40.0), countries), described(f, countries), effect, {}, in_sets(effect)
    table = propagation.of_countries("m", "reviews", *inputs, BOOTSTRAP, "fdr_bh", 1)
    inside = ~table["variant"].str.startswith("spearman")  # two of the six share a continent with another
    assert table.loc[inside, "estimate"].isna().all()
    assert (table.loc[inside, "note"] == "too few countries that share a continent").all()
    assert table.loc[~inside, "estimate"].isna().all() == (n == 2)
    # of twelve in four continents there are 8 degrees of freedom, of which names take 6
    countries, random = COUNTRIES[:12], np.random.default_rng(0)
    effect = pd.Series(random.normal(size=12), countries)
    inputs = measures(f, random.normal(size=40), countries), described(f, countries), effect, {}, in_sets(effect)
    table = propagation.of_countries("m", "reviews", *inputs, BOOTSTRAP, "fdr_bh", 1).set_index(["variant", "group"])
    assert not np.isnan(table.loc[("within_effect", "reviews/C_w"), "estimate"])
    given = table.loc[("within_given_effect", "reviews/C_w")]
    assert np.isnan(given["estimate"])
    assert given["note"] == "too few countries that share a continent"


def test_scatter_has_every_country_with_both(f):
    measures_table = measures(f, np.arange(40.0))
    measures_table.loc["country:05", "f/mind"] = np.nan
    named = {"group": COUNTRIES[1:], "name": [f"name {i}" for i in range(1, 40)]}
    prefixes = pd.DataFrame(named).assign(unit="country", continent="continent:AF")
    effects = propagation.country_effects(downstream_rows(np.arange(40.0) / 10), "m", "reviews")
    table = propagation.scatter("m", "reviews", measures_table, effects, prefixes)
    assert table["measure"].value_counts().to_dict() == {"C_w": 39, "f/mind": 38, "f/body": 39}
    assert table["measure"].unique().tolist() == ["C_w", "f/mind", "f/body"]
    row = table[(table["measure"] == "C_w") & (table["region"] == "country:07")].iloc[0]
    assert row[["model", "task", "name", "continent"]].tolist() == ["m", "reviews", "name 7", "continent:AF"]
    assert row[["intrinsic", "effect", "effect_low", "effect_high"]].tolist() == pytest.approx([7, 0.7, -0.3, 1.7])


def test_words_are_what_measures_of_topics_are_means_of(f):
    by_word = propagation.words_of(described(f))
    measures_table = measures(f, np.zeros(40))
    assert list(by_word) == ["f/mind", "f/body"]
    for name, words in by_word.items():
        np.testing.assert_allclose(words.mean(axis=1), measures_table[name])
    assert propagation.words_of(described(f).assign(vector=None)) == {}


def test_errors_are_taken_out_of_a_correlation():
    """Two sides that correlate by .6 without errors, and by less with them."""
    random, n = np.random.default_rng(0), 2000
    strata = correlation.Strata(np.arange(n) % 4)
    x, y = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], n).T
    by_word = x[:, None] + 3 * random.normal(size=(n, 10))
    by_set = y[:, None] + 1.5 * random.normal(size=(n, 3))
    r = float(correlation.within(by_word.mean(axis=1), by_set.mean(axis=1), strata))
    correlation_row = {"estimate": r, "ci_low": r - 0.1, "ci_high": r + 0.1}
    rows = propagation._reliable(correlation_row, by_word, by_set, [], strata, random)
    of_measure, of_effect, without = (row["estimate"] for row in rows)
    assert of_measure == pytest.approx(1 / (1 + 9 / 10), abs=0.04)
    assert of_effect == pytest.approx(1 / (1 + 2.25 / 3), abs=0.04)
    assert r < 0.4
    assert without == pytest.approx(0.6, abs=0.06)
    assert rows[2]["ci_high"] - without == pytest.approx(0.1 / np.sqrt(of_measure * of_effect))
    # what cannot be known, or is mostly error
    *_, last = propagation._reliable(correlation_row, None, by_set, [], strata, random)
    assert "estimate" not in last
    *_, last = propagation._reliable(correlation_row, random.normal(size=(n, 10)), by_set, [], strata, random)
    assert last["note"] == "a reliability is unknown, or below 0.3"
    _, one, _ = propagation._reliable(correlation_row, by_word, by_set[:, :1], [], strata, random)
    assert one["note"] == "one training set"
    assert propagation._reliable({"note": "constant"}, by_word, by_set, [], strata, random) == []


def numbers_of_models(n):
    rows = []
    for i in range(n):
        for variant in ("C_w", "C_w_size_free", "C_z"):
            rows.append((f"m{i}", "herb", "paper", variant, "earth", "earth", i if variant == "C_w" else -i))
        rows.append((f"m{i}", "herb", "released", "C_w", "earth", "earth", 99.0))
        rows.append((f"m{i}", "herb", "paper", "C_w", "continent", "continent:AF", 99.0))
        for variant, value in (("absolute_effect", i**2), ("label_change", 0.5)):
            rows.append((f"m{i}", "downstream", "paper", variant, "all", "reviews/country", value))
            rows.append((f"m{i}", "downstream", "paper", variant, "all", "reviews/nonsense", 99.0))
    rows.append(("published classifier", "downstream", "paper", "absolute_effect", "all", "reviews/country", 7.0))
    return pd.DataFrame(rows, columns=["model", "metric", "definition", "variant", "unit", "group", "estimate"])


def scores_of(numbers):
    """HERB's, and those of another metric, which has measured two models."""
    other = pd.DataFrame({"model": ["m0", "m1"], "measure": "cb/english", "value": [0.0, 1.0]})
    return pd.concat([propagation.scores(numbers, "earth"), other])


def test_a_ranking_of_five_models_proves_little():
    numbers = numbers_of_models(5)
    scores = scores_of(numbers)
    counts = scores.groupby("measure")["model"].count().to_dict()
    assert counts == {"C_w": 5, "C_w_size_free": 5, "C_z": 5, "cb/english": 2}
    table = propagation.of_models("reviews", scores, numbers, "holm", 1)
    assert table.columns.tolist() == TIDY.fields.names
    assert set(table["model"]) == {"all models"}
    rows = table.set_index(["variant", "group"]).sort_index()
    row = rows.loc[("spearman_absolute_effect", "reviews/C_w")]
    assert (row["estimate"], row["p_value"], row["n"]) == (1, pytest.approx(2 / 120), 5)
    assert row["note"] == "5 models: the least possible p is 0.017; a ranking of so few is weak evidence"
    assert row["p_adjusted"] == pytest.approx(3 * 2 / 120)
    assert rows.loc[("spearman_absolute_effect", "reviews/C_z"), "estimate"] == -1
    assert rows.loc[("spearman_label_change", "reviews/C_w"), "note"] == "no correlation: one side is constant"
    assert rows.loc[("spearman_absolute_effect", "reviews/cb/english"), "note"] == "no correlation: 2 models"
    of_four = propagation.of_models("reviews", scores, numbers[numbers["model"] != "m4"], "holm", 1)
    assert of_four["estimate"].isna().all()
    assert "no correlation: 4 models" in set(of_four["note"])
    unknown = propagation.of_models("messages", scores, numbers, "holm", 1)  # a task that no model was measured on
    assert (unknown["n"] == 0).all()
    assert unknown["estimate"].isna().all()
    many = numbers_of_models(9)  # which are permuted at random
    table = propagation.of_models("reviews", propagation.scores(many, "earth"), many, "holm", 1)
    row = table.set_index(["variant", "group"]).sort_index().loc[("spearman_absolute_effect", "reviews/C_w")]
    assert row["p_value"] == pytest.approx(1e-4, abs=2e-4)
    assert row["note"] == "9 models: the least possible p is 0.0001"


def test_where_names_are_most_of_one_side_alone_there_is_a_test(f):
    length = described(f)["n_letters"].to_numpy(float)
    random = np.random.default_rng(0)
    rows = measured(f, length + random.normal(size=40), random.normal(size=40)).set_index(["variant", "group"])
    row = rows.loc[("within_given_effect", "reviews/C_w")]
    assert np.isfinite(row["p_value"])
    assert not row["note"].endswith("too much of both for a test")


def test_correlations_of_a_task_are_one_family(f):
    random = np.random.default_rng(5)
    rows = measured(f, random.normal(size=40), random.normal(size=40))
    p = rows["p_value"].to_numpy(float)
    np.testing.assert_allclose(rows["p_adjusted"].to_numpy(float), adjust(p, "fdr_bh"))
    assert (rows["p_adjusted"] > rows["p_value"]).any()
