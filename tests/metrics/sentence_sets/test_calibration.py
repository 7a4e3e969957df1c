"""Numbers of planted models beside their strength."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.sentence_sets import toy
from tests.metrics.sentence_sets.test_numbers import MODELS, measured

from herbarium.metrics.sentence_sets import calibration, numbers, planted
from herbarium.statistics.calibration import CALIBRATION


def calibration_rows(models):
    tables = [table for model in models for table in measured(1.0, model)]
    observed = {(model, name): toy.observations(entry, 1.0) for model in models for name, entry in toy.ENTRIES.items()}
    return calibration.rows(numbers.with_contrasts(pd.concat(tables), toy.ENTRIES, MODELS), toy.ENTRIES, observed)


def test_all_sets_of_planted_models_are_a_series_from_weak_to_strong():
    rows = calibration_rows(["strong", "real", "none"])
    assert list(rows.columns) == CALIBRATION.fields.names
    panels = rows.groupby("panel", sort=False)["series"].unique().map(list).to_dict()
    assert panels == {"sentence_sets": ["pronouns", "slots"], "sentence_sets_shares": ["shares"]}
    for _, series in rows.groupby("series"):
        assert series["planted"].tolist() == [0, 2]
        assert series["n"].eq(12).all()
    assert set(rows.set_index("series").loc["shares", "null"]) == {50}
    assert calibration_rows(["real"]).empty  # nothing is planted


def test_what_is_expected_is_the_strength_and_what_is_learned_its_share():
    rows = calibration_rows(["strong"]).set_index("series")
    assert rows["expected"].to_dict() == {"pronouns": 2, "slots": pytest.approx(2 * 2 / 3), "shares": 100}
    values = toy.observations(toy.ENTRY, 1.0).pivot(index="set", columns="side", values="value")
    assert rows.loc["pronouns", "learned"] == pytest.approx((values["he"] - values["she"]).mean() / 2)
    none = calibration_rows(["none"]).set_index("series")
    assert none["expected"].to_dict() == {"pronouns": 0, "slots": 0, "shares": 50}
    assert none["learned"].isna().all()


@pytest.mark.parametrize(
    ("quantity", "texts", "expected"),
    [
        ("ll", ["he is his own", "she is her own"], 1.5),
        ("pll", ["he is in", "she is in"], 1.5),
        ("pll", ["he is his own", "she is her own"], None),  # each word is masked beside the other
        ("association", ["he is in", "she is in"], None),
    ],
)
def test_only_what_the_text_says_is_expected(quantity, texts, expected):
    observed = pd.DataFrame({"set": ["s", "s"], "side": ["he", "she"], "text": texts, "value": [0.0, 0.0]})
    expectation = planted.expected(toy.ENTRY | {"quantity": quantity}, observed, 1.5)
    assert (None if np.isnan(expectation) else expectation) == expected


def test_of_questions_the_difference_of_accuracies_is_what_is_planted():
    entries = {"questions": toy.ACCURACY}
    observed = toy.observations(toy.ACCURACY, 1.0)
    table = numbers.with_contrasts(numbers.measure("strong", "questions", observed, toy.ACCURACY, 1), entries, MODELS)
    (row,) = calibration.rows(table, entries, {("strong", "questions"): observed}).to_dict("records")
    assert (row["panel"], row["expected"], row["null"]) == ("sentence_sets_accuracies", 100, 0)
    assert row["estimate"] == table.set_index("side").loc["difference", "estimate"].iloc[0]
