"""Categorical Bias of what has a planted bias."""

import pandas as pd

from herbarium.metrics.categorical_bias import calibration
from herbarium.metrics.categorical_bias.report import part
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

LANGUAGES = {
    "greek": {"lists": {"first": "a", "second": "b"}, "models": ["strong", "none", "weak", "real"]},
    "korean": {"lists": {"only": "c"}, "models": ["weak"]},
}
PLANTED = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}


def row(model, group, estimate, **more):
    found = {"metric": "categorical_bias", "definition": "paper", "variant": "cb", "unit": "list", "n": 6}
    found |= {"model": model, "group": group, "estimate": estimate}
    return found | {"ci_low": estimate - 0.1, "ci_high": estimate + 0.1} | more


def numbers():
    """Of the second list, of what was released and of one attribute there are only numbers far off."""
    rows = [row("weak", "korean/only", 0.25)]
    for model, value in {"strong": 3.0, "none": 0.5, "weak": 1.0, "real": 9.0}.items():
        rows += [
            row(model, "greek/first", value),
            row(model, "greek/second", 99.0),
            row(model, "greek/first", 99.0, definition="released"),
            row(model, "greek/first", 99.0, variant="cb_equal_length"),
            row(model, "greek/first/spy", 99.0, unit="attribute"),
        ]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def test_the_leading_list_of_a_language_is_a_series_from_weak_to_strong():
    rows = calibration.rows(numbers(), LANGUAGES, PLANTED)
    assert rows.columns.tolist() == CALIBRATION.fields.names
    series = rows.groupby("series", sort=False)[["model", "planted", "estimate"]].agg(list)
    assert series.to_dict("index") == {
        "korean": {"model": ["weak"], "planted": [1.0], "estimate": [0.25]},
        "greek": {"model": ["none", "weak", "strong"], "planted": [0.0, 1.0, 2.0], "estimate": [0.5, 1.0, 3.0]},
    }
    assert rows[["panel", "counted", "null", "has_truth"]].drop_duplicates().to_numpy().tolist() == [
        ["categorical_bias", "targets", 0.0, False]
    ]


def test_the_page_has_the_section_that_the_panel_names():
    assert calibration.PANEL.section in {section for section, _ in part._SECTIONS}


def test_nothing_planted_is_no_row():
    rows = calibration.rows(numbers(), LANGUAGES, dict.fromkeys(PLANTED))
    assert rows.empty
    assert rows.columns.tolist() == CALIBRATION.fields.names
