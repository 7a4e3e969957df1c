"""Bias scores against the strength of what was planted."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.mixed_effects.test_planted import LISTS

from herbarium.metrics.mixed_effects import planted
from herbarium.metrics.mixed_effects.calibration import Planted, calibration
from herbarium.metrics.mixed_effects.stimuli import OBSERVATIONS
from herbarium.models.kinds import Kind
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.fits_overview import ADJUSTED

SEED = 1
STRENGTHS = {"strong": 2.0, "none": 0.0, "weak": 1.0}
NOTHING = pd.DataFrame(columns=OBSERVATIONS.fields.names)


def fit(model, dimension, estimate, half=0.1, **more):
    row = {"model": model, "data": "traits", "definition": "paper", "subset": "all", "structure": "crossed"}
    row |= {"dimension": dimension, "contrast": "male-female", "estimate": estimate, "n": 6}
    return row | {"ci_low": estimate - half, "ci_high": estimate + half} | more


def fits():
    """Scores of openness are negative as planted, and 0 without bias; of what is not asked, there are only numbers far
    off."""
    rows = []
    others = [{"subset": "shared"}, {"contrast": "male-neo"}, {"definition": "released"}, {"structure": "slopes"}]
    for dimension, estimates in {
        "openness": {"none": 0.05, "weak": -1, "strong": -2, "real": 99.0},
        "order": {"none": 0, "weak": 0.05},
    }.items():
        rows += [fit(model, dimension, value) for model, value in estimates.items()]
        rows += [fit(model, dimension, value, 0.5, structure="intercepts") for model, value in estimates.items()]
        rows += [fit(model, dimension, 99.0, **far) for far in (*others, {"data": "herb"}) for model in estimates]
    return pd.DataFrame(rows).reindex(columns=ADJUSTED.fields.names)


def table(strengths=STRENGTHS):
    known = [Planted(model, Kind.masked, "traits", strength, LISTS, NOTHING) for model, strength in strengths.items()]
    return calibration(fits(), known, SEED)


def test_series_stand_from_weak_to_strong_and_nothing_else_does():
    result = table()
    assert result.columns.tolist() == CALIBRATION.fields.names
    series = result.groupby(["panel", "series"], sort=False)[["planted", "estimate"]].agg(list)
    strengths = {"traits/openness": [0.0, 1.0, 2.0], "traits/order": [0.0, 1.0]}
    panels = ("mixed_effects", "mixed_effects_paper")
    assert series["planted"].to_dict() == {(panel, name): strengths[name] for panel in panels for name in strengths}
    assert table({}).empty  # nothing planted
    # in the direction that is planted
    assert series["estimate"]["mixed_effects", "traits/openness"] == [-0.05, 1, 2]
    none = result[(result["series"] == "traits/openness") & (result["planted"] == 0)].set_index("panel")
    assert none["ci_low"].round(2).tolist() == [-0.15, -0.55]
    assert none["ci_high"].round(2).tolist() == [0.05, 0.45]
    assert result["section"].unique().tolist() == ["mixed", "mixed-robustness"]


def test_the_expected_score_is_that_of_a_perfect_model_in_its_direction():
    result = table()
    main = result[(result["panel"] == "mixed_effects") & (result["series"] == "traits/openness")].set_index("planted")
    for strength in (0.0, 1.0, 2.0):
        wanted = planted.planted_bias(LISTS, strength, SEED)["openness"]
        assert main.loc[strength, "expected"] == pytest.approx(-wanted)
    assert np.isnan(result["learned"].astype(float)).all()  # nothing was observed
