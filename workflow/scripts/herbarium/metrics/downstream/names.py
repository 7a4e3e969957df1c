"""The effects of regions in a task beyond those of any name, over training sets.

A model is fine-tuned on several disjoint training sets (`tasks.examples`), so the effect of a name on its classifiers
is measured as many times, independently. y is (n_sets, n_names): the mean over test texts of the log-odds of the
positive class with each name before them. For set s and name i

    y_si = a_s + mu_i + e_si,    Var(e_si) = sigma²_i,

where mu_i is common to all trainings on such texts, and e_si is specific to this training set. Tests over texts also
test whether e_si is 0, which it never is: they are about these classifiers, not about others.

Any name has an effect. The effects of made-up names are a sample of these, mu ~ (m, tau²), and a region's effect is
such a draw plus the region's own part, delta_i. If a task's training texts contain names, each made-up name is in as
many as each region, with labels that do not depend on it: they show what training on permuted prefixes would give. With
one training set sigma² is not known, and made-up names alone cannot replace it: nothing is tested then.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy  # imports its parts when they are first used

from herbarium.statistics.inference import Mean, above_zero

FEWEST = 3  # made-up names for a spread
# Of `react_unequally`: its level, the studies it simulates, and the standard deviation of the logarithm of sigma_i.
_ALPHA, _STUDIES, _VARIES = 0.03, 2000, 0.2
_ROUNDING = 1e-24  # smaller variances are rounding errors


class Beyond(NamedTuple):
    """The effects of regions beyond made-up names: delta of each, (n_names,), and its standard error; degrees of
    freedom."""

    estimate: np.ndarray
    std_error: np.ndarray
    df: float

    def p_values(self) -> np.ndarray:
        """Two-sided p-value of the hypothesis that a region's effect is that of a made-up name."""
        return above_zero(2 * scipy.stats.t.sf(np.abs(self.estimate) / self.std_error, self.df))

    def interval(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        half = scipy.stats.t.ppf((1 + level) / 2, self.df) * self.std_error
        return self.estimate - half, self.estimate + half


def is_testable(nonsense: np.ndarray) -> bool:
    """Whether the variation over made-up names and training sets can be estimated. nonsense: (n_sets, n_names)."""
    return nonsense.shape[0] > 1 and nonsense.shape[1] >= FEWEST


def beyond(regions: np.ndarray, nonsense: np.ndarray) -> Beyond:
    """A predictive t of each region against made-up names. regions, nonsense: (n_sets, n_names) of `y`.

    delta_i is the region's mean over sets minus that of all made-up names. Its variance is that of a further made-up
    name, tau² + sigma²_i / n_sets, and that of the made-up names' mean. sigma²_i is `moderated` over regions and
    made-up names together. Degrees of freedom are those of the variance of made-up names or, if fewer, of sigma²_i.
    Standard errors are nan unless `is_testable`, and if nothing varies.
    """
    n_sets, n_nonsense = nonsense.shape
    estimate = regions.mean(axis=0) - nonsense.mean()
    if not is_testable(nonsense):
        return Beyond(estimate, np.full(len(estimate), np.nan), np.nan)
    of_names = nonsense.mean(axis=0).var(ddof=1)
    variances, df = moderated(np.concatenate([between_sets(y) for y in (regions, nonsense)]), n_sets - 1)
    estimate_variance, others = np.split(variances / n_sets, [len(estimate)])
    variance = max(of_names - others.mean(), 0) + estimate_variance + of_names / n_nonsense
    return Beyond(estimate, np.sqrt(np.where(variance > _ROUNDING, variance, np.nan)), min(n_nonsense - 1, df))


def between_sets(y: np.ndarray) -> np.ndarray:
    """sigma²_i of each name, (n_names,): the variance over sets of its effect relative to the other names of its
    kind."""
    n_names = y.shape[1]
    inside = y - y.mean(axis=1, keepdims=True)
    return inside.var(axis=0, ddof=1) * n_names / max(n_names - 1, 1)


def moderated(variances: np.ndarray, df: int) -> tuple[np.ndarray, float]:
    """Variances with few degrees of freedom each, shrunk towards a common value, and their degrees of freedom after
    that (Smyth 2004, limma).

    variances: (n,). df: of each. Their prior is s0² d0 / chi²(d0), fitted to the mean and variance of their logarithms;
    if these vary no more than chi² with df, d0 is infinite and all are their mean.
    """
    known = variances[variances > _ROUNDING]
    if len(known) < 2:
        return variances, np.inf
    logs = np.log(known) - scipy.special.digamma(df / 2) + np.log(df / 2)
    excess = logs.var(ddof=1) - scipy.special.polygamma(1, df / 2)
    if excess <= 0:
        return np.full(len(variances), variances.mean()), np.inf
    d0 = 2 * _inverse_trigamma(excess)
    s0 = np.exp(logs.mean() + scipy.special.digamma(d0 / 2) - np.log(d0 / 2))
    return (d0 * s0 + df * variances) / (d0 + df), d0 + df


def _inverse_trigamma(value: float) -> float:
    return scipy.optimize.brentq(lambda x: float(scipy.special.polygamma(1, x)) - value, 1e-8, 1e8)


class Spread(NamedTuple):
    """A variance over names without the part due to training sets, and its components."""

    estimate: float  # of mu
    raw: float  # of the means over sets
    noise: float  # of these, the part due to training sets
    df: int


def spread(y: np.ndarray) -> Spread:
    """The variance of mu over names: that of the means over sets, minus the part due to training sets. It may be below
    0.

    y: (n_sets, n_names), of two or more sets and names.
    """
    raw, noise = y.mean(axis=0).var(ddof=1), between_sets(y).mean() / len(y)
    return Spread(raw - noise, raw, noise, y.shape[1] - 1)


def excess_spread(regions: np.ndarray, nonsense: np.ndarray, level: float) -> tuple[float, float, float]:
    """The spread of regions beyond made-up names, and the bounds of its interval: sign(d) √|d|, where d is the variance
    of mu over regions minus that over made-up names.

    In log-odds, and 0 if regions act like made-up names, whatever their numbers; if effects of regions are planted in
    labels, their standard deviation. regions, nonsense: as for `beyond`; nan with fewer than two regions, or unless
    `is_testable`. The interval is over training sets and made-up names, for these regions. The made-up names' variance
    has a chi² interval (their effects are taken as normal), combined with the others following Zou and Donner (2008).
    """
    if regions.shape[1] < 2 or not is_testable(nonsense):
        return (np.nan,) * 3
    ours, theirs = spread(regions), spread(nonsense)
    d = ours.estimate - theirs.estimate
    # a noncentral chi²: regions have names and noise too; then what is subtracted
    as_names = max(theirs.estimate, 0) + ours.noise
    fixed = (4 * max(d, 0) * as_names + 2 * as_names**2) / ours.df
    fixed += sum(2 * effect.noise**2 / (effect.df * (len(regions) - 1)) for effect in (ours, theirs))

    def bound(tail: float) -> float:
        """The quantile of d."""
        side = 1 if tail > 0.5 else -1
        of_names = theirs.raw * theirs.df / scipy.stats.chi2.ppf(tail, theirs.df)
        return d + side * np.sqrt(scipy.stats.norm.ppf(tail) ** 2 * fixed + (of_names - theirs.raw) ** 2)

    low, high = bound((1 - level) / 2), bound((1 + level) / 2)
    return tuple(float(np.sign(value) * np.sqrt(abs(value))) for value in (d, low, high))


def react_unequally(regions: np.ndarray) -> bool:
    """Whether some names react more strongly than others, or a few regions differ greatly, which looks the same.

    The kurtosis of the means over sets is above what _ALPHA of simulated studies have with as many names: normal
    effects of names with the variance that the data have, and those of training sets, whose size varies from name to
    name as much as in models of the testbed (_VARIES). regions: (n_sets, n_names), of two or more sets and names.
    """
    ours = spread(regions)
    if not ours.raw > _ROUNDING:
        return False
    common, of_sets = _simulated(regions.shape[1])
    drawn = _kurtosis(np.sqrt(max(ours.estimate, 0)) * common + np.sqrt(min(ours.noise, ours.raw)) * of_sets)
    return bool(_kurtosis(regions.mean(axis=0)) > np.quantile(drawn, 1 - _ALPHA))


@cache
def _simulated(n_names: int) -> tuple[np.ndarray, np.ndarray]:
    """(_STUDIES, n_names) effects of names, and of training sets with each name, of variance 1."""
    random, size = np.random.default_rng(0), (_STUDIES, n_names)
    factor = np.exp(_VARIES * random.standard_normal(size) - _VARIES**2)
    return random.standard_normal(size), factor * random.standard_normal(size)


def _kurtosis(values: np.ndarray) -> np.ndarray:
    """Along the last axis; 3 for normal values."""
    squares = (values - values.mean(axis=-1, keepdims=True)) ** 2
    return (squares**2).mean(axis=-1) / squares.mean(axis=-1) ** 2


def change_of_spread(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> Mean:
    """The excess variance of regions, d of `excess_spread`, after a change minus before it, with its error over names
    and training sets, by the jackknife over names.

    before, after: of a model, (n_sets, n_names) of regions and of made-up names; the same names in both. The effect of
    a training set differs from name to name, and so is included in the jackknife.
    """
    if any(values.shape[1] < FEWEST for values in (*before, *after)):
        return Mean(np.nan, np.nan, np.nan)

    def left_out(y: np.ndarray) -> np.ndarray:
        return np.array([spread(np.delete(y, name, axis=1)).estimate for name in range(y.shape[1])])

    estimate, variance = 0.0, 0.0
    for sign, first, second in zip((1, -1), before, after, strict=True):
        estimate += sign * (spread(second).estimate - spread(first).estimate)
        without = left_out(second) - left_out(first)
        n = len(without)
        variance += (n - 1) / n * ((without - without.mean()) ** 2).sum()
    return Mean(float(estimate), float(variance), float(min(values.shape[1] for values in before) - 1))
