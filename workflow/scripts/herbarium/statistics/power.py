"""What a test of a mean could have shown: the units that it takes to find a distance from the null value.

How far a number must lie from the null value to be found as a rule is `effect_sizes.minimum_detectable_effect`. Both
depend on the design and on the spread between units, not on the number that was found: the power to find just that
would be its p-value told twice (Hoenig and Heisey 2001, American Statistician 55, 19-24).
"""

import math

from herbarium.statistics.effect_sizes import minimum_detectable_effect

POWER = 0.8  # of Cohen (1988): found four times in five
_FEWEST = 3


def units_needed(std_dev: float, distance: float, alpha: float) -> float:
    """The least number of units, 3 or more, of which a two-sided t test finds a distance from the null value with
    probability POWER.

    std_dev: between units, in the unit of `distance`; nan gives nan. alpha: level of the test, before adjustment.
    """
    if not math.isfinite(std_dev):
        return math.nan
    # As many as a test with a known spread would take, which is never more than t.
    n = max(_FEWEST, math.floor((minimum_detectable_effect(std_dev, 1e9, alpha, POWER) / distance) ** 2))
    while minimum_detectable_effect(std_dev / math.sqrt(n), n - 1, alpha, POWER) > distance:
        n += 1
    return float(n)
