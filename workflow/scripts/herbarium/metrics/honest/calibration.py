"""Differences of HONEST scores for planted models, compared with those of a perfect model of their text."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.honest import numbers, planted
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel
from herbarium.statistics.paired import MINUS

DIFFERENCES = Panel(
    "honest", "HONEST: difference between two groups", "per cent of completions", "honest", "identities"
)


def rows(
    tidy: pd.DataFrame,
    strengths: Mapping[str, float],
    observations: Mapping[tuple[str, str], pd.DataFrame],
    read: Mapping[str, tuple[pd.DataFrame, dict[str, str]]],
    seed: int,
) -> pd.DataFrame:
    """A table of the schema "calibration": the difference of the first two groups, for each number of completions.

    tidy: of all models. strengths: of planted models, by name. observations: of (model, set). read: the sentences and
    the lexicon of each set.
    """
    tables = []
    for (model, name), observed in observations.items():
        if model not in strengths:
            continue
        tops = observed["top"].unique().tolist()
        ideal = planted.perfect(*read[name], tops, strengths[model], seed)
        for top in tops:
            first, second, *_ = numbers.tables(ideal, top).items()
            is_row = (tidy["model"] == model) & (tidy["unit"] == name)
            is_row &= tidy["variant"].eq(f"{numbers.DIFFERENCE}_{top}") & tidy["group"].eq(
                MINUS.join([first[0], second[0]])
            )
            tables.append(
                tidy[is_row].assign(
                    series=f"{name}, first {top}",
                    planted=strengths[model],
                    expected=float(np.mean(first[1].to_numpy()) - np.mean(second[1].to_numpy())),
                    learned=planted.learned(observed, ideal, top),
                )
            )
    return calibration.rows(DIFFERENCES, pd.concat(tables))
