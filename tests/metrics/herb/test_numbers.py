"""HERB as tidy numbers: intervals over descriptions and sub-regions, and replicates that models share."""

import numpy as np
import pandas as pd
import pytest
import scipy

from herbarium.core import store
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import likelihoods as likelihoods_module
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb import score
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.replicates import REPLICATES

BOOTSTRAP = {"replicates": 60, "level": 0.9}


def resampled(small, likelihoods, threads=1, **bootstrap):
    return herb_numbers.resample("m", small.regions, small.topics, likelihoods, BOOTSTRAP | bootstrap, 7, threads)


@pytest.fixture(scope="module")
def whole(small):
    return resampled(small, small.likelihoods())


@pytest.fixture(scope="module")
def intervals(whole):
    return herb_numbers.intervals(whole, BOOTSTRAP["level"]).set_index(["variant", "group"])


def test_numbers_have_the_percentiles_of_the_replicates(small, whole):
    numbers = herb_numbers.numbers(whole, BOOTSTRAP["level"]).set_index(["variant", "group"])
    selected = whole.selected
    resampling = herb_bootstrap.Resampling(selected.topic_of)
    random = stream(7, "bootstrap", "herb", "descriptions")
    scores = herb_bootstrap.bootstrap(selected.f, selected.f_name, selected.parent, resampling, 60, random)
    drawn = np.array([of_paper for (of_paper,) in scores], float)
    for row, variant in enumerate(score.VARIANTS):
        for region in ("earth", "continent:AS", "country:AF0", "city:2"):
            if (variant, region) in numbers.index:
                at = selected.regions["region"].tolist().index(region)
                number, of_region = numbers.loc[(variant, region)], drawn[:, row, at]
                assert (number["ci_low"], number["ci_high"]) == pytest.approx(percentile_interval(of_region, 0.9))
                assert number["std_error"] == pytest.approx(of_region.std(ddof=1))
    assert {variant for variant, region in numbers.index if region == "city:2"} == {"C_w"}
    assert numbers["n"].loc["C_w", "country:AF0"] == 4


@pytest.mark.slow
def test_numbers_are_the_same_whatever_the_threads(small, whole):
    side_by_side = resampled(small, small.likelihoods(), threads=2)
    assert herb_numbers.numbers(side_by_side, BOOTSTRAP["level"]).equals(
        herb_numbers.numbers(whole, BOOTSTRAP["level"])
    )


