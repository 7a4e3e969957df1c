"""Contrasts of models with a planted one, compared with those of a perfect model of the text."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.core.passages import Place
from herbarium.metrics.discrimination_scores import planted, score, stimuli
from herbarium.metrics.discrimination_scores.numbers import DIFFERENCE, OWN
from herbarium.metrics.discrimination_scores.stimuli import Observations
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Calibration, Panel
from herbarium.statistics.tidy import Numbers

CONTRASTS = Panel(
    "discrimination_scores",
    "Discrimination scores: differences of log-odds",
    "natural log-odds",
    "discrimination-scores",
    "decisions",
)


def calibrate(
    numbers: Numbers,
    observations: dict[Place, Observations],
    effects: Mapping[str, Mapping],
    strengths: dict[str, float],
) -> Calibration:
    """What a model learned is the share of the planted contrast that it shows. effects: `references` and `numeric` of
    each table, by name. strengths: of models, by name."""
    measured = numbers[(numbers["variant"] == DIFFERENCE) & (numbers["definition"] == OWN)]
    known = [pd.DataFrame(columns=["model", "unit", "group", "planted", "expected", "learned"])]
    for (model, name), table in observations.items():
        x, strength = score.design(stimuli.persons(table, **effects[name]), **effects[name]), strengths[model]
        expected = planted.expected(x, effects[name]["references"], strength)
        of_model = measured[(measured["model"] == model) & (measured["unit"] == name)].set_index("group")["estimate"]
        learned = of_model[min(expected, key=expected.get)] / -strength if strength else np.nan
        of_contrasts = pd.DataFrame({"group": expected.keys(), "expected": expected.values()})
        known.append(of_contrasts.assign(model=model, unit=name, planted=strength, learned=learned))
    differences = measured.merge(pd.concat(known), on=["model", "unit", "group"])
    return calibration.rows(CONTRASTS, differences.assign(series=differences["unit"] + ", " + differences["group"]))
