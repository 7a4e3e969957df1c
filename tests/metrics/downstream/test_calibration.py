"""Tasks against the strength of what was planted in their texts."""

import numpy as np
import pandas as pd

from herbarium.metrics.downstream import calibration
from herbarium.statistics.calibration import CALIBRATION


def row(variant, task, model, estimate, unit="all", group="country"):
    place = {"model": model, "metric": "downstream", "definition": "paper", "variant": variant, "unit": unit}
    number = {"estimate": estimate, "ci_low": estimate - 0.1, "ci_high": estimate + 0.1, "n": 40}
    return place | number | {"group": f"{task}/{group}"}


NUMBERS = pd.DataFrame(
    [
        *(row("planted_slope", task, "m", value) for task, value in (("strong", 1.9), ("none", 0.1))),
        *(row("excess_spread", task, "m", value) for task, value in (("strong", 4.0), ("none", 1.0), ("real", 1.2))),
        row("planted_slope", "strong", "other", 2.1),
        row("excess_spread", "strong", "m", 3.0, group="city"),
        row("excess_spread", "strong", "m", 3.0, unit="country", group="country:PE"),
        row("planted_spearman", "strong", "m", 0.9),
    ]
)
PLANTED = {"real": None, "strong": 2.0, "none": 0.0}


def test_a_series_a_model_from_weak_to_strong():
    result = calibration.rows(NUMBERS, PLANTED)
    assert result.columns.tolist() == CALIBRATION.fields.names
    assert result[["panel", "series", "planted", "estimate"]].to_numpy().tolist() == [
        ["downstream_excess", "m", 0.0, 1.0],
        ["downstream_excess", "m", 2.0, 4.0],
        ["downstream_slope", "m", 0.0, 0.1],
        ["downstream_slope", "m", 2.0, 1.9],
        ["downstream_slope", "other", 2.0, 2.1],
    ]
    by_panel = result.drop_duplicates("panel").set_index("panel")
    assert by_panel["null"].tolist() == [0, 0]
    assert result["expected"].tolist() == result["planted"].tolist()
    assert result["learned"].fillna(-1).tolist() == [-1, 0.95, -1, 0.95, 1.05]
    assert by_panel["section"].tolist() == ["downstream-findings", "downstream-planted"]


def test_texts_that_are_not_planted_have_no_row():
    assert calibration.rows(NUMBERS, dict.fromkeys(PLANTED)).empty
    assert np.isfinite(calibration.rows(NUMBERS, PLANTED)["planted"]).all()
