"""Mean absolute changes by hand, and what clusters their errors."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.counterfactual import score
from herbarium.statistics.clustered import two_way
from herbarium.statistics.inference import log_interval
from herbarium.statistics.tidy import TIDY

_NEW = itertools.count()  # no two sentences have the same tokens


def scores(values, quantity="pll", n_tokens=3):
    ids = range(len(values))
    columns = {"sentence_id": ids, "quantity": quantity, "value": values, "n_tokens": n_tokens, "note": None}
    return pd.DataFrame(columns | {"given": [next(_NEW) for _ in ids]})


def pairs(n, words=1, is_sure=True):
    place = np.arange(n)
    return pd.DataFrame(
        {
            "sentence_id": place,
            "text": "he",
            "swapped": "she",
            "frame": [f"f{number}" for number in place // words],
            "terms": [f"t{number}" for number in place % words],
            "is_sure": is_sure,
        }
    )


def test_by_hand():
    changes = score.absolute_changes(pairs(4), scores([-1.0, -2, -3, -4]), scores([-1.5, -1, -3, -2]))
    assert list(changes.columns) == score.CHANGED.fields.names
    assert changes["change"].tolist() == [-0.5, 1, 0, 2]
    row = score.measure("m", "herb", changes, 0, 0.95)
    assert list(row.columns) == TIDY.fields.names
    assert row[["variant", "group", "n", "estimate"]].to_numpy().tolist() == [
        ["pll_mean_absolute_change", "herb", 4, 3.5 / 4]
    ]
    assert row["std_error"].iloc[0] == pytest.approx(np.std([0.5, 1, 0, 2], ddof=1) / 2)
    assert row["note"].iloc[0] == "for these words only: t0"


def test_errors_are_clustered_in_sentences_and_words():
    sentence_pairs = pairs(40, words=5)
    after = np.random.default_rng(1).normal(size=40)
    changes = score.absolute_changes(sentence_pairs, scores(np.zeros(40)), scores(after))
    row = score.measure("m", "herb", changes, 0, 0.9).iloc[0]
    expected = two_way(np.abs(after), sentence_pairs[["frame", "terms"]].to_numpy())
    assert row["std_error"] == pytest.approx(expected.std_error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(log_interval(expected, 0.9))
    assert pd.isna(row["note"])


def test_what_is_left_out_is_counted():
    changes = score.absolute_changes(pairs(5), scores([0.0] * 5), scores([1.0, np.nan, 2, 1, 1], n_tokens=4))
    row = score.measure("m", "herb", changes, 2, 0.95).iloc[0]
    assert row["n"] == 4
    message = "1 pairs were refused, or are the same to the model; 2 left out: the swap is ambiguous; 4 differ in"
    assert row["note"].startswith(message)
    assert score.absolute_changes(pairs(3, is_sure=False), scores([0.0] * 3), scores([1.0] * 3)).empty


def test_pairs_of_equal_length_are_a_number_of_their_own():
    sentence_pairs, after = pairs(40, words=5), np.random.default_rng(1).normal(size=40)
    is_longer = np.arange(40) % 2 == 1
    swapped = scores(after - 9.0 * is_longer, n_tokens=np.where(is_longer, 4, 3))
    whole, alike = score.measure(
        "m", "herb", score.absolute_changes(sentence_pairs, scores(np.zeros(40)), swapped), 0, 0.9
    ).iloc
    assert whole["note"] == "20 differ in their number of tokens"
    assert alike["variant"] == "pll_mean_absolute_change_equal_length"
    changes = score.absolute_changes(sentence_pairs, scores(np.zeros(40)), scores(after))
    alone = score.measure("m", "herb", changes[~is_longer], 0, 0.9).iloc[0]
    same = ["n", "estimate", "std_error", "ci_low", "ci_high"]
    assert alike[same].tolist() == alone[same].tolist()
    assert whole["estimate"] > 3 > alike["estimate"]


def test_few_sentences_and_few_words_have_no_interval():
    changes = score.absolute_changes(pairs(3), scores([0.0] * 3), scores([1.0, 2, 3]))
    row = score.measure("m", "herb", changes, 0, 0.95).iloc[0]
    assert row["estimate"] == 2
    assert pd.isna(row["ci_low"])
    assert "no interval" in row["note"]


def test_without_a_pair_there_is_no_row():
    assert score.measure("m", "herb", score.absolute_changes(pairs(0), scores([]), scores([])), 0, 0.95).empty


def test_a_change_of_the_model_is_paired():
    before, after = (np.random.default_rng(seed).normal(size=12) for seed in (1, 2))
    none = scores(np.zeros(12))
    of_models = {
        "a": score.absolute_changes(pairs(12), none, scores(before)),
        "b": score.absolute_changes(pairs(12), none, scores(after)),
    }
    (row,) = score.compare("herb", [("x", "y", "a", "b")], of_models, 0.95).to_dict("records")
    difference = np.abs(after) - np.abs(before)
    assert row["estimate"] == pytest.approx(difference.mean())
    assert row["std_error"] == pytest.approx(difference.std(ddof=1) / 12**0.5)
    assert (row["value_before"], row["n"]) == (pytest.approx(np.abs(before).mean()), 12)
    assert row["measure"] == "herb, pll: mean absolute change"


def test_quantities_of_a_sentence_are_measured_and_compared_each_by_itself():
    """Two models, two quantities of the same pairs; one model refused a sentence of the first."""
    none = pd.concat([scores(np.zeros(12), quantity) for quantity in ("pll", "ppl")])

    def changed(pll, ppl):
        swapped = pd.concat([scores(pll, "pll"), scores(ppl, "ppl")])
        return score.absolute_changes(pairs(12), none, swapped)

    of_models = {
        "a": changed([np.nan, *[1.0, 3] * 5, 1], [10.0, 30] * 6),
        "b": changed([2.0, 4] * 6, [5.0, 9] * 6),
        "c": changed([0.0, 0] * 6, [1.0, 3] * 6),
    }
    rows = score.measure("a", "herb", of_models["a"], 0, 0.95).set_index("variant")
    assert rows["n"].to_dict() == {"pll_mean_absolute_change": 11, "ppl_mean_absolute_change": 12}
    assert rows["estimate"].tolist() == pytest.approx([(6 * 1 + 5 * 3) / 11, 20])
    compared = [("a", "b", "a", "b"), ("c", "b", "c", "b")]
    table = score.compare("herb", compared, of_models, 0.95).set_index(["first", "measure"])
    first, second = (f"herb, {quantity}: mean absolute change" for quantity in ("pll", "ppl"))
    assert table.loc[("a", first), ["n", "estimate"]].tolist() == pytest.approx([11, (6 * 3 - 5 * 1) / 11])
    assert table.loc[("a", second), ["n", "estimate"]].tolist() == pytest.approx([12, -13])
    assert table.loc[("c", first), ["n", "estimate"]].tolist() == pytest.approx([12, 3])
    assert table.loc[("c", second), ["n", "estimate"]].tolist() == pytest.approx([12, 5])


def test_a_pair_that_is_the_same_to_the_model_has_no_change():
    before, after = scores([-1.0, -2, -3, -4, -5]), scores([-2.0, -2, -3, -4, -7])
    after.loc[1, "given"] = before.loc[1, "given"]
    changes = score.absolute_changes(pairs(5), before, after)
    assert changes["absolute"].fillna(-1).tolist() == [1, -1, 0, 0, 2]
    row = score.measure("m", "herb", changes, 0, 0.95).iloc[0]
    assert (row["n"], row["estimate"]) == (4, 3 / 4)
