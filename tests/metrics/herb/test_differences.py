"""Differences between models and between continents: paired, adjusted by family, null where a side is."""

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.herb import differences as herb_differences
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb.likelihoods import matrix, with_matrix
from herbarium.metrics.herb.numbers import over_descriptions
from herbarium.statistics.inference import adjust, percentile_interval

BOOTSTRAP = {"replicates": 80, "level": 0.9}


def measured(small, likelihoods, model, seed=7):
    resampled = herb_numbers.resample(model, small.regions, small.topics, likelihoods, BOOTSTRAP, seed)
    return herb_numbers.numbers(resampled, BOOTSTRAP["level"]), herb_numbers.replicates(resampled)


@pytest.fixture(scope="module")
def models(small):
    """Two that nearly agree, and one that has nothing to do with them."""
    return {
        "a": measured(small, small.likelihoods(), "a"),
        "near-a": measured(small, small.likelihoods(noise=0.05), "near-a"),
        "other": measured(small, small.likelihoods(seed=2), "other"),
    }


def differences(small, models, method="holm"):
    numbers = pd.concat([table for table, _ in models.values()], ignore_index=True)
    replicates = pd.concat([table for _, table in models.values()], ignore_index=True)
    return herb_differences.differences(numbers, replicates, small.regions, BOOTSTRAP["level"], method)


@pytest.fixture(scope="module")
def rows(small, models):
    return differences(small, models).set_index(["variant", "model", "group"])


def drawn(models, model, variant, region):
    table = models[model][1]
    return table[(table["variant"] == over_descriptions(variant)) & (table["group"] == region)]["value"]


def test_a_difference_of_models_by_hand(models, rows):
    row = rows.loc[("C_z_over_descriptions", "a − other", "continent:AS")]
    estimates = [
        models[model][0].set_index(["variant", "group"]).loc[("C_z", "continent:AS"), "estimate"]
        for model in ("a", "other")
    ]
    assert row["estimate"] == pytest.approx(estimates[0] - estimates[1])
    a, other = (drawn(models, model, "C_z", "continent:AS").to_numpy() for model in ("a", "other"))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(a - other, 0.9))
    assert row["std_error"] == pytest.approx((a - other).std(ddof=1))
    tail = min((a - other <= 0).sum(), (a - other >= 0).sum())
    assert row["p_value"] == pytest.approx(min(1, 2 * (1 + tail) / 81))
    assert (row["n"], row["unit"]) == (3, "models")


def test_a_difference_of_regions_by_hand(models, rows):
    row = rows.loc[("sparseness_over_descriptions", "a", "continent:AF − continent:OC")]
    first, second = (drawn(models, "a", "sparseness", f"continent:{code}").to_numpy() for code in ("AF", "OC"))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(first - second, 0.9))
    assert row["unit"] == "regions"


def test_pairing_makes_intervals_of_models_that_agree_narrower(small, models):
    unpaired = measured(small, small.likelihoods(), "near-a", seed=8)
    assert unpaired[0]["estimate"].equals(models["a"][0]["estimate"])  # only the draws are others
    paired, not_paired = (
        differences(small, {"a": models["a"], "near-a": near}).set_index(["variant", "model", "group"])
        for near in (models["near-a"], unpaired)
    )
    at = ("C_w_size_free_over_descriptions", "a − near-a", "continent:AS")
    assert paired.loc[at, "std_error"] < not_paired.loc[at, "std_error"] / 4


def test_families_of_p_values(small, models, rows):
    by_method = {"holm": rows.reset_index(), "fdr_bh": differences(small, models, "fdr_bh")}
    for method, table in by_method.items():
        of_model = table["model"].where(table["unit"] == "regions", "any")
        for (_, unit, _), family in table.groupby(["variant", "unit", of_model]):
            assert len(family) == (12 if unit == "models" else 3)
            np.testing.assert_allclose(family["p_adjusted"], adjust(family["p_value"].to_numpy(), method))
    assert len(by_method["holm"]) == 5 * (12 + 3 * 3)
    least = np.isclose(rows["p_value"], 2 / 81) & ~rows["note"].str.contains("size-free", na=False)
    assert least.any()
    assert (rows.loc[least, "note"] == "p is the least possible with 80 replicates").all()
    assert (rows["p_adjusted"] >= rows["p_value"]).all()


