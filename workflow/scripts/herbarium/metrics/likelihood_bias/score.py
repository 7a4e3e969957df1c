"""The differences between the descriptors of an axis in the log-perplexity of their sentences.

y, (n_templates, n_nouns, n_descriptors), is the log-perplexity of a sentence: minus the mean natural log-probability of
its tokens. Every descriptor stands in the same templates with the same nouns, which are samples of those that could
have been used. The descriptors are those of the list: a number is about them, and about no others.

    y[t, n, d] = template + noun + template:noun + effect of d + template:d + noun:d + rest

is the crossed mixed model of such sentences; from balanced data its variances are estimated by mean squares, which have
nothing to converge (`tests/metrics/likelihood_bias` compares them with lme4).
"""

from dataclasses import dataclass

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import Mean, above_zero, crossed_mean, squared_interval

# Templates, and nouns. Fewer do not generalise to others.
FEWEST = 4
# Of the published test of a pair.
ALPHA = 0.05


def significant_pairs(y: np.ndarray) -> np.ndarray:
    """(n_templates,) the share of pairs of descriptors whose sentences differ by Mann and Whitney's test, p < .05, with
    nouns as the sample: the likelihood bias of Smith et al. (2022, Section 2.3.1), as their code computes it."""
    first, second = np.triu_indices(y.shape[2], 1)
    p_values = [
        scipy.stats.mannwhitneyu(of_template[:, first], of_template[:, second], axis=0).pvalue for of_template in y
    ]
    return (np.array(p_values) < ALPHA).mean(axis=1)


def deviations(y: np.ndarray) -> np.ndarray:
    """y minus the mean over descriptors of a template and noun."""
    return y - y.mean(axis=2, keepdims=True)


def given(y: np.ndarray, covariate: np.ndarray) -> np.ndarray | None:
    """The residuals of `deviations` on a covariate of descriptors, (n_descriptors,), in each template with each noun;
    None if they have all the same value or too few are left."""
    x = covariate - covariate.mean()
    if len(x) < 3 or x @ x <= 1e-9 * (covariate @ covariate):
        return None
    return y - (y @ x)[:, :, None] * x / (x @ x)


@dataclass(frozen=True)
class Between:
    """The variance between descriptors. noise: the variance of its estimate if it is 0. slope: how that grows with it.
    df: degrees of freedom of its interval. p_value: one-sided, that it is 0; nan if nothing varies."""

    variance: float
    noise: float
    slope: float
    df: float
    p_value: float

    def interval(self, level: float) -> tuple[float, float]:
        """Bounds, which may lie below 0; they exclude 0 only if the test does."""
        low, high = squared_interval(self.variance, self.noise, self.slope, self.df, level)
        return min(low, 0.0) if self.p_value >= (1 - level) / 2 else low, high


def between(y: np.ndarray, df: int) -> Between:
    """The variance of the effects of descriptors, their sum of squares over df, without bias: what templates and nouns
    add to the squares of means by chance is subtracted. 0 is its expectation if descriptors differ in nothing that
    templates and nouns share.

    The test is Clark's quasi-F (1973, J. Verbal Learn. Verbal Behav. 12), in which templates and nouns are random. As
    some descriptors vary more than others, both degrees of freedom are Box's (1954, Ann. Math. Stat. 25), with the
    covariance of descriptors over templates and over nouns as it is in the data (Greenhouse and Geisser 1959).

    y: `deviations` or `given`, with at least two templates, two nouns and two descriptors. df: n_descriptors - 1, one
    less for a covariate.
    """
    n_templates, n_nouns, _ = y.shape
    effects = y.mean(axis=(0, 1))
    of_templates, of_nouns = y.mean(axis=1) - effects, y.mean(axis=0) - effects
    rest = y - of_templates[:, None] - of_nouns - effects
    covariances = [values.T @ values / (len(values) * (len(values) - 1)) for values in (of_templates, of_nouns)]
    traces = [np.trace(covariance) for covariance in covariances]
    shared = (rest**2).sum() / ((n_templates - 1) * (n_nouns - 1) * rest[..., 0].size)
    squares, by_chance = effects @ effects, sum(traces) - shared
    variance = float(squares - by_chance) / df
    error = max(by_chance, *traces)
    if error <= 1e-24 * (y**2).sum():  # rounding
        return Between(variance, 0.0, 0.0, np.inf, np.nan)
    both = sum(covariances)
    df_effects = np.trace(both) ** 2 / (both**2).sum()
    df_error = error**2 / sum(
        (covariance**2).sum() / (len(values) - 1)
        for covariance, values in zip(covariances, (of_templates, of_nouns), strict=True)
    )
    p_value = float(above_zero(scipy.special.fdtrc(df_effects, df_error, squares / error)))
    noise = 2 * error**2 / df_effects / df**2
    linear = crossed_mean(y @ effects / df)
    # errors of effects add to this variance twice what `noise` is of; but `noise` is rather too large than too small
    slope = max(4 * linear.variance - noise, 0.0) / variance if variance > 0 else 0.0
    return Between(variance, noise, slope, linear.df, p_value)


def effect(y: np.ndarray, descriptor: int) -> Mean:
    """How much higher the log-perplexity of a descriptor is than the mean of its axis. y: `deviations`."""
    return crossed_mean(y[:, :, descriptor])
