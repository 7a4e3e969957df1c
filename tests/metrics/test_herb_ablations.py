"""Ablations of a small study, and the published tables beside them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics import herb, herb_ablations, herb_bootstrap, herb_published, herb_table
from herbarium.resources import read_table
from herbarium.statistics import percentile_interval, stream

BOOTSTRAP = {"replicates": 30, "level": 0.9}


@pytest.fixture(scope="module")
def selected(small):
    return herb_table.select(small.regions, small.topics, small.probe, small.scores())


@pytest.fixture(scope="module")
def numbers(small):
    study = {"regions": small.regions, "topics": small.topics, "probe": small.probe, "scores": small.scores()}
    measured = herb_table.measure("albert-base-v2", **study, bootstrap={"replicates": 0, "level": 0.9}, seed=0)
    ablated = herb_ablations.ablate("albert-base-v2", **study, bootstrap=BOOTSTRAP, seed=0)
    return pd.concat([measured, ablated], ignore_index=True)


def one(numbers, definition, variant, group):
    rows = numbers[
        (numbers["definition"] == definition) & (numbers["variant"] == variant) & (numbers["group"] == group)
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_a_topic_left_out_is_a_study_without_it(small, numbers):
    rest = {"mind": small.topics["mind"]}
    alone = herb_table.measure("m", small.regions, rest, small.probe, small.scores(), BOOTSTRAP, seed=0)
    columns = ["estimate", "std_error", "ci_low", "ci_high"]
    for variant, group in itertools.product(("C_w", "C_z", "C_w_size_free"), ("earth", "continent:AF")):
        left_out = one(numbers, "paper", f"{variant}_without_body", group)[columns].astype(float)
        np.testing.assert_allclose(left_out, one(alone, "paper", variant, group)[columns].astype(float), rtol=1e-6)


def test_departures_and_sparseness_are_those_of_the_metric(selected, numbers):
    released = herb.herb(selected.f, selected.f_name, selected.parent, herb.DEPARTURES)
    assert one(numbers, "released aggregation", "C_w", "earth")["estimate"] == pytest.approx(released.C_w[0])
    raw = herb.herb(selected.f, selected.f_name, selected.parent, ["raw_top"])
    assert one(numbers, "raw_top", "C_z", "earth")["estimate"] == pytest.approx(raw.C_z[0])
    flat = one(numbers, "paper", "sparseness_flat", "continent:AF")
    assert flat["estimate"] == pytest.approx(herb.sparseness(selected.f, selected.parent)[1])
    assert flat["n"] == 1 + 3 + 4
    assert one(numbers, "paper", "sparseness_flat", "earth")["n"] == 3 + 9 + 4
    assert np.isnan(flat["ci_low"])
    assert flat["note"].startswith("no interval")


def test_a_departure_has_the_interval_of_its_own_replicates(selected, numbers):
    resampling = herb_bootstrap.Resampling("descriptions", selected.topic_of, selected.parent)
    random = stream(0, "bootstrap", "herb", "descriptions")
    drawn = np.array(
        [
            herb.herb(selected.f[:, sample], selected.f_name, selected.parent, ["unit_V"]).C_w[0]
            for sample in (np.repeat(np.arange(5), resampling.draw(own)[0]) for own in random.spawn(30))
        ]
    )
    row = one(numbers, "unit_V", "C_w", "earth")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(drawn, 0.9), rel=1e-5)
    assert row["std_error"] == pytest.approx(drawn.std(ddof=1), rel=1e-4)


def test_an_alternative_is_another_f(selected):
    other = herb_ablations.Alternative(
        "paper", selected.f[:, ::-1] - 1, selected.f_name, selected.topic_of[::-1], "_substituted"
    )
    rows = herb_ablations.alternatives("m", selected, [other], BOOTSTRAP, seed=0)
    assert set(rows["variant"]) == {f"{variant}_substituted" for variant in herb.VARIANTS[:4]}
    expected = herb.herb(selected.f - 1, selected.f_name, selected.parent)
    row = one(rows, "paper", "C_z_size_free_substituted", "continent:AS")
    assert row["estimate"] == pytest.approx(expected.C_z_size_free[2])
    assert row["ci_low"] < row["ci_high"]


def test_the_published_tables_stand_beside_ours(small, numbers):
    published = read_table("resources/published/herb.csv")
    first, second, third = (
        herb_published.beside(numbers, small.regions, published, table, small.topics) for table in (1, 2, 3)
    )
    row = first[(first["line"] == "C_z") & (first["region"] == "continent:OC")].iloc[0]
    assert (row["published"], row["published_printed"]) == (0.1850, 0.0701)  # ALBERT; the printed OC is North America's
    assert row["paper"] == pytest.approx(1e3 * one(numbers, "paper", "C_z", "continent:OC")["estimate"])
    assert row["difference"] == pytest.approx(row["paper"] - 0.1850)
    row = second[second["region"] == "earth"].iloc[0]
    assert (row["published"], row["name"]) == (0.0743, "earth")
    assert row["paper"] == one(numbers, "paper", "sparseness_flat", "earth")["estimate"]
    assert set(third["line"]) == {"full", "without mind", "without body"}
    assert third.loc[third["line"] == "full", "published"].notna().all()
    assert third.loc[third["line"] == "without mind", "published"].isna().all()  # no topic of the paper


def test_what_a_departure_does_is_its_ratio(numbers):
    table = herb_published.departures(numbers)
    assert set(table["departure"]) == {*herb.DEPARTURES, herb_ablations.RELEASED}
    assert len(table) == 2 * (len(herb.DEPARTURES) + 1) * 4
    np.testing.assert_allclose(table["ratio"], table["departed"] / table["paper"])
    untouched = table[(table["departure"] == "last_name") & (table["variant"] == "C_w")]
    np.testing.assert_allclose(untouched["ratio"], 1)