def test_what_a_model_could_not_measure_is_null_with_a_note(small, models):
    without = measured(
        small, small.likelihoods(without_region="continent:AS"), "part"
    )  # the continent, with all inside it
    numbers, replicates = measured(small, small.likelihoods(without_region="country:OC1"), "two")  # two of OC are left
    rows = differences(small, {"a": models["a"], "part": without, "two": (numbers, replicates)})
    rows = rows.set_index(["variant", "model", "group"])
    row = rows.loc[("C_w_over_descriptions", "a − part", "continent:AS")]
    assert row[["estimate", "std_error", "ci_low", "p_value", "p_adjusted"]].isna().all()
    assert row["note"] == "a side was not measured"
    row = rows.loc[("C_w_over_descriptions", "a − two", "continent:OC")]
    assert np.isfinite(row["ci_low"])
    assert "size-free" in row["note"]
    assert pd.isna(rows.loc[("C_w_size_free_over_descriptions", "a − two", "continent:OC"), "note"])
    assert pd.isna(rows.loc[("C_w_over_descriptions", "a − part", "continent:AF"), "note"])


def test_a_model_whose_sentences_were_all_refused_has_rows_that_say_so(small, models):
    likelihoods = small.likelihoods()
    nothing = with_matrix(likelihoods, np.full(matrix(likelihoods).shape, np.nan))
    rows = differences(small, {"a": models["a"], "mute": measured(small, nothing, "mute")})
    rows = rows[rows["unit"] == "models"]
    assert set(rows["model"]) == {"a − mute"}
    assert rows["estimate"].isna().all()
    assert set(rows["note"]) == {"a side was not measured"}


def test_replicates_of_other_draws_are_refused(small, models):
    numbers, replicates = models["other"]
    with refused(None, "replicates", kind=ValueError):
        differences(small, {"a": models["a"], "other": (numbers, replicates[replicates["replicate"] < 40])})


def test_one_model_has_differences_of_its_regions_only(small, models):
    rows = differences(small, {"a": models["a"]})
    assert set(rows["unit"]) == {"regions"}
    numbers, replicates = models["a"]
    assert differences(small, {"a": (numbers, replicates.iloc[:0])}).empty


def test_models_are_compared_by_what_names_add_to_either():
    numbers = pd.DataFrame(
        [("a", "earth", 5.0, 6), ("b", "earth", 2.0, 6), ("a", "x", 1.0, 3), ("b", "x", np.nan, 0)],
        columns=["model", "group", "estimate", "n"],
    ).assign(variant="D2")
    influences = pd.DataFrame(
        [("a", "earth", "p", 3.0), ("a", "earth", "q", 1.0), ("b", "earth", "p", 2.0), ("a", "x", "p", 1.0)],
        columns=["model", "group", "drawn", "value"],
    )
    rows = herb_differences.of_crossed(numbers, influences, 0.95, "holm").set_index("group")
    earth = rows.loc["earth"]
    assert (earth["model"], earth["estimate"], earth["n"]) == ("a − b", 3.0, 6)
    assert earth["std_error"] == pytest.approx(np.sqrt(2))  # (3 - 2)² + (1 - 0)²
    assert (earth["ci_low"], earth["ci_high"]) == pytest.approx((3 - 1.959964 * 2**0.5, 3 + 1.959964 * 2**0.5))
    assert earth["p_value"] == earth["p_adjusted"] == pytest.approx(0.0338949, rel=1e-4)
    assert rows.loc["x", "note"] == "a side was not measured"
    assert herb_differences.of_crossed(numbers[numbers["model"] == "a"], influences, 0.95, "holm").empty


