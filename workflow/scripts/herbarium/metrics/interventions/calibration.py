"""Numbers of interventions for planted preferences, compared with those of a perfect model of the text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.interventions import planted
from herbarium.metrics.interventions.numbers import PREFERENCE
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

PREFERENCES = Panel(
    "interventions",
    "Interventions: preference shared by templates",
    "difference of shares",
    "interventions",
    "subjects",
)


def rows(
    numbers: pd.DataFrame,
    strengths: Mapping[str, float],
    observations: Mapping[tuple[str, str], pd.DataFrame],
    seed: int,
) -> pd.DataFrame:
    """A table of the schema "calibration": the preference after each type of intervention.

    numbers: tidy rows. strengths: of planted models, by name. observations: (model, name of the questions) -> of the
    schema "interventions_observations".
    """
    preferences = numbers[(numbers["variant"] == PREFERENCE) & numbers["model"].isin(strengths)]
    preferences = preferences.assign(
        series=preferences["unit"] + ", " + preferences["group"], planted=preferences["model"].map(strengths)
    )
    known = {
        (model, name): (planted.expected(table, strengths[model], seed), planted.learned(table, strengths[model], seed))
        for (model, name), table in observations.items()
        if model in strengths
    }
    places = list(zip(preferences["model"], preferences["unit"], preferences["group"], strict=True))
    return calibration.rows(
        PREFERENCES,
        preferences.assign(
            expected=[known[model, name][0].get(group) for model, name, group in places],
            learned=[known[model, name][1] for model, name, _ in places],
        ),
    )
