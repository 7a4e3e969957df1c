"""The variance between the levels of a fixed list, such as identities or descriptors, over one or two crossed samples.

y, (n_1, n_levels) or (n_1, n_2, n_levels), has for each element of the samples how far each level is from the mean of
all levels. The levels are those of the list: a number is about them, and about no others.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import above_zero, crossed_mean, squared_interval


@dataclass(frozen=True)
class Between:
    """The variance between levels. noise: the variance of its estimate if it is 0. slope: how that grows with it.
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
    """The variance of the effects of levels, their sum of squares over df, without bias: what the samples add to the
    squares of means by chance is subtracted. 0 is its expectation if levels differ in nothing that the samples share.

    With two samples, the test is Clark's quasi-F (1973, J. Verbal Learn. Verbal Behav. 12), in which both are random;
    with one, the F of repeated measures. As some levels vary more than others, both degrees of freedom are Box's (1954,
    Ann. Math. Stat. 25), with the covariance of levels over each sample as it is in the data (Greenhouse and Geisser
    1959).

    y: as above, or its residuals (`given`), with at least two elements of each sample and two levels. df: n_levels - 1,
    one less for a covariate.
    """
    sizes = y.shape[:-1]
    effects = y.mean(axis=tuple(range(len(sizes))))
    of_samples = [y.mean(axis=tuple({*range(len(sizes))} - {axis})) - effects for axis in range(len(sizes))]
    covariances = [values.T @ values / (len(values) * (len(values) - 1)) for values in of_samples]
    traces = [np.trace(covariance) for covariance in covariances]
    shared = 0.0
    if len(sizes) == 2:
        rest = y - of_samples[0][:, None] - of_samples[1] - effects
        shared = (rest**2).sum() / np.prod([n * (n - 1) for n in sizes])
    squares, by_chance = effects @ effects, sum(traces) - shared
    variance = float(squares - by_chance) / df
    error = max(by_chance, *traces)
    if error <= 1e-24 * (y**2).sum():  # rounding
        return Between(variance, 0.0, 0.0, np.inf, np.nan)
    together = sum(covariances)
    df_effects = np.trace(together) ** 2 / (together**2).sum()
    df_error = error**2 / sum((covariance**2).sum() / (n - 1) for covariance, n in zip(covariances, sizes, strict=True))
    p_value = float(above_zero(scipy.special.fdtrc(df_effects, df_error, squares / error)))
    noise = 2 * error**2 / df_effects / df**2
    linear = crossed_mean(y @ effects / df)
    # in the direction of the effects: a ratio, as both sides have the errors of these
    slope = 4 * linear.variance * df / squares if squares > 0 else 0.0
    return Between(variance, noise, slope, linear.df, p_value)


def given(y: np.ndarray, covariate: np.ndarray) -> np.ndarray | None:
    """The residuals of y on a covariate of levels, (n_levels,), in each element of the samples; None if they have all
    the same value or too few are left."""
    x = covariate - covariate.mean()
    if len(x) < 3 or x @ x <= 1e-9 * (covariate @ covariate):
        return None
    return y - (y @ x)[..., None] * x / (x @ x)


def inferred(between: Between, level: float) -> dict[str, float]:
    """Its columns of the tidy table."""
    low, high = between.interval(level)
    error = np.sqrt(between.noise + between.slope * max(between.variance, 0.0))
    return {
        **{"estimate": between.variance, "std_error": error, "ci_low": low, "ci_high": high},
        "p_value": between.p_value,
    }
