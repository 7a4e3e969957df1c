"""Differences of two scores on the same draws, by hand: of two models, one of them with a replicate missing."""

import numpy as np
import pandas as pd
import pytest

from herbarium.statistics import paired
from herbarium.statistics.inference import adjust, bootstrap_p_value, percentile_interval

A, B, C, D = (("m", "all"), ("n", "all"), ("o", "all"), ("gone", "all"))
SCORES = pd.DataFrame({"estimate": [3.0, 1.0, 2.0], "n": [9, 9, 8]}, pd.MultiIndex.from_tuples([A, B, C]))
DRAWN = np.random.default_rng(0).normal(size=(199, 3)) * 0.8 + [3.0, 1.0, 2.0]


def family(unequal="unequal", method="holm", drawn=DRAWN):
    replicates = pd.DataFrame(drawn, columns=pd.MultiIndex.from_tuples([A, B, C]))
    pairs = [("m", "1", A, B), ("m", "2", C, A), ("m", "3", A, D)]
    return paired.family(pairs, SCORES, replicates, 0.9, method, "no replicates", unequal).set_index("group")


def test_each_difference_has_the_inference_of_its_own_replicates():
    table = family()
    assert table["estimate"].tolist()[:2] == [2.0, -1.0]
    p = []
    for group, first, second in (("1", 0, 1), ("2", 2, 0)):
        differences = DRAWN[:, first] - DRAWN[:, second]
        row = table.loc[group]
        assert row["std_error"] == pytest.approx(differences.std(ddof=1))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(differences, 0.9))
        p.append(bootstrap_p_value(differences))
    assert table["p_value"].tolist()[:2] == pytest.approx(p)
    assert table["p_adjusted"].tolist()[:2] == pytest.approx(adjust(np.array(p), "holm").tolist())
    assert p[0] != table["p_adjusted"].iloc[0] or p[1] != table["p_adjusted"].iloc[1]


def test_n_is_that_of_both_sides_or_of_none_and_the_note_says_so():
    table = family()
    assert table["n"].tolist()[0] == 9
    assert table["n"].isna().tolist() == [False, True, True]
    assert table["note"].tolist()[1:] == ["unequal", "a side was not measured"]
    assert table["note"].iloc[0] != "unequal"
    assert family(unequal=None)["note"].iloc[1] != "unequal"


def test_one_missing_replicate_leaves_no_test():
    drawn = DRAWN.copy()
    drawn[0, 1] = np.nan
    table = family(drawn=drawn)
    assert np.isnan(table.loc["1", "p_value"])
    assert table.loc["1", "note"] == "no replicates"
    assert np.isfinite(table.loc["2", "p_value"])
