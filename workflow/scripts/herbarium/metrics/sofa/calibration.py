"""The variance between identities of planted models, compared with that of a perfect model of the text."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.sofa import TITLE, planted
from herbarium.metrics.sofa.numbers import VARIANCE
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

VARIANCES = Panel("sofa", f"{TITLE}: variance between identities", "squared log10 PPL*", "sofa", "stereotypes")


def rows(
    tidy: pd.DataFrame,
    strengths: Mapping[str, float],
    kinds: Mapping[str, str],
    observations: Mapping[tuple[str, str], pd.DataFrame],
    seed: int,
) -> pd.DataFrame:
    """A table of the schema "calibration". tidy: numbers of all models. strengths, kinds: of planted models, by name.
    observations: (model, name of the table) -> of the schema "sofa_observations"."""
    known = [pd.DataFrame(columns=["model", "group", "planted", "expected", "learned"])]
    for (model, name), table in observations.items():
        perfect = planted.perfect(table, strengths[model], seed, kinds[model])
        expected = planted.expected(table, perfect)
        of_model = pd.DataFrame(
            {"group": [f"{name}/{category}" for category in expected], "expected": expected.values()}
        )
        learned = planted.learned(table, perfect, strengths[model])
        known.append(of_model.assign(model=model, planted=strengths[model], learned=learned))
    variances = tidy[tidy["variant"] == VARIANCE].merge(pd.concat(known), on=["model", "group"])
    return calibration.rows(VARIANCES, variances.assign(series=variances["group"]))
