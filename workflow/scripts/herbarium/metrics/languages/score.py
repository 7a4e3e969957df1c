"""inBias: how much nearer the masculine form of an occupation is to masculine words than its feminine form to feminine
ones (Zhao 2021, Section 3.3.2.1; Zhao et al. 2020, Gender Bias in Multilingual Embeddings and Cross-Lingual Transfer,
ACL).

All numbers are about gaps, (n_pairs, n_seeds): for each pair of occupations i and each pair of seed words s,

    gap_is = dis(M_i, m_s) − dis(F_i, f_s) = cos(F_i, f_s) − cos(M_i, m_s), with dis = 1 − cos,

above 0 if the feminine form is nearer to its seeds. Eq. 3.2 is the mean over i of |mean over s of gap_is|.

A mean of absolute values is above 0 even if no vector encodes gender. The primary number is therefore `lean`, the mean
gap: its expectation is 0 if neither side is favoured, and its sign says which side is. It is blind to leans of single
occupations that cancel; `shared` is not, and is 0 on average if seeds do not agree on any. But occupations have leans
in random vectors, too, as no vector is orthogonal to all others: `shared` distinguishes gender from no gender, not bias
from chance.

Pairs and seeds are crossed samples: every number varies with both.
"""

from collections.abc import Callable

import numpy as np

from herbarium.metrics.languages.alignment import unit
from herbarium.statistics import randomisation
from herbarium.statistics.inference import Mean, crossed_mean
from herbarium.statistics.leaving_out import Part, added

# Pairs, and seeds. With fewer there is no error.
FEWEST = 3


def gaps(masculine: np.ndarray, feminine: np.ndarray, of_men: np.ndarray, of_women: np.ndarray) -> np.ndarray:
    """(n, k) gaps. masculine, feminine: (n, d) vectors of the forms of each occupation, of any length, not zero;
    equal if the language has one form. of_men, of_women: (k, d), the seeds of each gender."""
    return unit(feminine) @ unit(of_women).T - unit(masculine) @ unit(of_men).T


def in_bias(gaps: np.ndarray) -> np.ndarray:
    """(n,) for each pair, the absolute mean over seeds: inBias (Eq. 3.2) is their mean."""
    return np.abs(gaps.mean(axis=1))


def in_bias_released(gaps: np.ndarray) -> np.ndarray:
    """(n,) as in the released code: the mean over pairs of seeds of absolute values; never below Eq. 3.2."""
    return np.abs(gaps).mean(axis=1)


def shared(gaps: np.ndarray) -> np.ndarray:
    """(n,) for each pair, the mean of gap_is · gap_it over all s ≠ t: the square of the gap shared by all seeds.

    The effect of a single seed never enters as its own square, so that it adds nothing on average, and the mean may
    fall below 0. Its root (`root`) is inBias without the noise of seeds, as the root of a mean square. At least two
    seeds.
    """
    k = gaps.shape[1]
    return (gaps.sum(axis=1) ** 2 - (gaps**2).sum(axis=1)) / (k * (k - 1))


def root(value: float) -> float:
    """The root with the sign of its square."""
    return float(np.sign(value) * np.sqrt(abs(value)))


def lean(gaps: np.ndarray) -> Mean:
    """The mean gap, with its error over pairs and seeds: above 0 if feminine forms are nearer to their seeds."""
    return crossed_mean(gaps)


def seeds_p_value(gaps: np.ndarray, random: np.random.Generator) -> float:
    """One-sided p-value of `shared`, of the hypothesis that seeds have nothing in common.

    Under it the labels of a pair of seeds could be swapped, with the sign of all its gaps, independently of the others.
    Occupations are fixed, and may be arbitrarily similar. The p-value is the share of all relabellings in which
    `shared` is as great; if there are too many to enumerate, that among `randomisation.DRAWS` of them and the data's
    own (Phipson and Smyth 2010).
    """
    signs = randomisation.signs(gaps.shape[1], random)
    products = gaps.T @ gaps
    at_random = np.einsum("rs,st,rt->r", signs, products, signs, optimize=True)
    return float((at_random >= at_random[0] - 1e-9 * np.abs(at_random).max()).mean())


