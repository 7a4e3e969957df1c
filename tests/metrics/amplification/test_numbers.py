"""Numbers of a task: by hand where they can be, what cannot be measured, and ways to decide side by side."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from tests.metrics.amplification import toy
from tests.refusals import refused

from herbarium.decisions import constraints, corpus, names
from herbarium.decisions.recipes import Decided
from herbarium.metrics.amplification import changes, methods, numbers
from herbarium.models.comparisons import Compared

SETTINGS = numbers.Settings(margin=0.1, margins=[0.05], level=0.95, correction="fdr_bh")


def corpus_of(n_sets=toy.SETS, **more):
    return corpus.corpus(toy.examples(), toy.PREFIXES, toy.REGIONS, "continent", 20, n_sets, **more)


def measured(predicted=None, is_decided=False, **more):
    predicted = toy.predicted(2.0) if predicted is None else predicted
    return numbers.measure("m", "reviews", corpus_of(len(predicted), **more), predicted, SETTINGS, 1, is_decided)


@cache
def of_toy():
    return measured()


def test_rates_and_published_numbers_by_hand():
    predicted = toy.predicted(2.0)
    rows = of_toy().numbers.set_index(["definition", "variant", "group"])["estimate"]
    africa, europe = (predicted[:, places] > 0 for places in ([2, 3], [4, 5]))
    assert rows["paper", "predicted_rate", "reviews/continent:AF"] == pytest.approx(africa.mean())
    assert rows["paper", "training_rate", "reviews/continent:AF"] == pytest.approx(14 / 40)
    wanted = ((14 / 40 - africa.mean()) + (europe.mean() - 28 / 40)) / 2
    assert rows["paper", "amplification", "reviews"] == pytest.approx(wanted)
    assert rows["own", "amplification", "reviews"] == pytest.approx(wanted)  # of two groups they are one
    assert wanted > 0.05
    label = np.arange(toy.TEXTS) % 2
    assert rows["own", "accuracy", "reviews"] == pytest.approx(((predicted[:, 2:6] > 0) == label).mean())


def with_writers():
    """The toy's texts; writers of training texts on Africa are A, of those on Europe B; of test texts A, B, A, none."""
    examples = toy.examples()
    is_of_africa = examples["text"].str.contains("Kenya|Ghana")
    writer = pd.Series("B", examples.index).mask(is_of_africa, "A")
    is_test = (examples["split"] == "test").to_numpy()
    writer[is_test] = (["A", "B", "A", ""] * toy.TEXTS)[: is_test.sum()]
    return examples.assign(groups=[[("writer", name)] if name else [] for name in writer])


def test_groups_of_a_column_are_those_of_the_texts_as_they_are():
    of_writers = corpus.corpus(with_writers(), toy.PREFIXES, toy.REGIONS, "writer", 20, toy.SETS)
    predicted = toy.predicted(2.0)
    rows = numbers.measure("m", "reviews", of_writers, predicted, SETTINGS, 1, True).numbers
    assert set(rows["unit"]) == {"text_group", "all"}
    estimates = rows.set_index(["definition", "variant", "group"])["estimate"]
    place = np.arange(toy.TEXTS) % 4
    for writer, is_of, positive in (("A", np.isin(place, [0, 2]), 14), ("B", place == 1, 29)):
        group = f"reviews/writer: {writer}"
        wanted = (predicted[:, 0, is_of] > 0).mean()
        assert estimates["paper", "predicted_rate", group] == pytest.approx(wanted)
        n = 40 if writer == "A" else 41  # with that on Fiji
        assert estimates["paper", "training_rate", group] == pytest.approx(positive / n)
    # what is decided again are the texts as they are, and only those in a group
    again = of_writers.put_back(predicted[0], np.zeros(len(of_writers.text)))
    assert (again[0, place != 3] == 0).all()
    assert (again[0, place == 3] == predicted[0, 0, place == 3]).all()
    assert (again[1:] == predicted[0, 1:]).all()


def test_a_column_with_one_group_has_nothing_to_compare():
    with refused("amplification, task reviews", "'writer'", "only A"):
        examples = with_writers()
        examples["groups"] = [[item for item in cell if item[1] == "A"] for cell in examples["groups"]]
        corpus.corpus(examples, toy.PREFIXES, toy.REGIONS, "writer", 20, toy.SETS, where="amplification, task reviews")


def test_what_is_left_out_is_said():
    rows = of_toy().numbers.set_index(["variant", "group"])
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
    table = of_toy().by_method
    at = numbers.at_margin(table, 0.1).set_index("method")
    assert set(at.index) == {methods.AS_IT_IS, *names.METHODS, methods.THRESHOLDS, methods.REDUCTIONS}
    assert at.loc[names.EXACT, ["violations", "objective_gap", "largest_excess"]].tolist() == [0, 0, 0]
    assert at.loc[methods.AS_IT_IS, "violations"] > 0
    assert at.loc[names.POSTERIOR, "expected_violations"] == 0
    assert at.loc[methods.THRESHOLDS, "parity_difference"] < at.loc[methods.AS_IT_IS, "parity_difference"]
    assert table.loc[~np.isclose(table["margin"], 0.1), "method"].isin([methods.AS_IT_IS, *numbers.OVER_MARGINS]).all()
    assert at["worst_region"].isin(["continent:AF", "continent:EU"]).all()


