"""Amplification in planted tasks compared with that of a classifier that knows what was planted.

The label of a planted text is positive with the log-odds of its words plus strength · lean of its country
(`metrics.downstream.planted_text`). A classifier that knows both decides for the likelier label, so all texts of a
country are positive unless their words outweigh it: rates are then further apart than those of labels. Hard decisions
amplify.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from herbarium.metrics.amplification.numbers import OWN
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

PANEL = Panel(
    panel="amplification",
    title="Bias amplification, by the strength planted in the texts of a task",
    unit="difference of rates",
    section="amplification",
    counted="training sets × texts",
)


def words_of(text: str, words: Sequence[str]) -> list[str]:
    """The words of a planted text that are in a list, as whole words."""
    name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?!\w)")
    return name.findall(text)


def expected(words: np.ndarray, lean: np.ndarray, group: np.ndarray, strength: float) -> float:
    """Amplification of decisions by known words and leans: groups against their mean, with the sign of their rates.

    words: (n_texts,) log-odds of the words of test texts. lean: (n_countries,), group: (n_countries,) number of the
    group of each. 0 without a planted strength.
    """
    if not strength:
        return 0.0
    log_odds = words[None, :] + strength * lean[:, None]
    labels, decisions = (
        pd.Series(values.mean(axis=1)).groupby(group).mean().to_numpy() for values in (expit(log_odds), log_odds > 0)
    )
    labels, decisions = labels - labels.mean(), decisions - decisions.mean()
    sign = np.sign(labels)
    return float(((sign - sign.mean()) * (decisions - labels)).mean())


def rows(numbers: pd.DataFrame, planted: Mapping[str, float], wanted: Mapping[str, float]) -> pd.DataFrame:
    """Rows of the schema "calibration", one series per model. numbers: tidy rows of the metric. planted: task ->
    strength of its texts. wanted: task -> `expected`."""
    chosen = numbers[
        (numbers["definition"] == OWN) & (numbers["variant"] == "amplification") & numbers["group"].isin(list(planted))
    ]
    planted_estimates = chosen.assign(
        series=chosen["model"],
        planted=chosen["group"].map(planted).astype(float),
        expected=chosen["group"].map(wanted).astype(float),
    )
    return calibration.rows(PANEL, planted_estimates)