def shared_mean(gaps: np.ndarray) -> tuple[Mean, float]:
    """`shared` with its error over pairs and seeds, and its standard error if seeds have nothing in common: that over
    all relabellings. At least two seeds."""
    n, k = gaps.shape
    products = gaps.T @ gaps
    at_null = np.sqrt(2 * ((products**2).sum() - (np.diag(products) ** 2).sum())) / (n * k * (k - 1))
    return jackknife(shared, gaps), float(at_null)


def arrangements(k: int) -> int:
    """The number of relabellings of k seeds in `seeds_p_value`."""
    return 2 ** (k - 1) if randomisation.is_exact(k, 2) else randomisation.DRAWS + 1


def jackknife(by_pair: Callable[[np.ndarray], np.ndarray], gaps: np.ndarray) -> Mean:
    """The mean over pairs of a number, with its error over pairs and seeds, both of which are samples.

    V = V_pairs + V_seeds − V_both: its variation if one pair, or one seed, is left out, minus the interaction of single
    pairs with single seeds, which is in both (Efron and Stein 1981, Ann. Stat. 9, 586-596; Cameron, Gelbach and Miller
    2011, J. Bus. Econ. Stat. 29, 238-249), and no less than either. Degrees of freedom after Satterthwaite. The
    variance is nan with fewer than FEWEST pairs or seeds.

    by_pair: of gaps (n, k, ...), (n,) numbers, smooth enough. gaps: its data, of one space or of two, as its last axis.
    """
    n, k = gaps.shape[:2]
    whole = by_pair(gaps)
    estimate = whole.mean()
    if min(n, k) < FEWEST:
        return Mean(float(estimate), np.nan, np.nan)
    of_seeds = np.array([by_pair(np.delete(gaps, seed, axis=1)) for seed in range(k)])
    without_seed = of_seeds.mean(axis=1)
    without_pair, without_both = (
        (n * values.mean(axis=-1, keepdims=True) - values) / (n - 1) for values in (whole, of_seeds)
    )
    both = without_both - without_pair - without_seed[:, None] + estimate
    parts = [(n - 1) * without_pair.var(), (k - 1) * without_seed.var()]
    variance = max(sum(parts) - (n - 1) * (k - 1) / (n * k) * (both**2).sum(), *parts)
    squared = sum(part**2 / (count - 1) for part, count in zip(parts, (n, k), strict=True))
    return Mean(float(estimate), float(variance), float(variance**2 / squared) if squared > 0 else np.inf)


def excess(by_pair: Callable[[np.ndarray], np.ndarray], after: np.ndarray, controls: np.ndarray) -> Mean:
    """A number in a second space minus its mean in those of controls: 0 if the second space is like these. Its error is
    over pairs and seeds (`jackknife`), and over fits, V_fit (1 + 1/n_controls), V_fit being the variance over controls;
    degrees of freedom after Satterthwaite.

    after: (n, k) gaps. controls: (n, k, n_controls) for the same pairs and seeds, at least two.
    """
    n = controls.shape[-1]

    def statistic(both: np.ndarray) -> np.ndarray:
        return by_pair(both[..., 0]) - np.mean([by_pair(both[..., 1 + one]) for one in range(n)], axis=0)

    mean = jackknife(statistic, np.concatenate([after[..., None], controls], axis=-1))
    over_fits = np.var([by_pair(controls[..., one]).mean() for one in range(n)], ddof=1) * (1 + 1 / n)
    return added(mean.estimate, [Part(mean.variance, mean.df), Part(float(over_fits), n - 1)])


def change(by_pair: Callable[[np.ndarray], np.ndarray], before: np.ndarray, after: np.ndarray) -> Mean:
    """A number in a second space minus that in the first, paired: for the same pairs and seeds.

    before, after: (n, k) gaps.
    """
    return jackknife(lambda both: by_pair(both[..., 1]) - by_pair(both[..., 0]), np.stack([before, after], axis=-1))
