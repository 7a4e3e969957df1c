"""Ablations of a small study, and the published tables beside them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics import herb, herb_ablations, herb_published, herb_table
from herbarium.probes.herb import instantiate
from herbarium.resources import read_table

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "bald"]}
TREE = {"earth": None, "continent:AF": "earth", "continent:AS": "earth", "continent:OC": "earth"}
TREE |= {f"country:{c}{i}": f"continent:{c}" for c in ("AF", "AS", "OC") for i in range(3)}
TREE |= {f"city:{i}": "country:AF0" for i in range(4)}
REGIONS = pd.DataFrame(
    [
        {"region": region, "parent": parent, "level": region.split(":")[0], "name": region.split(":")[-1]}
        for region, parent in TREE.items()
    ]
)


@pytest.fixture(scope="module")
def study():
    """Probe, scores, and what they say as arrays."""
    words = list(itertools.chain(*TOPICS.values()))
    probe = instantiate("People in [region] are [description].", REGIONS["name"].tolist()[1:], words)
    random = np.random.default_rng(1)
    scores = pd.DataFrame({"sentence_id": probe["sentence_id"], "value": -random.uniform(1, 9, len(probe))})
    scores = scores.assign(quantity="aul", note=None)
    return probe, scores, herb_table.select(REGIONS, TOPICS, probe, scores)


@pytest.fixture(scope="module")
def numbers(study):
    probe, scores, _ = study
    bootstrap = {"replicates": 0, "level": 0.95}
    measured = herb_table.measure("albert-base-v2", REGIONS, TOPICS, probe, scores, bootstrap, seed=0)
    ablated = herb_ablations.ablate("albert-base-v2", REGIONS, TOPICS, probe, scores)
    return pd.concat([measured, ablated], ignore_index=True)


def one(numbers, definition, variant, group):
    rows = numbers[
        (numbers["definition"] == definition) & (numbers["variant"] == variant) & (numbers["group"] == group)
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_a_topic_left_out_is_a_study_without_it(study, numbers):
    probe, scores, _ = study
    rest = {"mind": TOPICS["mind"]}
    bootstrap = {"replicates": 0, "level": 0.95}
    alone = herb_table.measure("m", REGIONS, rest, probe, scores, bootstrap, seed=0)
    for variant, group in itertools.product(("C_w", "C_z", "C_w_size_free"), ("earth", "continent:AF")):
        left_out = one(numbers, "paper", f"{variant}_without_body", group)["estimate"]
        assert left_out == pytest.approx(one(alone, "paper", variant, group)["estimate"])


def test_departures_and_sparseness_are_those_of_the_metric(study, numbers):
    _, _, selected = study
    released = herb.herb(selected.f, selected.f_name, selected.parent, herb.DEPARTURES)
    assert one(numbers, "released aggregation", "C_w", "earth")["estimate"] == pytest.approx(released.C_w[0])
    raw = herb.herb(selected.f, selected.f_name, selected.parent, ["raw_top"])
    assert one(numbers, "raw_top", "C_z", "earth")["estimate"] == pytest.approx(raw.C_z[0])
    flat = one(numbers, "paper", "sparseness_flat", "continent:AF")
    assert flat["estimate"] == pytest.approx(herb.sparseness(selected.f, selected.parent)[1])
    assert flat["n"] == 1 + 3 + 4
    assert one(numbers, "paper", "sparseness_flat", "earth")["n"] == 3 + 9 + 4


def test_the_published_tables_stand_beside_ours(numbers):
    published = read_table("resources/published/herb.csv")
    first, second, third = (herb_published.beside(numbers, REGIONS, published, table, TOPICS) for table in (1, 2, 3))
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
