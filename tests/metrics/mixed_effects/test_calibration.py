"""Bias scores against the strength of what was planted."""

import pandas as pd

from herbarium.metrics.mixed_effects.calibration import calibration
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.fits_overview import ADJUSTED

PLANTED = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}


def fit(model, dimension, estimate, half=0.1, **more):
    row = {"model": model, "data": "traits", "definition": "paper", "subset": "all", "structure": "intercepts"}
    row |= {"dimension": dimension, "contrast": "male-female", "estimate": estimate, "n": 6}
    return row | {"ci_low": estimate - half, "ci_high": estimate + half} | more


def fits():
    """Scores of order are negative, and 0 without bias; of what is not asked, there are only numbers far off."""
    rows = []
    for dimension, of in {
        "order": {"none": 0.05, "weak": -1, "strong": -2, "real": 99.0},
        "care": {"none": 0, "weak": 0.05},
    }.items():
        rows += [fit(model, dimension, value) for model, value in of.items()]
        rows += [fit(model, dimension, value, 0.5, structure="slopes") for model, value in of.items()]
        for other in (
            {"subset": "shared"},
            {"contrast": "male-neo"},
            {"definition": "released"},
            {"structure": "pairs"},
            {"data": "herb"},
        ):
            rows += [fit(model, dimension, 99.0, **other) for model in of]
    return pd.DataFrame(rows).reindex(columns=ADJUSTED.fields.names)


def test_series_stand_from_weak_to_strong_and_nothing_else_does():
    table = calibration(fits(), ["traits"], PLANTED)
    assert table.columns.tolist() == CALIBRATION.fields.names
    series = table.groupby(["panel", "series"], sort=False)[["planted", "estimate"]].agg(list)
    by_strength = [0.0, 1.0, 2.0]
    assert series["planted"].to_dict() == {
        ("mixed_effects", "traits/order"): by_strength,
        ("mixed_effects", "traits/care"): [0.0, 1.0],
        ("mixed_effects_maximal", "traits/order"): by_strength,
        ("mixed_effects_maximal", "traits/care"): [0.0, 1.0],
    }
    assert series["estimate"]["mixed_effects", "traits/order"] == [0.05, 1, 2]  # the sign is planted too
    assert table["estimate"].max() < 99
    none = table[(table["series"] == "traits/order") & (table["planted"] == 0)].set_index("panel")
    assert none["ci_low"].tolist() == [0, 0]  # its interval holds 0
    assert none["ci_high"].round(2).tolist() == [0.15, 0.55]
    assert table["section"].unique().tolist() == ["mixed", "mixed-robustness"]


def test_without_the_maximal_model_or_anything_planted_there_is_less():
    of = fits()
    found = calibration(of[of["structure"] == "intercepts"], ["traits"], PLANTED)
    assert found["panel"].unique().tolist() == ["mixed_effects"]
    assert calibration(of, ["traits"], {"real": None}).empty
