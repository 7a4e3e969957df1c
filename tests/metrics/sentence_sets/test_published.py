"""Published figures of coreference systems on WinoBias, beside ours."""

import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.sentence_sets import toy

from herbarium.core import resources
from herbarium.metrics.sentence_sets import numbers, published

FIGURES = resources.read_table("resources/sentence_sets/winobias_coreference.csv")
ENTRIES = {"questions": toy.ACCURACY, "others": toy.ACCURACY}


def test_the_columns_of_each_row_agree_but_for_one_that_is_in_doubt():
    doubtful = FIGURES[FIGURES["doubt"] != ""]
    assert doubtful[["table", "system", "type"]].astype(str).to_numpy().tolist() == [
        ["2.2", "E2E (names replaced)", "type 1"]
    ]
    sure = FIGURES[FIGURES["doubt"] == ""]
    rounding = 0.1501  # of three numbers with one decimal
    assert ((sure["pro"] - sure["anti"]).abs() - sure["difference"]).abs().max() < rounding
    assert ((sure["pro"] + sure["anti"]) / 2 - sure["mean"]).abs().max() < rounding


def test_the_mean_of_the_differences_of_systems_as_they_are_is_what_the_thesis_says():
    """Section 2.4: 21.1 on the development set."""
    plain = FIGURES[(FIGURES["split"] == "dev") & ~FIGURES["system"].str.contains("(", regex=False)]
    assert len(plain) == 6
    assert plain["difference"].mean() == pytest.approx(21.1, abs=0.06)


def test_ours_stand_first_and_what_was_not_measured_is_left_out():
    tables = [
        numbers.measure("m", name, toy.observations(entry).replace({"a": "type 1, dev", "b": "other"}), entry, 1)
        for name, entry in ENTRIES.items()
    ]
    rows = numbers.with_contrasts(pd.concat(tables), ENTRIES, [model_record("m", None)])
    table = published.beside(FIGURES, rows, ["questions"])
    assert list(table.columns) == published.COLUMNS
    assert table["task"].tolist() == [published.OURS] + [published.THEIRS] * 11
    assert set(table["type"] + table["split"]) == {"type 1dev"}
    chosen = rows[(rows["stimuli"] == "questions") & (rows["group"] == "type 1, dev")].set_index("side")["estimate"]
    assert table.iloc[0][published.NUMBERS].tolist() == chosen[published.NUMBERS].tolist()
    assert table.iloc[1]["system"] == "E2E"
    assert published.beside(FIGURES, rows, []).empty