def test_without_replicates_there_is_no_interval(small, tmp_path):
    without = resampled(small, small.likelihoods(), replicates=0)
    numbers = herb_numbers.numbers(without, 0.9)
    assert numbers["estimate"].notna().all()
    assert numbers[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    table = herb_numbers.replicates(without)
    assert table.empty
    store.write_table(tmp_path / "empty.parquet", REPLICATES, table, {"code": "0"})
    assert store.read_frame(tmp_path / "empty.parquet", REPLICATES.name).empty


def test_intervals_over_sub_regions_are_of_all_but_the_root(whole, intervals):
    """By hand: the score without each sub-region in turn, its logarithm, and the quantile of t(n - 1)."""
    assert set(intervals.index.get_level_values("group")) == {
        "continent:AF", "continent:AS", "continent:OC", "country:AF0"
    }  # fmt: skip
    assert intervals.index.is_unique
    selected = whole.selected
    at = selected.regions["region"].tolist().index("country:AF0")
    below = np.flatnonzero(selected.parent == at)
    logs = []
    for region in below:
        kept = np.arange(len(selected.parent)) != region
        parent = np.where(selected.parent[kept] > region, selected.parent[kept] - 1, selected.parent[kept])
        logs.append(np.log(score.herb(selected.f[kept], selected.f_name[kept], parent).sparseness[at]))
    error = np.sqrt(3 / 4 * ((logs - np.mean(logs)) ** 2).sum())
    row = intervals.loc[("sparseness_over_sub_regions", "country:AF0")]
    assert (row["estimate"], row["n"]) == (whole.estimates[4, at], 4)
    assert row["std_error"] == pytest.approx(row["estimate"] * error)
    expected = row["estimate"] * np.exp(np.array([-1, 1]) * scipy.stats.t.ppf(0.95, 3) * error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(expected))


def test_of_two_sub_regions_none_can_be_left_out(small):
    fewer = small.regions[~small.regions["region"].isin(["city:2", "city:3"])].reset_index(drop=True)
    of_two = herb_numbers.resample("m", fewer, small.topics, small.likelihoods(), BOOTSTRAP, 7)
    assert "country:AF0" not in set(herb_numbers.intervals(of_two, 0.9)["group"])


def test_models_share_the_draws_though_one_lacks_scores(small, whole):
    # f of both is the same but for what was refused, so that scores which do not depend on it agree in every replicate
    part = resampled(small, small.likelihoods(without_region="country:OC1"))
    np.testing.assert_array_equal(part.replicates[:, :, -1], whole.replicates[:, :, -1])  # country:AF0
    assert not np.allclose(part.replicates[:, 0, 0], whole.replicates[:, 0, 0])
    part = resampled(small, small.likelihoods(without_description="bald"))
    resampling = herb_bootstrap.Resampling(whole.selected.topic_of, np.arange(5) < 4)
    f, f_name, parent = part.selected.f, part.selected.f_name, part.selected.parent
    random = stream(7, "bootstrap", "herb", "descriptions")
    scores = herb_bootstrap.bootstrap(f, f_name, parent, resampling, 60, random)
    expected = np.array([of_paper for (of_paper,) in scores])[:, :, part.n_below > 0]
    np.testing.assert_allclose(part.replicates, expected, rtol=1e-6)


def test_replicates_for_differences_are_those_of_the_root_and_below(whole, tmp_path):
    table = herb_numbers.replicates(whole)
    assert list(table) == REPLICATES.fields.names
    assert set(table["group"]) == {"earth", "continent:AF", "continent:AS", "continent:OC"}
    assert len(table) == 60 * 5 * 4
    store.write_table(tmp_path / "replicates.parquet", REPLICATES, table, {"code": "0"})
    assert len(store.read_frame(tmp_path / "replicates.parquet", "replicates")) == len(table)
    assert table["unit"].eq(table["group"].str.split(":").str[0]).all()
    assert set(zip(table["metric"], table["definition"], table["model"], strict=True)) == {
        ("herb", "paper", whole.model)
    }
    values = table.set_index(["replicate", "variant", "group"])["value"]
    assert values.loc[17, "C_w_size_free_over_descriptions", "continent:AS"] == whole.replicates[17, 2, 2]


def test_where_every_region_is_refused_the_rows_say_so(small):
    likelihoods = small.likelihoods()
    nothing = np.full(likelihoods_module.matrix(likelihoods).shape, np.nan)
    result = resampled(small, likelihoods_module.with_matrix(likelihoods, nothing))
    numbers = herb_numbers.numbers(result, BOOTSTRAP["level"])
    assert sorted(numbers["group"]) == sorted(small.regions["region"])
    assert numbers["estimate"].isna().all()
    assert numbers["note"].str.startswith("not measured: ").all()
    assert numbers.set_index("group").loc["earth", "note"] == "not measured: sentences about every region were refused"
    assert herb_numbers.intervals(result, BOOTSTRAP["level"]).empty
    assert herb_numbers.replicates(result).empty


def test_notes_are_joined_and_a_column_without_notes_is_none():
    assert herb_numbers.joined(["a", None, "b"], [None, None, "c"]) == ["a", None, "b; c"]
    assert herb_numbers.joined(pd.Series([np.nan, np.nan]), pd.Series(["c", None])) == ["c", None]


def test_a_region_with_one_sub_region_has_no_interval_and_says_why(small):
    """C of it is 0 by definition, whatever descriptions are drawn: 0 to 0 would be read as no bias for sure."""
    alone = small.regions[~small.regions["region"].isin([f"city:{i}" for i in (1, 2, 3)])].reset_index(drop=True)
    of_one = herb_numbers.resample("m", alone, small.topics, small.likelihoods(), BOOTSTRAP, 7)
    rows = herb_numbers.numbers(of_one, 0.9)
    chosen = rows[rows["group"] == "country:AF0"]
    assert len(chosen) >= 4
    assert (chosen["estimate"] == 0).all()
    assert chosen[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    assert chosen["note"].str.contains("one sub-region, so there is nothing to compare", regex=False).all()
    others = rows[rows["group"] == "continent:AF"]
    assert others["ci_low"].notna().any()
    assert not others["note"].fillna("").str.contains("one sub-region").any()
