"""Entity F1 by hand and as seqeval has it, its error, and its change from one model to another."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval import metrics as seqeval_metrics

from herbarium.metrics.tagging import score
from herbarium.statistics.inference import crossed_mean

TRUE = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["O", "O"]]
# the first lacks its second word, the second is right, of the third one is spurious
SAID = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-LOC", "O"]]
LONG = 5  # so many times, for intervals
TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])


def test_f1_by_hand():
    result = score.counts(TRUE, [SAID])
    assert set(result) == {"all", "PER", "LOC"}
    assert result["all"].hits.tolist() == [[0, 1, 0]]
    assert result["all"].total.tolist() == [[2, 2, 1]]
    assert [score.f1(result[name]) for name in ("all", "PER", "LOC")] == [2 / 5, 0.0, 2 / 3]
    totals = score.counts(TRUE, [SAID, TRUE])["all"]  # whose parts have the mean that F1 is
    assert score.parts(totals).mean() == pytest.approx(score.f1(totals))


@given(st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=6), min_size=1, max_size=5))
@pytest.mark.filterwarnings("ignore:.*ill-defined")
def test_f1_is_that_of_seqeval(pairs):
    true, text = ([[pair[side] for pair in sentence] for sentence in pairs] for side in (0, 1))
    result = score.f1(score.counts(true, [text])["all"])
    assert (0.0 if np.isnan(result) else result) == pytest.approx(seqeval_metrics.f1_score(true, text))


def test_the_error_is_that_of_a_ratio():
    totals = score.counts(TRUE * LONG, [SAID * LONG])["all"]
    n, total = totals.total.size, totals.total.sum()
    residuals = 2 * totals.hits[0] - score.f1(totals) * totals.total[0]
    assert score.mean_f1(totals).variance == pytest.approx(n / (n - 1) * (residuals**2).sum() / total**2)


def test_rows():
    rows = score.measure("m", "names", TRUE * LONG, [SAID * LONG, TRUE * LONG], 3, 0.95)
    assert rows["group"].tolist() == ["names/all", "names/LOC", "names/PER"]
    assert (rows["n"] == 15).all()
    assert rows["note"].eq("3 words had no token, or were cut off: they count as O").all()
    assert ((rows["ci_low"] <= rows["estimate"]) & (rows["estimate"] <= rows["ci_high"])).all()
    assert rows[["ci_low", "ci_high"]].stack().between(0, 1).all()


def test_what_cannot_be_said_is_said():
    few = score.measure("m", "names", TRUE, [SAID], 0, 0.95)
    assert few["ci_low"].isna().all()
    assert few["note"].iloc[0].startswith("no interval: fewer than 10 sentences; one training set")
    none = score.measure("m", "names", [["O"]] * 12, [[["O"]] * 12], 0, 0.95)
    assert none["estimate"].isna().all()
    assert none["note"].iloc[0].startswith("not measured: there is no entity")


def test_a_change_is_paired_by_set_and_sentence():
    settings = {"a": [SAID * LONG, TRUE * LONG], "b": [TRUE * LONG, TRUE * LONG]}
    row = score.changes("names", [("a", "b", "a", "b")], TRUE * LONG, settings, 0.95).iloc[0]
    before, after = (score.counts(TRUE * LONG, settings[model])["all"] for model in "ab")
    assert row["estimate"] == pytest.approx(score.f1(after) - score.f1(before))
    assert row["std_error"] == pytest.approx(crossed_mean(score.parts(after) - score.parts(before)).std_error)
    assert (row["measure"], row["kind"], row["n"]) == ("Task names, entity F1", "cost", 15)
    assert pd.isna(row["null"])
    same = score.changes("names", [("a", "b", "a", "b")], TRUE * LONG, {"a": settings["a"], "b": settings["a"]}, 0.95)
    assert (same["estimate"].item(), same["std_error"].item()) == (0, 0)
