"""Published figures of CrowS-Pairs: against the paper and against the authors' pairs."""

import pytest
from tests.metrics.papers import numbers

from herbarium.core.resources import read_table


@pytest.fixture(scope="module")
def published():
    return read_table("resources/crows_pairs/published.csv", ["table", "value"])


def test_every_number_is_there_once(published):
    assert published["table"].value_counts().to_dict() == {"15": 9 * 3}
    assert not published.duplicated([*published.columns[: published.columns.get_loc("value")]]).any()
    assert set(published["contrast"]) == {"stereo-antistereo"}


def test_values_are_those_of_the_paper(published, shared):
    paper = (shared / "papers/shrestha_2025_robust_bias.txt").read_text(encoding="utf-8").splitlines()
    assert (published["value"] + published["symbol"]).tolist() == list(numbers(paper, 15))


def test_scores_of_crows_pairs_are_shares_of_their_pairs(published):
    rows = published.pivot(index="dimension", columns="measure", values="value").astype(float)
    assert rows["n"].sum() == 1508
    hits = (rows["cps"] * rows["n"] / 100).round()
    assert (100 * hits / rows["n"]).round(2).tolist() == rows["cps"].tolist()


def test_bias_types_are_those_of_crows_pairs(published, shared):
    types = read_table(shared / "data/crows_pairs/crows_pairs_anonymized.csv")["bias_type"].value_counts()
    n = published[published["measure"] == "n"].set_index("dimension")["value"]
    assert n.astype(int).to_dict() == types.to_dict()
