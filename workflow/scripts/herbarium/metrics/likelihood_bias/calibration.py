"""The variance between descriptors of planted models, compared with that of a perfect model of the text."""

import pandas as pd

from herbarium.core.passages import Place
from herbarium.metrics.likelihood_bias import planted
from herbarium.metrics.likelihood_bias.numbers import VARIANCE
from herbarium.metrics.likelihood_bias.stimuli import Observations
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Calibration, Panel
from herbarium.statistics.tidy import Numbers

VARIANCES = Panel(
    "likelihood_bias",
    "Likelihood bias: variance between descriptors",
    "squared log-perplexity (natural)",
    "likelihood-bias",
    "descriptors",
)


def calibrate(
    numbers: Numbers,
    observations: dict[Place, Observations],
    strengths: dict[str, float],
    kinds: dict[str, str],
    seed: int,
) -> Calibration:
    """The variance between descriptors of planted models beside that of perfect ones. strengths, kinds: of models, by
    name."""
    known = [pd.DataFrame(columns=["model", "group", "planted", "expected", "learned"])]
    for (model, name), table in observations.items():
        perfect = planted.perfect(table, strengths[model], seed, kinds[model])
        expected = planted.expected(table, perfect)
        of_model = pd.DataFrame({"group": [f"{name}/{axis}" for axis in expected], "expected": expected.values()})
        learned = planted.learned(table, perfect, strengths[model])
        known.append(of_model.assign(model=model, planted=strengths[model], learned=learned))
    variances = numbers[numbers["variant"] == VARIANCE].merge(pd.concat(known), on=["model", "group"])
    return calibration.rows(VARIANCES, variances.assign(series=variances["group"]))
