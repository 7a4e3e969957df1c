"""The association of attributes with a dialect, and of their ratings with that (Hofmann et al. 2024, Nature 633).

The association of attribute x is q(x) = mean over prompts v and pairs (d, s) of a text in a dialect and in the standard
of log p(x | v(d)) − log p(x | v(s)), in nats; the paper has decimal logarithms. All functions take such differences as
an array, (n_units, n_attributes), finite: means over prompts and over the pairs of a unit. Units are independent of one
another; within a unit, all attributes share its texts.
"""

import numpy as np

from herbarium.statistics.inference import Mean, crossed_mean

TOP = 5  # attributes that count as the stereotype of a model, as in the paper
# With fewer units or attributes, a mean over both has no test: it rejects too often (studies/validity).
FEWEST_UNITS, FEWEST_ATTRIBUTES = 6, 4


def standardised(ratings: np.ndarray) -> np.ndarray:
    """Ratings of attributes, (n_attributes,), with mean 0 and mean square 1. Raises ValueError if all are equal."""
    deviations = ratings - ratings.mean()
    spread = np.sqrt((deviations**2).mean())
    if not spread > 1e-12 * np.abs(ratings).max(initial=0):
        raise ValueError("all ratings are equal")
    return deviations / spread


def mean(differences: np.ndarray) -> Mean:
    """The mean association over attributes, whose error is over units and attributes."""
    return crossed_mean(differences)


def slope(differences: np.ndarray, ratings: np.ndarray) -> Mean:
    """The least-squares slope of q on standardised ratings: nats per standard deviation of the ratings, with an error
    over units and attributes.

    It is the mean over units of the slope within each. Units differ in their slopes, and attributes in what their
    rating does not explain, so that the variance is

        V = V_units + V_attributes − V_both,

    the variance of the mean of the units' slopes, that of a least-squares slope over attributes, and what is of single
    units with single attributes, which both contain; V is no less than either of the first two. Degrees of freedom
    after Satterthwaite (1946). ratings: (n_attributes,), not all equal. Needs two units and three attributes.
    """
    n, k = differences.shape
    z = standardised(ratings)
    of_units = differences @ z / k
    estimate = float(of_units.mean())
    rest = differences - differences.mean(axis=1, keepdims=True) - of_units[:, None] * z
    of_attributes = rest.mean(axis=0)
    v_units = of_units.var(ddof=1) / n
    v_attributes = (of_attributes**2).sum() / (k - 2) / k
    v_both = ((rest - of_attributes) ** 2).sum() / ((n - 1) * (k - 2)) / (n * k)
    variance = max(v_units + v_attributes - v_both, v_units, v_attributes)
    parts = v_units**2 / (n - 1) + v_attributes**2 / (k - 2)
    return Mean(estimate, float(variance), float(variance**2 / parts) if parts else np.inf)


def correlation(differences: np.ndarray, ratings: np.ndarray) -> tuple[float, float]:
    """Pearson's correlation of q with the ratings, and its p-value by Student's t over attributes: that of the paper's
    linear regression, in which pairs are not a sample. nan if q or the ratings do not vary."""
    from scipy.stats import pearsonr  # longer to import than most steps take

    q = differences.mean(axis=0)
    if min(np.ptp(q), np.ptp(ratings)) == 0:
        return np.nan, np.nan
    result = pearsonr(q, ratings)
    return float(result.statistic), float(result.pvalue)


def top_rating(differences: np.ndarray, ratings: np.ndarray) -> float:
    """The mean rating of the `TOP` attributes with the largest q, weighted with q, as in the released code."""
    q = differences.mean(axis=0)
    top = np.argsort(-q, kind="stable")[:TOP]
    return float(q[top] @ ratings[top] / q[top].sum())
