"""The size of bias scores against the strength of what was planted."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.calibration import Panel, rows
from herbarium.statistics.fits import INTERCEPTS, SLOPES

_UNIT = "log ratio (natural)"
PANELS = {
    INTERCEPTS: Panel("mixed_effects", "Size of the bias score, the paper's model", _UNIT, "mixed", "sentences"),
    SLOPES: Panel(
        *("mixed_effects_maximal", "Size of the bias score, maximal model", _UNIT, "mixed-robustness", "sentences")
    ),
}


def calibration(fits: pd.DataFrame, stimuli: list[str], planted: Mapping[str, float | None]) -> pd.DataFrame:
    """Rows of the schema "calibration": one series per dimension of a set of stimuli, male against female words.

    Bias scores are without their sign, which is planted too. fits: of the schema "adjusted_fits". stimuli: names of
    those of the metric. planted: model -> strength; None where no one planted anything.
    """
    main = shared.main(fits, stimuli, [{"name": name, "planted": of} for name, of in planted.items()], PANELS)
    main = main[main["contrast"] == shared.CONTRAST]
    scores = shared.magnitudes(main.assign(series=main["data"] + "/" + main["dimension"]))
    return pd.concat([rows(panel, scores[scores["structure"] == of]) for of, panel in PANELS.items()])
