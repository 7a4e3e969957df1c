"""Intrinsic against extrinsic: correlations against other libraries and all permutations, and what the rows hold."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from herbarium.metrics.propagation import score as propagation
from herbarium.statistics.tidy import TIDY

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "bald"]}
COUNTRIES = pd.Index([f"country:{i:02}" for i in range(40)])
COLUMNS = pd.MultiIndex.from_tuples(
    [(t, w) for t, words in TOPICS.items() for w in words], names=["topic", "description"]
)
BOOTSTRAP = {"replicates": 200, "level": 0.95}
few_values = st.lists(st.integers(0, 5), min_size=5, max_size=5)


@pytest.fixture
def f():
    values = -np.random.default_rng(1).uniform(1, 9, (len(COUNTRIES) + 1, len(COLUMNS)))
    return pd.DataFrame(values, index=pd.Index([*COUNTRIES, "city:1"], name="region"), columns=COLUMNS)


def herb_rows(C_w, n=0, model="m"):
    rows = {"model": model, "metric": "herb", "definition": "paper", "variant": "C_w", "unit": "country"}
    return pd.DataFrame({"group": COUNTRIES, "estimate": C_w, "n": n}).assign(**rows)


def downstream_rows(effect, model="m", task="reviews"):
    rows = {"model": model, "metric": "downstream", "definition": "paper", "variant": "effect", "unit": "country"}
    bounds = {"estimate": effect, "ci_low": np.subtract(effect, 1), "ci_high": np.add(effect, 1)}
    return pd.DataFrame({"group": f"{task}/" + COUNTRIES, **bounds}).assign(**rows)


def measured(f, C_w, effect, n_tokens=None, bootstrap=BOOTSTRAP):
    measures = propagation.country_measures(herb_rows(C_w), f, COUNTRIES)
    effects = propagation.country_effects(downstream_rows(effect), "m", "reviews")
    tokens = np.arange(len(COUNTRIES)) % 3 + 1 if n_tokens is None else n_tokens
    return propagation.of_countries(
        "m", "reviews", measures, f, effects["estimate"], pd.Series(tokens, COUNTRIES), bootstrap, "fdr_bh", 1
    )


# --- correlations ---


@settings(max_examples=50, deadline=None)
@given(few_values, few_values)
def test_spearman_is_that_of_scipy(x, y):
    x, y = np.array(x), np.array(y)
    found = propagation.spearman(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found)
        return
    expected = scipy.stats.spearmanr(x, y)
    assert found == pytest.approx(expected.statistic, abs=1e-12)
    if abs(found) < 0.999:
        assert propagation.p_value(float(found), 5) == pytest.approx(expected.pvalue)


def test_many_at_once_are_one_by_one():
    random = np.random.default_rng(0)
    x, y, z = (random.integers(0, 6, (4, 12)) for _ in range(3))
    np.testing.assert_allclose(propagation.spearman(x, y), [propagation.spearman(*of) for of in zip(x, y, strict=True)])
    of_each = [propagation.partial_spearman(*of) for of in zip(x, y, z, strict=True)]
    np.testing.assert_allclose(propagation.partial_spearman(x, y, z), of_each)
    assert propagation.spearman(x[0], y).shape == (4,)


def test_partial_correlation_is_of_the_residuals_of_ranks():
    random = np.random.default_rng(2)
    z = random.integers(1, 5, 40)
    x, y = z + random.normal(size=40), z + random.normal(size=40)
    ranks = [scipy.stats.rankdata(values) for values in (x, y, z)]
    residuals = [sm.OLS(of, sm.add_constant(ranks[2])).fit().resid for of in ranks[:2]]
    found = propagation.partial_spearman(x, y, z)
    assert found == pytest.approx(np.corrcoef(residuals)[0, 1])
    # the t-test of x in a regression of the ranks on both
    fit = sm.OLS(ranks[1], sm.add_constant(np.column_stack([ranks[0], ranks[2]]))).fit()
    assert propagation.p_value(float(found), 40, 1) == pytest.approx(fit.pvalues[1])
    assert propagation.spearman(x, y) > 0.4 > found  # what x and y share is z
    assert np.isnan(propagation.partial_spearman(x, y, x))
    assert np.isnan(propagation.partial_spearman(x, y, np.ones(40)))


def test_p_values_of_few():
    assert np.isnan(propagation.p_value(0.5, 2))
    assert np.isnan(propagation.p_value(0.5, 3, 1))
    assert propagation.p_value(1.0, 10) == 0


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)))
def test_permutation_p_values_are_of_all_orders(y):
    x, y = np.arange(5), np.array(y)
    p, least = propagation.permutation_p_value(x, y, np.random.default_rng(0))
    observed = abs(scipy.stats.spearmanr(x, y).statistic)
    orders = [abs(scipy.stats.spearmanr(x, order).statistic) for order in itertools.permutations(y)]
    assert p == pytest.approx(np.mean([r >= observed - 1e-9 for r in orders]))
    assert least == pytest.approx(2 / math.factorial(5))


def test_the_least_p_value():
    random = np.random.default_rng(0)
    p, least = propagation.permutation_p_value(np.arange(4), np.array([3.0, 5, 6, 9]), random)
    assert p == least == pytest.approx(2 / 24)
    _, least = propagation.permutation_p_value(np.array([1, 1, 2, 3]), np.array([3.0, 5, 6, 9]), random)
    assert least == pytest.approx(4 / 24)  # two orders of the tie are one
    p, least = propagation.permutation_p_value(np.arange(12), np.arange(12.0), random)
    assert p == least == 1e-4


def distances(random, n, d):
    return squareform(pdist(random.normal(size=(n, d))))


def test_mantel_is_the_correlation_of_pairs():
    random = np.random.default_rng(3)
    one, other = distances(random, 12, 3), distances(random, 12, 1)
    found = propagation.mantel(one, other, np.ones((1, 12)))
    assert found == pytest.approx(scipy.stats.pearsonr(squareform(one), squareform(other)).statistic)
    assert propagation.mantel(one, 3 * one + 1, np.ones((1, 12))) == pytest.approx(1)  # its diagonal has no part
    assert np.isnan(propagation.mantel(one, np.zeros((12, 12)), np.ones((1, 12))))


def test_mantel_of_drawn_countries_is_of_copies_without_pairs_of_one():
    random = np.random.default_rng(4)
    one, other = distances(random, 8, 3), distances(random, 8, 1)
    places = random.integers(8, size=(5, 8))
    counts = np.array([np.bincount(drawn, minlength=8) for drawn in places])
    found = propagation.mantel(one, other, counts)
    for drawn, r in zip(places, found, strict=True):
        pairs = [(i, j) for i, j in itertools.combinations(drawn, 2) if i != j]
        expected = np.corrcoef([one[pair] for pair in pairs], [other[pair] for pair in pairs])[0, 1]
        assert r == pytest.approx(expected)


def test_mantel_p_value_is_near_that_of_all_permutations():
    random = np.random.default_rng(5)
    points = random.normal(size=(6, 2))
    one, other = squareform(pdist(points)), squareform(pdist(points[:, :1] + random.normal(0, 0.7, (6, 1))))

    def r(order):
        return np.corrcoef(squareform(one), squareform(other[np.ix_(order, order)]))[0, 1]

    observed = r(range(6))
    exact = np.mean([r(list(order)) >= observed - 1e-9 for order in itertools.permutations(range(6))])
    assert propagation.mantel_p_value(one, other, 4_000, random) == pytest.approx(exact, abs=0.02)
    unrelated = [
        propagation.mantel_p_value(distances(random, 8, 2), distances(random, 8, 1), 99, random) for _ in range(200)
    ]
    assert np.mean(np.array(unrelated) <= 0.1) == pytest.approx(0.1, abs=0.06)


# --- countries ---


def test_relative_likelihoods_by_hand(f):
    f.iloc[0] = [-1, -2, -3, -4, -5]  # mean -3
    measures = propagation.country_measures(herb_rows(0.1), f, COUNTRIES)
    assert measures.columns.tolist() == ["C_w", "f/mind", "f/body"]
    assert measures.iloc[0].tolist() == pytest.approx([0.1, 1.5, -1])
    assert measures.index.tolist() == COUNTRIES.tolist()  # a city is no country


def test_what_was_refused_is_left_out(f):
    f.loc[:, ("mind", "wise")] = np.nan
    f.loc["country:03", ("body", "tall")] = np.nan
    f.iloc[0] = [np.nan, -2, -3, -4, -6]
    measures = propagation.country_measures(herb_rows(0.1), f, COUNTRIES)
    assert measures.iloc[0, 1:].tolist() == pytest.approx([1.75, -13 / 3 + 3.75])
    assert measures.loc["country:03", ["f/mind", "f/body"]].isna().all()
    assert measures.drop(index="country:03").notna().all(axis=None)
    rows = measured(f, np.arange(40.0), np.arange(40.0)[::-1]).set_index(["variant", "group"])
    assert rows.loc[("spearman_effect", "reviews/f/mind"), "n"] == 39
    assert rows.loc[("mantel", "reviews/v"), "n"] == 39
    assert rows.loc[("spearman_effect", "reviews/C_w"), "n"] == 40


def test_countries_with_sub_regions_are_told_apart(f):
    rows = herb_rows(np.arange(40.0), n=[0] * 30 + [5] * 10)
    measures = propagation.country_measures(rows, f, COUNTRIES)
    assert measures["C_w_leaves"].notna().sum() == 30
    effect = pd.Series(np.arange(40.0), COUNTRIES)
    table = propagation.of_countries("m", "reviews", measures, f, effect, effect, BOOTSTRAP, "fdr_bh", 1)
    of = table[table["variant"] == "spearman_effect"].set_index("group")
    assert of.loc["reviews/C_w_leaves", "n"] == 30
    assert of.loc["reviews/C_w", "note"] == "30 without sub-regions; C_w of the others is of these"


def test_rows_of_countries(f):
    random = np.random.default_rng(6)
    C_w = random.uniform(size=40)
    effect = C_w - 0.5 + random.normal(0, 0.1, 40)
    table = measured(f, C_w, effect)
    assert table.columns.tolist() == TIDY.fields.names
    assert not table.duplicated(["variant", "group"]).any()
    assert len(table) == 3 * 4 + 1
    assert (table["unit"] == "country").all()
    assert (table["n"] == 40).all()
    rows = table.set_index(["variant", "group"]).sort_index()
    of = rows.loc[("spearman_effect", "reviews/C_w")]
    expected = scipy.stats.spearmanr(C_w, effect)
    assert (of["estimate"], of["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert of["ci_low"] < of["estimate"] < of["ci_high"] < 1
    places = propagation.stream(1, "bootstrap", "propagation", "reviews").integers(40, size=(200, 40))
    drawn = [scipy.stats.spearmanr(C_w[at], effect[at]).statistic for at in places]
    assert [of["ci_low"], of["ci_high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    of_size = scipy.stats.spearmanr(C_w, np.abs(effect)).statistic
    assert rows.loc[("spearman_absolute_effect", "reviews/C_w"), "estimate"] == pytest.approx(of_size)
    tokens = np.arange(40) % 3 + 1
    partial = propagation.partial_spearman(C_w, effect, tokens)
    assert rows.loc[("partial_spearman_effect", "reviews/C_w"), "estimate"] == pytest.approx(partial)
    assert (table["p_adjusted"] >= table["p_value"]).all()
    assert table[["ci_low", "ci_high", "p_value"]].notna().all(axis=None)


def test_effects_that_follow_descriptive_vectors_are_found(f):
    v = f.to_numpy()[:40] / np.linalg.norm(f.to_numpy()[:40], axis=1, keepdims=True)
    effect = 5 * v[:, 0]
    rows = measured(f, np.ones(40), effect).set_index(["variant", "group"]).sort_index()
    of = rows.loc[("mantel", "reviews/v")]
    expected = np.corrcoef(pdist(v), pdist(effect[:, None]))[0, 1]
    assert of["estimate"] == pytest.approx(expected)
    assert of["p_value"] == 1e-4
    assert of["ci_low"] < expected < of["ci_high"]
    constant = rows.loc[("spearman_effect", "reviews/C_w")]
    assert np.isnan(constant["estimate"])
    assert constant["note"].startswith("no correlation: one side is constant")


def test_a_constant_classifier_has_no_correlation(f):
    table = measured(f, np.arange(40.0), np.zeros(40))
    assert table[["estimate", "p_value", "ci_low"]].isna().all(axis=None)
    assert table["note"].str.startswith("no correlation").all()


def test_effects_that_differ_by_rounding_have_one_rank(f):
    effect = np.where(np.arange(40) < 20, 0.3, 0.7)
    one = measured(f, np.arange(40.0), effect)
    other = measured(f, np.arange(40.0), effect + 1e-16 * np.arange(40)[::-1])
    np.testing.assert_array_equal(one["estimate"], other["estimate"])


def test_draws_of_countries_are_those_of_every_model_and_the_order_of_countries_changes_no_estimate(f):
    random = np.random.default_rng(6)
    C_w, effect = random.uniform(size=40), random.normal(size=40)
    one, same = measured(f, C_w, effect), measured(f, C_w, effect)
    pd.testing.assert_frame_equal(one, same)
    order = random.permutation(40)
    measures = propagation.country_measures(herb_rows(C_w), f, COUNTRIES).iloc[order]
    effects = pd.Series(effect, COUNTRIES)
    tokens = pd.Series(np.arange(40) % 3 + 1, COUNTRIES)
    other = propagation.of_countries("m", "reviews", measures, f, effects, tokens, BOOTSTRAP, "fdr_bh", 1)
    np.testing.assert_allclose(other["estimate"].astype(float), one["estimate"].astype(float))


def test_few_countries(f):
    countries = COUNTRIES[:2]
    measures = propagation.country_measures(herb_rows(0.1), f, countries)
    series = pd.Series([1.0, 2.0], countries)
    table = propagation.of_countries("m", "reviews", measures, f, series, series, BOOTSTRAP, "fdr_bh", 1)
    assert table["estimate"].isna().all()
    assert (table["note"] == "fewer than 3 countries").all()


def test_scatter_has_every_country_with_both(f):
    measures = propagation.country_measures(herb_rows(np.arange(40.0)), f, COUNTRIES)
    measures.loc["country:05", "f/mind"] = np.nan
    prefixes = pd.DataFrame(
        {
            "unit": "country",
            "group": COUNTRIES[1:],
            "name": [f"name {i}" for i in range(1, 40)],
            "continent": "continent:AF",
        }
    )
    effects = propagation.country_effects(downstream_rows(np.arange(40.0) / 10), "m", "reviews")
    table = propagation.scatter("m", "reviews", measures, effects, prefixes)
    assert table["measure"].value_counts().to_dict() == {"C_w": 39, "f/mind": 38, "f/body": 39}
    assert table["measure"].unique().tolist() == ["C_w", "f/mind", "f/body"]
    row = table[(table["measure"] == "C_w") & (table["region"] == "country:07")].iloc[0]
    assert row[["model", "task", "name", "continent"]].tolist() == ["m", "reviews", "name 7", "continent:AF"]
    assert row[["intrinsic", "effect", "effect_low", "effect_high"]].tolist() == pytest.approx([7, 0.7, -0.3, 1.7])


# --- models ---


def numbers_of_models(n):
    rows = []
    for i in range(n):
        for variant in ("C_w", "C_w_size_free", "C_z"):
            rows.append((f"m{i}", "herb", "paper", variant, "earth", "earth", i if variant == "C_w" else -i))
        rows.append((f"m{i}", "herb", "released", "C_w", "earth", "earth", 99.0))
        rows.append((f"m{i}", "herb", "paper", "C_w", "continent", "continent:AF", 99.0))
        if i < 2:
            rows.append((f"m{i}", "categorical_bias", "paper", "cb", "list", "english/own", i))
            rows.append((f"m{i}", "categorical_bias", "paper", "cb", "list", "english/other", 99.0))
        for variant, value in (("absolute_effect", i**2), ("label_change", 0.5)):
            rows.append((f"m{i}", "downstream", "paper", variant, "all", "reviews/country", value))
            rows.append((f"m{i}", "downstream", "paper", variant, "all", "reviews/nonsense", 99.0))
    rows.append(("published classifier", "downstream", "paper", "absolute_effect", "all", "reviews/country", 7.0))
    return pd.DataFrame(rows, columns=["model", "metric", "definition", "variant", "unit", "group", "estimate"])


def test_a_ranking_of_four_models_proves_little():
    numbers = numbers_of_models(4)
    scores = propagation.scores(numbers, "earth", {"english": "own"})
    assert scores.groupby("score")["model"].count().to_dict() == {
        "C_w": 4,
        "C_w_size_free": 4,
        "C_z": 4,
        "cb/english": 2,
    }
    table = propagation.of_models("reviews", scores, numbers, "holm", 1)
    assert table.columns.tolist() == TIDY.fields.names
    assert set(table["model"]) == {"all models"}
    rows = table.set_index(["variant", "group"]).sort_index()
    of = rows.loc[("spearman_absolute_effect", "reviews/C_w")]
    assert (of["estimate"], of["p_value"], of["n"]) == (1, 2 / 24, 4)
    assert of["note"] == "4 models: the least possible p is 0.083; a ranking of so few proves little"
    assert of["p_adjusted"] == 3 * 2 / 24
    assert rows.loc[("spearman_absolute_effect", "reviews/C_z"), "estimate"] == -1
    assert rows.loc[("spearman_label_change", "reviews/C_w"), "note"] == "no correlation: one side is constant"
    assert rows.loc[("spearman_absolute_effect", "reviews/cb/english"), "note"] == "no correlation: 2 models"


def test_many_models_are_permuted_at_random():
    numbers = numbers_of_models(9)
    table = propagation.of_models("reviews", propagation.scores(numbers, "earth", {}), numbers, "holm", 1)
    rows = table.set_index(["variant", "group"]).sort_index()
    assert rows.loc[("spearman_absolute_effect", "reviews/C_w"), "p_value"] == pytest.approx(1e-4, abs=2e-4)
    assert rows.loc[("spearman_absolute_effect", "reviews/C_w"), "note"] == "9 models: the least possible p is 0.0001"


def test_a_task_that_no_model_was_measured_on():
    numbers = numbers_of_models(4)
    table = propagation.of_models("messages", propagation.scores(numbers, "earth", {}), numbers, "holm", 1)
    assert (table["n"] == 0).all()
    assert table["estimate"].isna().all()
