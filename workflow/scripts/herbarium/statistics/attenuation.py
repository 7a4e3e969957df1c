"""Correlations of numbers with errors, such as means over a few sentences, with external data about the same things.

Errors on either side attenuate a correlation. Spearman (1904, American Journal of Psychology 15, 72-101) divides it by
the square root of both sides' reliabilities; here these come from the standard errors, which need not be equal.
"""

import math

import numpy as np

from herbarium.statistics.correlation import CONSTANT, PERMUTATIONS

_FEWEST_TOLD = 0.2  # least reliability: below it, the divisor is mostly error
UNRELIABLE = "no correction: most of the variance is error"


def reliability(values: np.ndarray, std_errors: np.ndarray) -> float:
    """The share of the variance between things that is not error. values, std_errors: (n,)."""
    return float(1 - np.mean(std_errors**2) / np.var(values, ddof=1))


def correlations(
    values: np.ndarray,
    std_errors: np.ndarray,
    known: np.ndarray,
    known_errors: np.ndarray,
    level: float,
    random: np.random.Generator,
) -> tuple[dict, dict]:
    """Pearson's correlation of two numbers of each thing, and the same corrected for the errors of both, by columns of
    the tidy table: `estimate`, `ci_low`, `ci_high`, `note`, and `p_value` for the first.

    All (n,), `correlation.FEWEST` independent things or more. The interval is Fisher's; for the corrected correlation
    it is divided by the same number, and ends at -1 or 1 (Hunter and Schmidt 2004, Methods of Meta-Analysis, Chapter
    3). The p-value is that of a permutation test, with 9,999 permutations, or all if there are no more; twice the
    smaller tail.
    """
    from scipy import stats  # longer to import than most steps take

    if min(np.ptp(values), np.ptp(known)) == 0:
        return {"note": CONSTANT}, {"note": CONSTANT}
    method = stats.PermutationMethod(n_resamples=PERMUTATIONS, rng=random)
    test = stats.pearsonr(values, known, method=method)
    low, high = stats.pearsonr(values, known).confidence_interval(level)
    statistics = {"estimate": test.statistic, "ci_low": low, "ci_high": high, "p_value": test.pvalue}
    of_both = reliability(values, std_errors), reliability(known, known_errors)
    if not min(of_both) >= _FEWEST_TOLD:
        return statistics, {"note": UNRELIABLE}
    shares = [statistics[key] / math.sqrt(math.prod(of_both)) for key in ("estimate", "ci_low", "ci_high")]
    estimate, low, high = np.clip(shares, -1, 1)
    return statistics, {"estimate": estimate, "ci_low": low, "ci_high": high}
