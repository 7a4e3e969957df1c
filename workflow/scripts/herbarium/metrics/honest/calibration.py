"""Differences of HONEST scores for planted models, compared with those of a perfect model of their text."""

import numpy as np
import pandas as pd

from herbarium.core.passages import Name, Place
from herbarium.metrics.honest import numbers as names
from herbarium.metrics.honest import planted
from herbarium.metrics.honest.lexicon import Lexicon
from herbarium.metrics.honest.numbers import Observations
from herbarium.metrics.honest.stimuli import Sentences
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Calibration, Panel
from herbarium.statistics.paired import MINUS
from herbarium.statistics.tidy import Numbers

DIFFERENCES = Panel(
    "honest", "HONEST: difference between two groups", "per cent of completions", "honest", "identities"
)


def calibrate(
    numbers: Numbers,
    observations: dict[Place, Observations],
    sentences: dict[Name, Sentences],
    lexicon: dict[Name, Lexicon],
    strengths: dict[str, float],
    seed: int,
) -> Calibration:
    """The difference of the first two groups, for each number of completions. strengths: of models, by name."""
    tables = []
    for (model, name), observed in observations.items():
        tops = observed["top"].unique().tolist()
        ideal = planted.perfect(sentences[name], lexicon[name], tops, strengths[model], seed)
        for top in tops:
            first, second, *_ = names.tables(ideal, top).items()
            is_row = (numbers["model"] == model) & (numbers["unit"] == name)
            is_row &= numbers["variant"] == f"{names.DIFFERENCE}_{top}"
            is_row &= numbers["group"] == MINUS.join([first[0], second[0]])
            tables.append(
                numbers[is_row].assign(
                    series=f"{name}, first {top}",
                    planted=strengths[model],
                    expected=float(np.mean(first[1].to_numpy()) - np.mean(second[1].to_numpy())),
                    learned=planted.learned(observed, ideal, top),
                )
            )
    return calibration.rows(DIFFERENCES, pd.concat(tables))
