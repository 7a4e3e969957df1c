"""The power of a test of a mean: the number of units needed to detect a distance from the null value.

The distance from the null value that is usually detected is `effect_sizes.minimum_detectable_effect`. Both depend on
the design and on the spread between units, not on the estimate: the power to detect just that would only restate its
p-value (Hoenig and Heisey 2001, American Statistician 55, 19-24).

The spread is that of the model at hand. A model with a bias can vary much more (studies/validity): a study that is
planned from the spread of a model without bias has too little power.
"""

import math

from herbarium.statistics.effect_sizes import minimum_detectable_effect

POWER = 0.8  # of Cohen (1988): detected four times in five
_FEWEST = 3


def units_needed(std_dev: float, distance: float, alpha: float) -> float:
    """The least number of units, 3 or more, with which a two-sided t test detects a distance from the null value with
    probability POWER.

    std_dev: between units, in the unit of `distance`; nan gives nan. alpha: level of the test, before adjustment.
    """
    if not math.isfinite(std_dev):
        return math.nan
    # The number for a known spread, which is never more than for t.
    n = max(_FEWEST, math.floor((minimum_detectable_effect(std_dev, 1e9, alpha, POWER) / distance) ** 2))
    while minimum_detectable_effect(std_dev / math.sqrt(n), n - 1, alpha, POWER) > distance:
        n += 1
    return float(n)
