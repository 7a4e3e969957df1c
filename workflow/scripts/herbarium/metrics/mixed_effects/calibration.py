"""Bias scores against the planted strength."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.metrics.mixed_effects import planted as testbed
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.metrics.mixed_effects.stimuli import Lists
from herbarium.models.kinds import Kind
from herbarium.statistics.calibration import Panel, rows
from herbarium.statistics.fits import CROSSED, INTERCEPTS

_TITLE, _UNIT = "Bias score in the planted direction", "log ratio (natural)"
PANELS = {
    CROSSED: Panel("mixed_effects", _TITLE, _UNIT, "mixed", "sentences"),
    INTERCEPTS: Panel("mixed_effects_paper", f"{_TITLE}, the paper's model", _UNIT, "mixed-robustness", "sentences"),
}


class Planted(NamedTuple):
    """What a model learned of a set of stimuli: its kind, the strength, the lists, and what is observed (of the schema
    "mixed_effects_observations")."""

    model: str
    kind: Kind
    data: str
    strength: float
    lists: Lists
    observations: pd.DataFrame


def calibration(fits: pd.DataFrame, planted: Iterable[Planted], seed: int) -> pd.DataFrame:
    """Rows of the schema "calibration": one series per dimension of a set of stimuli, male against female words.

    A score is in the planted direction: multiplied by its sign in a perfect model of the text, whose score is
    `expected`. `learned`: of `planted.learned`, the same for all dimensions. fits: of the schema "adjusted_fits".
    """
    known = pd.DataFrame([row for entry in planted for row in _known(entry, seed)])
    if known.empty:
        known = known.reindex(columns=["model", "data", "dimension", "planted", "expected", "learned", "sign"])
    is_main = (fits["definition"] == shared.DEFINITION) & (fits["subset"] == shared.SUBSET)
    scores = fits[is_main & (fits["contrast"] == shared.CONTRAST)].merge(known, on=["model", "data", "dimension"])
    signed = scores["sign"] * scores[["estimate", "ci_low", "ci_high"]].T
    scores["estimate"] = signed.loc["estimate"]
    scores["ci_low"], scores["ci_high"] = (
        signed.loc[["ci_low", "ci_high"]].agg(end, skipna=False) for end in ("min", "max")
    )
    scores = scores.assign(series=scores["data"] + "/" + scores["dimension"])
    return pd.concat([rows(panel, scores[scores["structure"] == structure]) for structure, panel in PANELS.items()])


def _known(planted: Planted, seed: int) -> Iterable[Mapping]:
    n_tokens = testbed.tokens_of(planted.observations) if planted.kind is Kind.causal else None
    direction = testbed.planted_bias(planted.lists, 1.0, seed, n_tokens)
    learned = testbed.learned(planted.lists, planted.observations, planted.strength, seed, planted.kind)
    for dimension, expected in testbed.planted_bias(planted.lists, planted.strength, seed, n_tokens).items():
        sign = np.sign(direction[dimension])
        keys = {"model": planted.model, "data": planted.data, "dimension": dimension, "planted": planted.strength}
        yield keys | {"expected": sign * expected, "learned": learned, "sign": sign}