def test_a_change_is_that_of_the_root_paired_by_name():
    numbers = pd.DataFrame(
        [("a", "earth", 5.0, 6), ("b", "earth", 2.0, 6), ("c", "earth", np.nan, 0), ("a", "x", 1.0, 3)],
        columns=["model", "group", "estimate", "n"],
    ).assign(ci_low=0.0, ci_high=9.0, variant="D2")
    numbers = pd.concat([numbers, numbers.assign(variant="D2_contiguous", estimate=7.0)])  # another number of the root
    influences = pd.DataFrame(
        [("a", "earth", "p", 3.0), ("a", "earth", "q", 1.0), ("b", "earth", "p", 2.0), ("b", "x", "p", 7.0)],
        columns=["model", "group", "drawn", "value"],
    )
    regions = pd.DataFrame({"region": ["earth", "x"], "parent": [None, "earth"]})
    compared = [("a", "b", "a", "b"), ("a", "c", "a", "c")]
    one, other = herb_differences.changes(compared, numbers, influences, regions).to_dict("records")
    assert (one["estimate"], one["value_before"], one["value_after"], one["n"]) == (-3.0, 5.0, 2.0, 6)
    assert one["std_error"] == pytest.approx(np.sqrt((2 - 3) ** 2 + (0 - 1) ** 2))
    assert (one["null"], one["kind"], one["df"]) == (0, "bias", np.inf)
    assert np.isnan(other["estimate"])
    assert other["note"] == "one of the models was not measured"


def test_differences_of_the_papers_definition_alone(small, models):
    """Of other definitions and metrics there are numbers far off."""
    alone = differences(small, models)
    others = ({"definition": "raw_top"}, {"metric": "herb_of_countries"})
    more = {
        model: (pd.concat([*(table.assign(estimate=99.0, **other) for other in others), table]), drawn)
        for model, (table, drawn) in models.items()
    }
    pd.testing.assert_frame_equal(differences(small, more), alone)


def test_crossed_distances_of_all_models_and_regions_are_one_family():
    random = np.random.default_rng(0)
    places = [(model, group) for model in "abc" for group in ("earth", "west")]
    table = pd.DataFrame(places, columns=["model", "group"])
    table = table.assign(variant="D2", estimate=[0.1, 0.2, 0.4, 0.25, 0.3, 0.9], n=8)
    influences = [
        pd.DataFrame({"drawn": [f"n{k}" for k in range(8)], "value": 0.1 * random.normal(size=8)}).assign(
            model=model, group=group
        )
        for model, group in places
    ]
    rows = herb_differences.of_crossed(
        pd.concat([table, table.assign(variant="D2_least_bound")]), pd.concat(influences), 0.95, "holm"
    )
    assert rows["model"].tolist() == ["a − b"] * 2 + ["a − c"] * 2 + ["b − c"] * 2
    assert rows["estimate"].tolist() == pytest.approx([-0.3, -0.05, -0.2, -0.7, 0.1, -0.65])
    assert rows["p_adjusted"].tolist() == pytest.approx(adjust(rows["p_value"].to_numpy(float), "holm").tolist())
    assert (rows["p_adjusted"] > rows["p_value"]).any()


def test_a_change_of_the_root_has_the_error_of_the_root(small):
    """Between three models, of which one was not measured; of a continent, the influences are far larger."""
    table = pd.DataFrame({"model": list("abc"), "estimate": [0.1, 0.4, 0.2], "ci_low": 0.0, "ci_high": 1.0, "n": 8})
    table = pd.concat([table.assign(group=group, variant="D2") for group in ("continent:AF", "earth")])
    random = np.random.default_rng(0)
    values = {model: random.normal(size=8) for model in "ab"}
    influences = [
        pd.DataFrame({"drawn": [f"n{k}" for k in range(8)], "value": factor * value, "model": model, "group": group})
        for group, factor in (("continent:AF", 100.0), ("earth", 1.0))
        for model, value in values.items()
    ]
    compared = [("a", "b", "a", "b"), ("b", "a", "b", "a"), ("a", "c", "a", "c")]
    rows = herb_differences.changes(compared, table, pd.concat(influences), small.regions)
    assert rows["estimate"].fillna(9).tolist() == pytest.approx([0.3, -0.3, 9])
    variance = herb_differences.variance_of_difference(pd.Series(values["a"]), pd.Series(values["b"]))
    assert rows["std_error"][:2].tolist() == pytest.approx([np.sqrt(variance)] * 2)
    assert rows["n"][:2].tolist() == [8, 8]
