"""Categorical Bias of what has a planted bias."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.stimuli import Languages, leading
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

PANEL = Panel(
    panel=METRIC,
    title="Categorical Bias",
    unit="variance of log P' (no unit)",
    section="ethnic-robustness",
    counted="targets",
    never_negative="a variance",
)


def rows(numbers: pd.DataFrame, languages: Languages, planted: Mapping[str, float | None]) -> pd.DataFrame:
    """CB of the leading list of each language, a series each: rows of the schema "calibration".

    numbers: tidy rows of metric "categorical_bias". planted: model -> strength, None where nothing is planted.
    """
    language_of = {f"{language}/{name}": language for language, name in leading(languages).items()}
    is_score = (numbers["variant"] == "cb") & (numbers["definition"] == "paper") & (numbers["metric"] == METRIC)
    of_leading = numbers[is_score & numbers["group"].isin(language_of)]
    of_leading = of_leading.assign(
        series=of_leading["group"].map(language_of), planted=of_leading["model"].map(planted).astype(float)
    )
    return calibration.rows(PANEL, of_leading)
