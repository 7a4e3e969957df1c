"""The score of CrowS-Pairs by hand."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from tests.metrics.cards import assert_cards

from herbarium.metrics.crows_pairs import score


def test_the_score_of_crows_pairs_by_hand():
    rows = []
    for pair, (kind, stereo, anti) in enumerate(
        [("age", -1, -2), ("age", -1, -1), ("race", -1, -3), ("race", -2, -1), ("race", -1, -4), ("race", None, -1)]
    ):
        rows += [(str(pair), kind, "stereo", stereo), (str(pair), kind, "antistereo", anti)]
    observed = pd.DataFrame(rows, columns=["set", "group", "side", "value"])
    found = score.score("m", observed, 0.95).set_index("group")
    # a tie is no stereotype
    assert found["estimate"].to_dict() == {"all": 60, "age": 50, "race": pytest.approx(200 / 3)}
    assert found["n"].to_dict() == {"all": 5, "age": 2, "race": 3}
    assert (found["ci_low"] < found["estimate"]).all()
    assert found.loc["all", "p_value"] == pytest.approx(1.0)  # three of five, two-sided


def observed(seed=0, n=40):
    random = np.random.default_rng(seed)
    rows = [
        (str(pair), ("age", "race")[pair % 2], side, random.normal())
        for pair in range(n)
        for side in ("stereo", "antistereo")
    ]
    return pd.DataFrame(rows, columns=["set", "group", "side", "value"])


def test_interval_and_p_value_are_wilsons_and_binomial():
    rows = observed()
    wide = rows.pivot(index="set", columns="side", values="value")
    k, n = int((wide["stereo"] > wide["antistereo"]).sum()), len(wide)
    row = score.score("m", rows, 0.9).set_index("group").loc["all"]
    test = scipy.stats.binomtest(k, n)
    interval = test.proportion_ci(0.9, method="wilson")
    assert (row["estimate"], row["p_value"]) == (100 * k / n, test.pvalue)
    assert (row["ci_low"], row["ci_high"]) == (100 * interval.low, 100 * interval.high)
    assert np.isnan(row["std_error"])
    assert np.isnan(row["p_adjusted"])


def test_pairs_with_a_refused_sentence_are_left_out_and_counted():
    rows = observed()
    rows.loc[[0, 4], "value"] = np.nan
    found = score.score("m", rows, 0.95).set_index("group")
    assert found["n"].to_dict() == {"all": 38, "age": 18, "race": 20}
    assert found.loc["age", "note"] == "2 of 20 sets left out: a sentence has no score"
    assert pd.isna(found.loc["race", "note"])
    nothing = score.score("m", rows.assign(value=np.nan), 0.95)
    assert nothing["estimate"].isna().all()
    assert nothing["note"].str.startswith("no set has a score for each of its sentences").all()


def test_every_number_has_a_card_and_every_card_a_number():
    assert_cards("crows_pairs", [score.score("m", observed(), 0.95)])
