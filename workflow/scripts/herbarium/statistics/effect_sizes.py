"""Effect sizes of a linear mixed model (Shrestha et al. 2025, Sections 2.2 and 2.3): pure functions of its numbers.

The model is association ~ group + (1 | template) + (1 | target), with weights 1 / pseudo-perplexity; `group` is 1 for
the first group of a contrast and 0 for the second, so that its coefficient, the bias score, is positive if the first is
more associated with the targets: bias against the second.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np

# Section 2.3, after Cohen (1988): lower bounds of the bands of R², and the symbol that the paper prints next to a
# score.
BANDS = {"very small": 0.0, "small": 0.01, "medium": 0.09, "large": 0.25, "very large": 0.64}
SYMBOLS = {"": 0.0, "▽": 0.01, "△": 0.03, "▲": 0.06, "*": 0.09}
NEGLIGIBLE = BANDS["small"]
_FEWEST_DF = 0.1


def band(r2: float) -> str:
    """Cohen's band of an R², 0 to 1."""
    return _at_least(BANDS, r2)


def symbol(r2: float) -> str:
    """The paper's symbol of an R², 0 to 1."""
    return _at_least(SYMBOLS, r2)


def _at_least(bounds: Mapping[str, float], r2: float) -> str:
    return max((name for name in bounds if bounds[name] <= r2), key=lambda name: bounds[name])


def is_biased(p_value: float, r2: float) -> bool:
    """The paper's decision (Section 2.3): significant at 5 %, and an R² that is not very small."""
    return p_value < 0.05 and r2 >= NEGLIGIBLE


def intra_class_correlations(variances: Mapping[str, float], sigma2: float) -> dict[str, float]:
    """Group -> its share of the variance left by the fixed effects. variances: of random intercepts. sigma2: of a
    residual.
    """
    total = sum(variances.values()) + sigma2
    return {group: variance / total for group, variance in variances.items()}


def minimum_detectable_effect(std_error: float, df: float, alpha: float, power: float) -> float:
    """The least |coefficient| that a two-sided t test at `alpha` finds with probability `power`, with this error.

    The probability is that of the noncentral t distribution, whose noncentrality is the coefficient over its error: the
    mean of normal probabilities over its chi-squared variance. So it is also right below 2 degrees of freedom, where
    scipy's distribution function, and statsmodels with it, fails or gives something else. nan below a tenth of a degree
    of freedom, which Satterthwaite's approximation may give for a singular fit: no effect would be found.
    """
    return std_error * _noncentrality(df, alpha, power) if df >= _FEWEST_DF else np.nan


@cache  # rows of a study have the same degrees of freedom over and over
def _noncentrality(df: float, alpha: float, power: float) -> float:
    from scipy import optimize, special, stats  # longer to import than most steps take

    nodes, shares = _nodes()
    spread = np.sqrt(stats.chi2.ppf((1 + nodes) / 2, df) / df) * stats.t.isf(alpha / 2, df)

    def remainder(noncentrality: float) -> float:
        in_a_tail = special.ndtr(noncentrality - spread) + special.ndtr(-noncentrality - spread)
        return shares @ in_a_tail / 2 - power

    return optimize.brentq(remainder, 0, spread.max() + 40)


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(200)
