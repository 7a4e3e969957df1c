"""Numbers of planted models beside their strength."""

import pandas as pd
from tests.metrics.sentence_sets import toy
from tests.metrics.sentence_sets.test_numbers import MODELS, measured

from herbarium.metrics.sentence_sets import calibration, numbers
from herbarium.statistics.calibration import CALIBRATION


def found(models):
    tables = [table for model in models for table in measured(1.0, model)]
    return calibration.rows(numbers.with_contrasts(pd.concat(tables), toy.ENTRIES, MODELS), toy.ENTRIES)


def test_all_sets_of_planted_models_are_a_series_from_weak_to_strong():
    rows = found(["strong", "real", "none"])
    assert list(rows.columns) == CALIBRATION.fields.names
    assert rows.groupby("panel", sort=False)["series"].unique().map(list).to_dict() == {
        "sentence_sets": ["pronouns", "slots"],
        "sentence_sets_shares": ["shares"],
    }
    for _, series in rows.groupby("series"):
        assert series["planted"].tolist() == [0, 2]
        assert series["n"].eq(12).all()
    assert set(rows.set_index("series").loc["shares", "null"]) == {50}


def test_nothing_planted_is_no_row():
    assert found(["real"]).empty
