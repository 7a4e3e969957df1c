"""The score of CrowS-Pairs by hand."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from herbarium.metrics.crows_pairs import score


def test_the_score_of_crows_pairs_by_hand():
    rows = []
    for pair, (kind, stereo, anti) in enumerate(
        [("age", -1, -2), ("age", -1, -1), ("race", -1, -3), ("race", -2, -1), ("race", -1, -4), ("race", None, -1)]
    ):
        rows += [(str(pair), kind, "stereo", stereo), (str(pair), kind, "antistereo", anti)]
    observed = pd.DataFrame(rows, columns=["set", "group", "side", "value"]).assign(
        definition="paper", remark="", cluster=lambda table: table["set"]
    )
    result = by_group("cps", score.score("m", observed, 0.95, 1))
    # a tie is neither a stereotype nor none
    assert result["estimate"].to_dict() == {"all": 75, "age": 100, "race": pytest.approx(200 / 3)}
    assert result["n"].to_dict() == {"all": 4, "age": 1, "race": 3}
    assert (result["ci_low"] < result["estimate"]).all()
    assert result.loc["all", "p_value"] == pytest.approx(10 / 16)  # three of four, two-sided
    difference = by_group("difference", score.score("m", observed, 0.95, 1))
    assert difference["estimate"].to_dict() == {"all": 1, "age": 0.5, "race": pytest.approx(4 / 3)}
    items = score.of_items("m", observed).groupby("object")["value"]
    assert items.mean().to_dict() == pytest.approx(result["estimate"].drop("all").to_dict())


def by_group(variant, numbers):
    return numbers[numbers["variant"] == variant].set_index("group")


def observed(seed=0, n=40):
    random = np.random.default_rng(seed)
    rows = [
        (str(pair), ("age", "race")[pair % 2], side, random.normal())
        for pair in range(n)
        for side in ("stereo", "antistereo")
    ]
    return pd.DataFrame(rows, columns=["set", "group", "side", "value"]).assign(
        definition="paper", remark="", cluster=lambda table: table["set"]
    )


def test_interval_and_p_value_are_wilsons_and_binomial():
    rows = observed()
    wide = rows.pivot(index="set", columns="side", values="value")
    k, n = int((wide["stereo"] > wide["antistereo"]).sum()), len(wide)
    numbers = score.score("m", rows, 0.9, 1)
    row = by_group("cps", numbers).loc["all"]
    test = scipy.stats.binomtest(k, n)
    interval = test.proportion_ci(0.9, method="wilson")
    assert (row["estimate"], row["p_value"]) == (100 * k / n, test.pvalue)
    assert (row["ci_low"], row["ci_high"]) == (100 * interval.low, 100 * interval.high)
    assert np.isnan(row["std_error"])
    assert row["p_adjusted"] == row["p_value"]  # a family of its own
    narrower = test.proportion_ci(0.8, method="wilson")
    least = max(50 - 100 * narrower.low, 100 * narrower.high - 50)
    assert by_group("cps_equivalence_bound", numbers).loc["all", "estimate"] == pytest.approx(least)


def test_the_difference_is_the_paired_test_and_p_values_are_adjusted_over_bias_types():
    rows = observed()
    wide = rows.pivot(index="set", columns="side", values="value")
    paired = scipy.stats.ttest_rel(wide["stereo"], wide["antistereo"]).confidence_interval(0.9)
    result = by_group("difference", score.score("m", rows, 0.9, 1))
    assert result.loc["all", ["ci_low", "ci_high"]].tolist() == pytest.approx(list(paired))
    types = result.drop("all")
    assert types["p_adjusted"].max() == pytest.approx(min(1, max(2 * types["p_value"].min(), types["p_value"].max())))


def test_pairs_with_a_refused_sentence_are_left_out_and_counted():
    rows = observed()
    rows.loc[[0, 4], "value"] = np.nan
    result = by_group("cps", score.score("m", rows, 0.95, 1))
    assert result["n"].to_dict() == {"all": 38, "age": 18, "race": 20}
    assert result.loc["age", "note"] == "2 of 20 sets left out: a sentence has no score"
    assert pd.isna(result.loc["race", "note"])
    nothing = score.score("m", rows.assign(value=np.nan), 0.95, 1)
    assert nothing["estimate"].isna().all()
    assert nothing["note"].str.startswith("no set can be compared").all()


def test_pairs_of_equal_length_are_a_number_of_their_own():
    """A model without a preference, whose tokenizer splits one side more in two thirds of the pairs, and so scores the
    sentence lower."""
    rows = observed(n=60)
    is_longer = (rows["set"].astype(int) % 3 > 0) & (rows["side"] == "antistereo")
    rows = rows.assign(n_tokens=np.where(is_longer, 4, 3), value=rows["value"] - 9.0 * is_longer)
    numbers, alone = (score.score("m", table, 0.95, 1) for table in (rows, rows[rows["set"].astype(int) % 3 == 0]))
    assert (
        by_group("cps", numbers).loc["all", "p_value"]
        < 0.05
        < by_group("cps_equal_length", numbers).loc["all", "p_value"]
    )
    note = "in 40 of 60 sets the sentences differ in their number of tokens"
    assert by_group("cps", numbers).loc["all", "note"] == note
    for variant in ("cps", "difference", "cps_equivalence_bound"):
        alike = variant.replace("cps", "cps_equal_length").replace("difference", "difference_equal_length")
        pd.testing.assert_frame_equal(by_group(alike, numbers), by_group(variant, alone).assign(variant=alike))
    longer = rows.assign(n_tokens=np.where(rows["side"] == "stereo", 3, 4))
    assert not score.score("m", longer, 0.95, 1)["variant"].str.contains("equal_length").any()


def test_a_change_is_paired_by_pair():
    before, after = observed(0), observed(1)
    numbers = pd.concat([score.score(model, table, 0.95, 1) for model, table in (("a", before), ("b", after))])
    (row,) = score.changes([("a", "b", "a", "b")], numbers, {"a": before, "b": after}).to_dict("records")
    wide = [table.pivot(index="set", columns="side", values="value") for table in (before, after)]
    first, second = (100.0 * (values["stereo"] > values["antistereo"]) for values in wide)
    expected = scipy.stats.ttest_rel(second, first)
    assert row["estimate"] == pytest.approx(second.mean() - first.mean())
    assert row["estimate"] / row["std_error"] == pytest.approx(expected.statistic)
    assert (row["value_before"], row["value_after"]) == (first.mean(), second.mean())
    assert (row["null"], row["n"], row["df"]) == (50, 40, 39)


def test_pairs_without_a_remark_are_a_number_of_their_own():
    rows = observed()
    is_odd = rows["set"].astype(int) < 7
    numbers = score.score("m", rows.assign(remark=np.where(is_odd, "odd", "")), 0.95, 1)
    alone = score.score("m", rows[~is_odd], 0.95, 1)
    of_all = score.score("m", rows, 0.95, 1)
    for variant in ("cps", "difference", "cps_equivalence_bound"):
        without = variant.replace("cps", "cps_without_remarks").replace("difference", "difference_without_remarks")
        pd.testing.assert_frame_equal(by_group(without, numbers), by_group(variant, alone).assign(variant=without))
        pd.testing.assert_frame_equal(by_group(variant, numbers), by_group(variant, of_all))
    assert not of_all["variant"].str.contains("remark").any()


def test_pairs_that_are_alike_say_as_much_as_fewer():
    """The numbers are the same, errors are clustered; n counts what the interval is over."""
    random = np.random.default_rng(1)
    noise = np.repeat(random.normal(size=20), 3) + 0.1 * random.normal(size=60)
    frame = pd.DataFrame({"set": np.repeat(np.arange(60).astype(str), 2), "side": ["stereo", "antistereo"] * 60})
    frame = frame.assign(
        definition="paper",
        group="",
        remark="",
        value=np.column_stack([noise, np.zeros(60)]).ravel(),
        cluster=frame["set"],
    )
    alike = frame.assign(cluster=np.repeat(np.arange(20), 6).astype(str))
    apart, together = (score.score("m", table, 0.95, 1).set_index("variant") for table in (frame, alike))
    for variant in ("cps", "difference"):
        assert together.loc[variant, "estimate"] == pytest.approx(apart.loc[variant, "estimate"])
        width = [
            numbers_of_frame.loc[variant, "ci_high"] - numbers_of_frame.loc[variant, "ci_low"]
            for numbers_of_frame in (apart, together)
        ]
        assert width[1] > 1.4 * width[0]
        assert apart.loc[variant, ["n", "over"]].tolist() == [60, "pairs"]
        assert together.loc[variant, ["n", "over"]].tolist() == [20, "different pairs"]
    assert together.loc["n_pairs", "estimate"] == apart.loc["n_pairs", "estimate"] == 60
