"""HERB of what has a planted bias."""

import pandas as pd

from herbarium.metrics.herb import calibration
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

PLANTED = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}


def row(model, group, estimate, **more):
    found = {"metric": "herb", "definition": "paper", "variant": "C_w_size_free", "unit": "all", "n": 6}
    found |= {"model": model, "group": group, "estimate": estimate}
    return found | {"ci_low": estimate - 0.1, "ci_high": estimate + 0.1} | more


def numbers(models):
    """Of regions, other variants, metrics and definitions there are only numbers far off."""
    others = ({"metric": "herb_toxic"}, {"definition": "released"}, {"variant": "C_w"})
    rows = [row(model, "earth", value) for model, value in models.items()]
    rows += [row(model, "continent:AF", 99.0) for model in models]
    rows += [row(model, "earth", 99.0, **other) for model in models for other in others]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def test_the_root_stands_from_weak_to_strong_and_nothing_else_does():
    rows = calibration.rows(numbers({"none": 0.5, "weak": 1.0, "strong": 3.0, "real": 9.0}), "earth", PLANTED)
    assert rows.columns.tolist() == CALIBRATION.fields.names
    assert rows["model"].tolist() == ["none", "weak", "strong"]
    assert rows[["planted", "estimate"]].to_numpy().tolist() == [[0.0, 0.5], [1.0, 1.0], [2.0, 3.0]]
    assert rows[["panel", "series", "section", "null"]].drop_duplicates().to_numpy().tolist() == [
        ["herb", "root", "herb", 0.0]
    ]
    assert rows["never_negative"].unique().tolist() == ["a mean of distances"]  # a band at 0 proves nothing
    assert not rows["has_truth"].any()


def test_nothing_planted_is_nothing_to_calibrate():
    assert calibration.rows(numbers({"real": 9.0}), "earth", PLANTED).empty
