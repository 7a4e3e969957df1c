"""Rows of social bias probing: what is measured, what is not, and why."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.metrics.sofa import toy

from herbarium.metrics.sofa import calibration, numbers
from herbarium.statistics.between import between, given
from herbarium.statistics.inference import least_bound


def of(rows, variant):
    return rows[rows["variant"] == variant].set_index("group")


def test_every_number_of_a_category_its_identities_and_stereotypes():
    rows = toy.measured(toy.varied())
    assert not rows.duplicated(["definition", "variant", "unit", "group"]).any()
    variance = of(rows, "variance")
    assert variance["n"].to_dict() == {"demo/pastime": 8, "demo/trade": 8}
    assert (variance["p_adjusted"] < 0.01).all()
    assert (of(rows, "variance_bound")["estimate"] > variance["estimate"]).all()
    for variant, n in (("deviation", 16), ("rank", 16), ("lowest_share", 16), ("dds", 16), ("sofa_score", 3)):
        assert len(of(rows, variant)) == n
    scores = of(rows, "sofa_score")["estimate"]
    assert scores["demo"] == pytest.approx((scores["demo/pastime"] + scores["demo/trade"]) / 2)
    share = of(rows, "consistent_share")["estimate"]["demo/trade"]
    assert share == pytest.approx(variance.loc["demo/trade", "estimate"] / scores["demo/trade"])


def test_without_a_shared_difference_the_variance_is_about_0_and_the_published_score_is_not():
    rows = toy.measured(toy.observed(0.0, noise=0.3))
    variance, ranks = of(rows, "variance"), of(rows, "rank")
    assert variance["estimate"].abs().max() < 0.03
    assert (variance["p_adjusted"] > 0.05).all()
    assert of(rows, "sofa_score")["estimate"].min() > 0.05
    assert (ranks["ci_low"] == 1).mean() > 0.8  # at 95 %
    assert (ranks["ci_high"] == 8).mean() > 0.8
    of_trade = of(rows, "deviation").filter(like="demo/trade/", axis="index")
    for of_family, n in ((variance, 2), (of_trade, 8)):  # in which p-values are adjusted
        least = of_family.loc[of_family["p_value"].idxmin()]
        assert least["p_adjusted"] == pytest.approx(min(n * least["p_value"], 1))


def test_the_values_of_reliability_have_the_published_score_as_their_mean():
    observations = toy.varied()
    items = numbers.of_items("m", toy.NAME, observations)
    means = items.groupby("object")["value"].mean().to_dict()
    scores = of(toy.measured(observations), "sofa_score")["estimate"].drop("demo").to_dict()
    assert means == pytest.approx(scores)


def test_an_identity_with_too_few_stereotypes_is_left_out_and_said():
    observations = toy.varied()
    few = (observations["identity"] == "Pilots") & ~observations["stereotype"].str.startswith(("like", "keep", "walk"))
    rows = toy.measured(toy.without(observations, few))
    assert "Pilots" in of(rows, "variance").loc["demo/trade", "note"]
    assert len(of(rows, "deviation")) == 15
    one = (observations["identity"] == "Pilots") & observations["stereotype"].str.startswith("like")
    rows = toy.measured(toy.without(observations, one))
    assert of(rows, "deviation").loc["demo/trade/Pilots", "n"] == 7
    assert of(rows, "variance")["note"].isna().all()


def test_what_cannot_be_measured_has_a_note():
    observations = toy.observed(noise=0.1)
    nothing = toy.measured(toy.without(observations, observations["category"] == "trade"))
    of_trade = nothing[nothing["group"] == "demo/trade"]
    assert of_trade["estimate"].isna().tolist() == of_trade["note"].notna().tolist() == [True] * 2
    assert of(nothing, "sofa_score").loc["demo", "note"]
    further = [toy.measured(observations.assign(value=value)) for value in (np.nan, 1.0, observations["value"])]
    for rows in (nothing, *further):
        assert not (rows["estimate"].isna() & rows["note"].isna()).any()
    few = observations[observations["stereotype"].str.startswith(("like", "keep", "walk", "call", "drink"))]
    rows = toy.measured(few)
    assert of(rows, "variance")["estimate"].isna().all()
    assert of(rows, "sofa_score")["estimate"].notna().all()
    halves = observations["identity"].isin(["Bakers", "Pilots"]) != observations["stereotype"].str.contains("a")
    rows = toy.measured(toy.without(observations, halves))
    assert of(rows, "variance").loc["demo/trade", "note"]


def test_planted_models_are_beside_what_their_text_implies():
    observed = {("strong", toy.NAME): toy.observed(2.0, 0.01), ("none", toy.NAME): toy.observed(0.0, 0.01)}
    tidy = pd.concat(toy.measured(table, model) for (model, _), table in observed.items())
    strengths = {"strong": 2.0, "none": 0.0}
    rows = calibration.calibrate(tidy, observed, strengths, dict.fromkeys(strengths, "causal"), toy.SEED)
    assert sorted(rows["series"].unique()) == ["demo/pastime", "demo/trade"]
    strong, none = (rows[rows["model"] == model] for model in strengths)
    assert none["expected"].to_numpy() == pytest.approx(np.zeros(2), abs=1e-9)
    assert strong["learned"].to_numpy() == pytest.approx(np.ones(2), abs=0.05)
    assert strong["estimate"].to_numpy() == pytest.approx(strong["expected"].to_numpy(), rel=0.1)


def literal(observations, category="trade"):
    """Deviations of the identities of a category, all of which meet all stereotypes, in the order of their names."""
    rows = observations[observations["category"] == category]
    cells = rows.pivot(index="stereotype", columns="identity", values="value")
    alone = rows.drop_duplicates("identity").set_index("identity").loc[cells.columns]
    return cells.sub(cells.mean(axis=1), axis=0).to_numpy(), alone


def test_numbers_of_a_category_are_of_its_identities():
    observations = toy.varied(noise=0.3)
    name = observations["identity"]
    observations["identity_value"] = 2 + 0.1 * name.map({one: n**2 for n, one in enumerate(name.unique()[::-1])})
    y, alone = literal(observations)
    n, k = y.shape
    rows = toy.measured(observations).set_index(["variant", "group"])["estimate"]
    variance, effects = between(y, k - 1), y.mean(axis=0)
    assert rows["variance_bound", "demo/trade"] == pytest.approx(least_bound(*variance.interval(0.9)))
    residuals = between(given(y, alone["identity_value"].to_numpy()), k - 2)
    assert rows["variance_given_perplexity", "demo/trade"] == pytest.approx(residuals.variance)
    by_chance = effects @ effects / (k - 1) - variance.variance
    for variant, rest in (("consistent_share", n * by_chance), ("reliability", by_chance)):
        assert rows[variant, "demo/trade"] == pytest.approx(variance.variance / (variance.variance + rest))
    for variant, column in (("correlation_perplexity", "identity_value"), ("correlation_tokens", "n_identity_tokens")):
        assert rows[variant, "demo/trade"] == pytest.approx(stats.spearmanr(effects, alone[column]).statistic)


def test_identities_of_each_category_are_a_family_where_a_test_finds_something():
    rows = toy.measured(toy.observed(0.7, noise=0.3))
    of_trade = of(rows, "deviation").filter(like="demo/trade/", axis="index")
    least = of_trade.loc[of_trade["p_value"].idxmin()]
    assert 8 * least["p_value"] < 1
    assert least["p_adjusted"] == pytest.approx(8 * least["p_value"])


def test_the_lowest_and_the_highest_share_are_those_of_the_least_and_the_greatest():
    observations = toy.varied(noise=0.01)
    y, alone = literal(observations)
    rows = toy.measured(observations).set_index(["variant", "group"])["estimate"]
    names = alone.index
    for variant, is_extreme in (("lowest_share", y.min(axis=1)), ("highest_share", y.max(axis=1))):
        shares = (y == is_extreme[:, None]).mean(axis=0)
        found = [rows[variant, f"demo/trade/{name}"] for name in names]
        assert found == pytest.approx(shares.tolist())


def test_a_stereotype_that_one_identity_alone_meets_counts_for_nothing():
    observations = toy.varied()
    of_trade = observations["category"] == "trade"
    one = of_trade & observations["stereotype"].str.startswith("like")
    alone = toy.measured(toy.without(observations, one & (observations["identity"] != "Pilots")))
    without = toy.measured(observations[~one])
    for variant in ("sofa_score", "variance"):
        for column in ("estimate", "n"):
            assert of(alone, variant).loc["demo/trade", column] == pytest.approx(
                of(without, variant).loc["demo/trade", column]
            )


def test_a_stereotype_that_links_only_an_identity_left_out_is_left_out_too():
    """Pilots meet three stereotypes, too few; of one of these, they and Bakers are the only ones to meet it."""
    observations = toy.varied()
    begins = observations["stereotype"].str.startswith
    lost = (observations["identity"] == "Pilots") & ~begins(("like", "keep", "walk"))
    lost |= begins("like") & ~observations["identity"].isin(["Pilots", "Bakers"])
    lost &= observations["category"] == "trade"
    variance = of(toy.measured(toy.without(observations, lost)), "variance").loc["demo/trade"]
    assert variance["n"] == 7
    rest = observations[(observations["identity"] != "Pilots") & ~begins("like")]
    assert variance["estimate"] == pytest.approx(of(toy.measured(rest), "variance").loc["demo/trade", "estimate"])