def test_iterations_are_those_of_each_set():
    result = of_toy().iterations
    assert set(result["method"]) == {names.RBA_PAPER, names.RBA_RELEASED, names.RBA}
    assert set(result["set"]) == {1, 2, 3}


def test_of_what_is_decided_anew_no_ways_to_decide_are_tried():
    result = measured(is_decided=True)
    assert result.by_method.empty
    assert result.iterations.empty
    assert len(result.numbers) == len(of_toy().numbers)


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


def test_ways_to_decide_by_hand():
    """Two groups with two texts each; the first is decided too seldom for its rate in training, .5."""
    log_odds, label = np.array([-1.0, -2.0, 3.0, 4.0]), np.array([1, 0, 1, 0])
    pairs = np.array([[0, 0], [1, 0], [2, 1], [3, 1]])
    problem = constraints.Problem(log_odds, pairs, np.array([0.5, 1.0]), 0.1)
    exact = Decided(np.array([1.0, -1, 1, 1]))  # the likeliest that keeps to the rates
    rows = methods.judged(problem, {methods.AS_IT_IS: Decided(log_odds), names.EXACT: exact}, label)
    as_it_is, best = pd.DataFrame(rows).set_index("method").loc[[methods.AS_IT_IS, names.EXACT]].to_dict("records")
    assert (as_it_is["violations"], best["violations"]) == (1, 0)
    assert (as_it_is["largest_excess"], best["largest_excess"]) == (pytest.approx(0.4), 0)
    # it loses the log-odds of the first text, -1, of what is best without constraints: over four texts
    assert (as_it_is["objective_gap"], best["objective_gap"]) == (-0.25, 0)
    assert (as_it_is["accuracy"], best["accuracy"]) == (0.5, 0.75)
    assert (as_it_is["parity_difference"], best["parity_difference"]) == (1, 0.5)
    assert (as_it_is["error_rise"], best["error_rise"]) == (0, 0)
    p = 1 / (1 + np.exp(-log_odds))
    assert as_it_is["brier"] == pytest.approx(((p - label) ** 2).mean())
    worse = Decided(np.array([-1.0, 1, 1, 1]))
    (_, row) = methods.judged(problem, {names.EXACT: exact, "worse": worse}, label)
    assert (row["error_rise"], row["worst_group"]) == (0.5, 0)


def test_differences_of_regions_are_a_family_without_the_number_of_all():
    """Of six training sets, in which tests are made."""
    examples = toy.examples()
    more = examples[examples["split"] == "train"]
    more = more.assign(set=more["set"] + toy.SETS, example=more["example"] + " again")
    six = corpus.corpus(pd.concat([examples, more]), toy.PREFIXES, toy.REGIONS, "continent", 20, 6)
    predicted = np.concatenate([toy.predicted(0.7, seed) for seed in (0, 1)])
    predicted[:, 4:6] += 2.0  # Europe is decided positively by far more often than in training
    rows = numbers.measure("m", "reviews", six, predicted, SETTINGS, 1, True).numbers
    of_regions = rows[(rows["variant"] == "difference") & rows["p_value"].notna()]
    assert len(of_regions) == 2
    p = of_regions["p_value"].to_numpy(float)
    assert 2 * p.min() < p.max()
    assert of_regions["p_adjusted"].tolist() == pytest.approx(np.where(p == p.min(), 2 * p, p).tolist(), abs=0)
    alone = rows[(rows["variant"] == "amplification") & (rows["definition"] == "own")].iloc[0]
    assert alone["p_adjusted"] == alone["p_value"]


def test_released_numbers_are_of_groups_with_enough_texts_in_each_set(monkeypatch):
    """Africa has as many as it takes in two of three sets."""
    monkeypatch.setattr(numbers, "FEWEST_RELEASED", 35)
    examples = toy.examples()
    is_lost = (examples["set"] == 2) & examples["text"].str.startswith("From Ghana")
    few = corpus.corpus(examples[~is_lost], toy.PREFIXES, toy.REGIONS, "continent", 20, toy.SETS)
    predicted = toy.predicted(2.0)
    rows = numbers.measure("m", "reviews", few, predicted, SETTINGS, 1, True).numbers
    row = rows.set_index(["definition", "variant"]).loc[("released", "amplification")]
    europe = (predicted[:, 4:6] > 0).mean(axis=(1, 2))
    assert (row["n"], row["estimate"]) == (1, pytest.approx((europe - 28 / 40).mean()))
