"""Numbers of a task: by hand where they can be, what cannot be measured, and ways to decide side by side."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.amplification import toy

from herbarium.decisions import corpus, names
from herbarium.metrics.amplification import changes, methods, numbers
from herbarium.models.comparisons import Compared

SETTINGS = numbers.Settings(margin=0.1, margins=[0.05], level=0.95, correction="fdr_bh")


def corpus_of(n_sets=toy.SETS, **more):
    return corpus.corpus(toy.examples(), toy.PREFIXES, toy.REGIONS, "continent", 20, n_sets, **more)


def measured(predicted=None, is_decided=False, **more):
    predicted = toy.predicted(2.0) if predicted is None else predicted
    return numbers.measure("m", "reviews", corpus_of(len(predicted), **more), predicted, SETTINGS, 1, is_decided)


def test_rates_and_published_numbers_by_hand():
    predicted = toy.predicted(2.0)
    rows = measured(predicted).numbers.set_index(["definition", "variant", "group"])["estimate"]
    africa, europe = (predicted[:, places] > 0 for places in ([2, 3], [4, 5]))
    assert rows["paper", "predicted_rate", "reviews/continent:AF"] == pytest.approx(africa.mean())
    assert rows["paper", "training_rate", "reviews/continent:AF"] == pytest.approx(14 / 40)
    wanted = ((14 / 40 - africa.mean()) + (europe.mean() - 28 / 40)) / 2
    assert rows["paper", "amplification", "reviews"] == pytest.approx(wanted)
    assert rows["own", "amplification", "reviews"] == pytest.approx(wanted)  # of two groups they are one
    assert wanted > 0.05
    label = np.arange(toy.TEXTS) % 2
    assert rows["own", "accuracy", "reviews"] == pytest.approx(((predicted[:, 2:6] > 0) == label).mean())


def test_what_is_left_out_is_said():
    rows = measured().numbers.set_index(["variant", "group"])
    assert rows.loc[("difference", "reviews/continent:OC"), "note"] == "left out: 1 training texts in a set"
    assert (
        rows.loc[("amplification", "reviews"), "note"].tolist()[1].startswith("not measured: no group has more than 50")
    )


def test_of_one_training_set_nothing_is_tested():
    rows = measured(toy.predicted()[:1]).numbers
    chosen = rows[(rows["definition"] == "own") & rows["variant"].isin(["amplification", "slope"])]
    assert chosen["estimate"].isna().all()
    assert chosen["note"].str.contains("one training set").all()
    assert rows["p_value"].isna().all()


def test_ways_to_decide_are_judged_at_one_margin():
    table = measured().by_method
    at = numbers.at_margin(table, 0.1).set_index("method")
    assert set(at.index) == {methods.AS_IT_IS, *names.METHODS, methods.THRESHOLDS, methods.REDUCTIONS}
    assert at.loc[names.EXACT, ["violations", "objective_gap", "largest_excess"]].tolist() == [0, 0, 0]
    assert at.loc[methods.AS_IT_IS, "violations"] > 0
    assert at.loc[names.POSTERIOR, "expected_violations"] == 0
    assert at.loc[methods.THRESHOLDS, "parity_difference"] < at.loc[methods.AS_IT_IS, "parity_difference"]
    assert table.loc[~np.isclose(table["margin"], 0.1), "method"].isin([methods.AS_IT_IS, *numbers.OVER_MARGINS]).all()
    assert at["worst_region"].isin(["continent:AF", "continent:EU"]).all()


def test_iterations_are_those_of_each_set():
    result = measured().iterations
    assert set(result["method"]) == {names.RBA_PAPER, names.RBA_RELEASED, names.RBA}
    assert set(result["set"]) == {1, 2, 3}


def test_of_what_is_decided_anew_no_ways_to_decide_are_tried():
    result = measured(is_decided=True)
    assert result.by_method.empty
    assert result.iterations.empty
    assert len(result.numbers) == len(measured().numbers)


def test_texts_that_name_groups_themselves():
    rows = measured(texts=corpus.NAMED).numbers.set_index(["definition", "variant", "group"])
    assert np.isfinite(rows.loc[("own", "amplification", "reviews"), "estimate"])


def test_changes_are_paired():
    comparison: Compared = ("a", "b", "a", "b")
    before, after = toy.predicted(2.0), toy.predicted(1.0)
    measured_models = {
        model: numbers.measure(model, "reviews", corpus_of(), values, SETTINGS, 1, True).numbers
        for model, values in (("a", before), ("b", after))
    }
    table = changes.changes(
        "reviews", [comparison], pd.concat(measured_models.values()), {"a": before, "b": after}, corpus_of()
    )
    assert table["measure"].tolist() == [
        "Task reviews, bias amplification",
        "Task reviews, accuracy with a country before the text",
        "Task reviews, Brier score",
    ]
    np.testing.assert_allclose(table["estimate"], table["value_after"] - table["value_before"])
    assert table["estimate"].iloc[0] < 0
    alone = numbers.measure("a", "reviews", corpus_of(), before, SETTINGS, 1, True).numbers
    width = (alone["ci_high"] - alone["ci_low"])[(alone["variant"] == "accuracy")].iloc[0]
    assert table["std_error"].iloc[1] < width
