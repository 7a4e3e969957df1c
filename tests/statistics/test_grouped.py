"""Profiles of groups: against an analysis of variance by hand, and what main effects must not change."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.core import store
from herbarium.statistics import grouped
from herbarium.statistics.tidy import TIDY

GROUPS = np.repeat(["AF", "AS", "EU"], [5, 7, 9])


def profiles(share=0.0, seed=1, items=12):
    random = np.random.default_rng(seed)
    noise = random.normal(size=(len(GROUPS), items))
    of_group = random.normal(size=(3, items))
    return np.sqrt(1 - share) * noise + np.sqrt(share) * of_group[pd.factorize(GROUPS)[0]]


def test_mean_squares_are_those_of_every_sum_by_hand():
    y = profiles(0.3)
    n, items = y.shape
    z = [[y[u, i] - sum(y[u]) / items for i in range(items)] for u in range(n)]
    overall = [sum(z[u][i] for u in range(n)) / n for i in range(items)]
    between, within = 0.0, 0.0
    for group in sorted(set(GROUPS)):
        members = [u for u in range(n) if GROUPS[u] == group]
        for i in range(items):
            mean = sum(z[u][i] for u in members) / len(members)
            between += len(members) * (mean - overall[i]) ** 2
            within += sum((z[u][i] - mean) ** 2 for u in members)
    result = grouped.components(y, GROUPS)
    assert result.groups == pytest.approx(between / (2 * (items - 1)))
    assert result.units == pytest.approx(within / (18 * (items - 1)))
    assert result.size == pytest.approx((21 - (25 + 49 + 81) / 21) / 2)
    kappa2 = (result.groups - result.units) / result.size
    assert result.share == pytest.approx(kappa2 / (kappa2 + result.units))


def test_how_likely_names_and_items_are_changes_nothing():
    y, random = profiles(0.3), np.random.default_rng(2)
    one = grouped.components(y, GROUPS)
    likelier = y + 10 * random.normal(size=(len(y), 1)) + 10 * random.normal(size=y.shape[1])
    continents = likelier + np.array([[0.0], [5.0], [-5.0]])[pd.factorize(GROUPS)[0]]
    for other in (likelier, continents):
        np.testing.assert_allclose(list(vars(grouped.components(other, GROUPS)).values()), list(vars(one).values()))


def test_two_items_are_the_one_way_analysis_of_variance_of_their_difference():
    y = profiles(0.4, items=2)
    difference = y[:, 0] - y[:, 1]
    wanted = stats.f_oneway(*(difference[group == GROUPS] for group in sorted(set(GROUPS))))
    assert grouped.components(y, GROUPS).p_value == pytest.approx(wanted.pvalue)


def test_the_interval_ends_where_the_data_are_at_the_tails():
    result = grouped.components(profiles(0.3), GROUPS)
    low, high = result.bounds(0.95)
    assert 0 < low < result.share < high < 1
    f = result.groups / result.units
    for bound, tail in ((low, 0.975), (high, 0.025)):
        noncentrality = result.df_groups * result.size * bound / (1 - bound)
        assert stats.ncf.cdf(f, result.df_groups, result.df_units, noncentrality) == pytest.approx(tail)
    assert result.equivalence_p_value(result.bounds(0.9)[1]) == pytest.approx(0.05)
    assert result.p_value < 0.025  # as the interval does not hold 0
    none = grouped.components(profiles(0.0, seed=5), GROUPS)
    assert none.bounds(0.95)[0] == 0


def test_items_that_go_together_count_as_fewer():
    random = np.random.default_rng(6)
    of_one = random.normal(size=(len(GROUPS), 1)) @ random.normal(size=(1, 12))
    alike = grouped.components(of_one + 0.01 * profiles(), GROUPS)
    apart = grouped.components(profiles(), GROUPS)
    assert alike.df_groups == pytest.approx(2, rel=0.05)
    assert apart.df_groups > 12


@pytest.mark.parametrize("groups", [["AF"] * 21, list(map(str, range(21)))], ids=["one group", "each its own"])
def test_too_few_groups_or_units_have_no_components(groups):
    assert grouped.components(profiles(), np.array(groups)) is None


def scores(share=0.3):
    y = profiles(share)
    rows = pd.DataFrame(y).stack().rename_axis(["unit", "item"]).rename("score").reset_index()
    rows = rows.assign(
        group=GROUPS[rows["unit"]], unit="c" + rows["unit"].astype(str), item="w" + rows["item"].astype(str)
    )
    return pd.concat(
        [rows.assign(template="a", score=rows["score"] + 1), rows.assign(template="b", score=rows["score"] - 1)]
    )


def test_numbers_are_of_means_over_templates(tmp_path):
    data = scores()
    store.write_table(tmp_path / "grouped.parquet", grouped.GROUPED, data)
    numbers = grouped.measure("m", "mine", store.read_frame(tmp_path / "grouped.parquet", "grouped"), 0.95, 0.05, 0.1)
    store.write_table(tmp_path / "numbers.parquet", TIDY, numbers)
    rows = numbers.set_index("variant")
    assert list(rows.index) == ["share", "equivalent", "equivalence_bound"]
    wanted = grouped.components(profiles(0.3), GROUPS)
    assert rows.loc["share", "estimate"] == pytest.approx(wanted.share)
    assert rows.loc["share", ["ci_low", "ci_high"]].tolist() == pytest.approx(list(wanted.bounds(0.95)))
    assert rows.loc["equivalent", "p_value"] == pytest.approx(wanted.equivalence_p_value(0.1))
    assert rows.loc["equivalence_bound", "estimate"] == rows.loc["equivalent", "ci_high"]
    assert set(rows["n"]) == {21}


def test_a_unit_without_a_score_is_left_out_and_what_cannot_be_said_is_said():
    data = scores()
    data.loc[(data["unit"] == "c0") & (data["item"] == "w3"), "score"] = np.nan
    numbers = grouped.measure("m", "mine", data, 0.95, 0.05, 0.1)
    assert set(numbers["n"]) == {20}
    assert (numbers["note"] == "1 units left out: a score is missing").all()
    (row,) = grouped.measure("m", "mine", data[data["group"] == "AF"], 0.95, 0.05, 0.1).to_dict("records")
    assert np.isnan(row["estimate"])
    assert "two groups" in row["note"]


def test_p_values_are_adjusted_over_the_models_of_the_same_data():
    numbers = pd.concat(
        grouped.measure(model, data, scores(share), 0.95, 0.05, 0.1)
        for data in ("mine", "theirs")
        for model, share in (("a", 0.3), ("b", 0))
    )
    adjusted = grouped.adjusted(numbers, "holm")
    table = adjusted[adjusted["unit"] == "mine"].set_index(["model", "variant"])
    assert table.loc[("a", "share"), "p_adjusted"] == pytest.approx(2 * table.loc[("a", "share"), "p_value"])
    assert np.isnan(table.loc[("a", "equivalence_bound"), "p_adjusted"])
