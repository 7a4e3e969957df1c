"""Groups of texts that columns name: rates by hand, errors as they should be, and what is not said with few sets."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

from herbarium.metrics.downstream import own_groups
from herbarium.statistics.inference import crossed_mean

GROUPS = {"gender": ["female", "male"]}


def cells(group):
    """0 female, 1 male, -1 neither."""
    return pd.Series([[("gender", GROUPS["gender"][g])] if g >= 0 else [] for g in group])


def measured(log_odds, label, group, groups=GROUPS):
    table = own_groups.measure("m", "talk", log_odds, label, cells(group), groups, 0.95, "holm")
    return table.set_index(["group", "variant"])


def study(random, sets=5, n=400, gap=0.0, varies=0.3):
    """Group 1 is a quarter of the texts and more often positive; its texts are scored lower by `gap` standard
    deviations. varies: spread over training sets of a group's scores."""
    group = (random.uniform(size=n) < 0.25).astype(int)
    label = (random.uniform(size=n) < 0.3 + 0.3 * group).astype(int)
    of_sets = varies * random.normal(size=(sets, 2))[:, group]
    score = 1.5 * (2 * label - 1) + random.normal(size=n) - gap * group
    return score + of_sets + 0.5 * random.normal(size=(sets, n)), label, group


def test_rates_and_differences_by_hand():
    log_odds = np.array([[1.0, -1, 2, -2, 1, 1, -1, 9]])
    label, group = np.array([1, 1, 0, 0, 1, 0, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1, -1])
    rows = measured(log_odds, label, group)["estimate"]
    female, male, both = "talk/gender: female", "talk/gender: male", "talk/gender: female, male"
    wanted = {female: [0.5, 0.5, 0.5, 0.5, 0.5], male: [2 / 3, 2 / 3, 0.5, 0.0, 0.75]}
    for name, values in wanted.items():
        assert rows[name][list(own_groups.RATES)].tolist() == pytest.approx(values)
    for rate, one, other in zip(own_groups.RATES, wanted[female], wanted[male], strict=True):
        assert rows[both, own_groups.difference(rate)] == pytest.approx(other - one)


def test_auc_and_its_error_are_those_of_delong():
    random = np.random.default_rng(1)
    log_odds, label, group = study(random, sets=3)
    log_odds = log_odds.round(1)  # with ties
    parts = own_groups._parts(log_odds[:, group == 0], label[group == 0], np.flatnonzero(group == 0))["auc"]
    for row, scores in zip(parts.values, log_odds[:, group == 0], strict=True):
        assert row.mean() == pytest.approx(sklearn_metrics.roc_auc_score(label[group == 0], scores))
        yes, no = scores[label[group == 0] == 1], scores[label[group == 0] == 0]
        order = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
        variance = order.mean(axis=1).var(ddof=1) / len(yes) + order.mean(axis=0).var(ddof=1) / len(no)
        assert crossed_mean(row[None]).variance == pytest.approx(variance, rel=0.03)


def test_a_difference_that_is_there_is_found_and_of_few_sets_nothing_is_said():
    rows = measured(*study(np.random.default_rng(2), gap=1.5))
    of_pair = rows.loc["talk/gender: female, male"]
    row = of_pair.loc["false_negative_rate_difference"]
    assert row["p_value"] == row["p_adjusted"] < 0.05
    assert row["ci_low"] < row["estimate"] < row["ci_high"]
    assert row["unit"] == "text_groups"
    assert rows.loc["talk/gender: male", "p_value"].isna().all()
    three = measured(*study(np.random.default_rng(2), sets=3, n=2000)).loc["talk/gender: female, male"]
    assert three["p_value"].isna().all()
    assert three["ci_low"].notna().all()
    (note,) = set(three["note"])
    assert note == "3 training sets: a test needs at least 5"
    one = measured(*study(np.random.default_rng(2), sets=1)).loc["talk/gender: female, male"]
    assert one["ci_low"].isna().all()
    assert one["estimate"].notna().all()


def test_groups_without_texts_or_with_few_are_rows_that_say_so():
    log_odds, label, group = study(np.random.default_rng(3), n=40)
    rows = measured(log_odds, label, np.where(group == 1, -1, group))
    missing = rows.loc[["talk/gender: male", "talk/gender: female, male"]]
    assert missing["estimate"].isna().all()
    assert set(missing["note"]) == {"not measured: no such text"}
    few = measured(log_odds, label, group).loc["talk/gender: female, male"]
    assert few["ci_low"].isna().all()
    assert few["note"].str.contains("no interval: fewer than 10").all()


@pytest.mark.nightly
def test_without_a_difference_tests_reject_as_seldom_as_they_should():
    drawn = [measured(*study(np.random.default_rng(seed))) for seed in range(300)]
    p = pd.concat([rows.loc["talk/gender: female, male", "p_value"] for rows in drawn], axis=1)
    # positive texts are as hard as negative ones, so that only their numbers differ
    assert ((p < 0.05).mean(axis=1).drop("selection_rate_difference") < 0.1).all()
