"""inBias: how much nearer the masculine form of an occupation is to masculine words than its feminine form to feminine
ones (Zhao 2021, Section 3.3.2.1; Zhao et al. 2020, Gender Bias in Multilingual Embeddings and Cross-Lingual Transfer,
ACL).

All numbers are of gaps, (n_pairs, n_seeds): of each pair of occupations i and each pair of seed words s,

    gap_is = dis(M_i, m_s) − dis(F_i, f_s) = cos(F_i, f_s) − cos(M_i, m_s), with dis = 1 − cos;

above 0 where the feminine form is nearer to its seeds. Eq. 3.2 is the mean over i of |mean over s of gap_is|.

A mean of absolute values is above 0 where no vector holds any gender. What leads therefore is `shared`, of which 0 is
the expectation then; `lean` has a sign, and says which side is nearer.

Pairs and seeds are crossed samples: every number varies with both.
"""

import itertools
from collections.abc import Callable

import numpy as np

from herbarium.metrics.languages.alignment import unit
from herbarium.statistics.inference import Mean, crossed_mean

# Of pairs and of seeds. Of fewer there is no error.
FEWEST = 3
# Every way to call the seeds' genders is looked at where there are no more than these, else as many and one are drawn.
EXACT = 2**14
DRAWS = 9999


def gaps(masculine: np.ndarray, feminine: np.ndarray, of_men: np.ndarray, of_women: np.ndarray) -> np.ndarray:
    """(n, k) gaps. masculine, feminine: (n, d) vectors of the forms of each occupation, of any length, not zero;
    equal where the language has one form. of_men, of_women: (k, d), the seeds of each gender."""
    return unit(feminine) @ unit(of_women).T - unit(masculine) @ unit(of_men).T


def in_bias(gaps: np.ndarray) -> float:
    """Eq. 3.2: the mean over pairs of the absolute mean over seeds."""
    return float(np.abs(gaps.mean(axis=1)).mean())


def in_bias_released(gaps: np.ndarray) -> float:
    """As the released code has it: the absolute value within the mean over pairs of seeds; never below Eq. 3.2."""
    return float(np.abs(gaps).mean())


def shared(gaps: np.ndarray) -> float:
    """The mean over pairs of gap_is · gap_it over all s ≠ t: of the square of what all seeds have of a pair's gap.

    What one seed alone has enters no product with itself, so that it adds nothing on average: 0 is expected where seeds
    do not agree, and it may fall below. Its root (`root`) is inBias without the noise of seeds, as the root of a mean
    square. nan with one seed.
    """
    k = gaps.shape[1]
    if k < 2:
        return np.nan
    return float((gaps.sum(axis=1) ** 2 - (gaps**2).sum(axis=1)).mean() / (k * (k - 1)))


def root(value: float) -> float:
    """The root with the sign of its square."""
    return float(np.sign(value) * np.sqrt(abs(value)))


def lean(gaps: np.ndarray) -> Mean:
    """The mean gap, with its error over pairs and seeds: above 0 where feminine forms are nearer to their seeds."""
    return crossed_mean(gaps)


def seeds_p_value(gaps: np.ndarray, random: np.random.Generator) -> float:
    """One-sided p-value of `shared`, of the hypothesis that seeds have nothing in common.

    Under it a pair of seeds could as well have been called the other way round, all its gaps with the other sign,
    whatever the others were called. Occupations are held as they are, and may be as alike as they like. The p-value is
    the share of all ways to call them in which `shared` is as great; where they are too many to be enumerated, that of
    DRAWS of them and the data's own (Phipson and Smyth 2010). nan with one seed.
    """
    k = gaps.shape[1]
    if k < 2:
        return np.nan
    if 2 ** (k - 1) <= EXACT:
        signs = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=k - 1)])
    else:
        signs = np.vstack([np.ones(k), random.choice([1, -1], size=(DRAWS, k))])
    products = gaps.T @ gaps
    at_random = np.einsum("rs,st,rt->r", signs, products, signs, optimize=True)
    return float((at_random >= at_random[0] - 1e-9 * np.abs(at_random).max()).mean())


def arrangements(k: int) -> int:
    """Against how many ways to call k seeds `seeds_p_value` holds the data."""
    return 2 ** (k - 1) if 2 ** (k - 1) <= EXACT else DRAWS + 1


def jackknife(statistic: Callable[[np.ndarray], float], gaps: np.ndarray) -> Mean:
    """A number with its error over pairs and seeds, both of which are samples.

    V = V_pairs + V_seeds − V_both: what it varies by where one pair, or one seed, is left out, less what single pairs
    have with single seeds, which is in both (Efron and Stein 1981, Ann. Stat. 9, 586-596; Cameron, Gelbach and Miller
    2011, J. Bus. Econ. Stat. 29, 238-249), and no less than either. Degrees of freedom after Satterthwaite. The
    variance is nan where there are fewer than FEWEST pairs or seeds.

    statistic: of gaps (n, k, ...), a number, smooth enough. gaps: its data, of one space or of two, as its last axis.
    """
    estimate = statistic(gaps)
    n, k = gaps.shape[:2]
    if min(n, k) < FEWEST:
        return Mean(estimate, np.nan, np.nan)
    pairs, seeds = ([np.delete(gaps, of, axis) for of in range(gaps.shape[axis])] for axis in (0, 1))
    without_pair, without_seed = (np.array([statistic(of) for of in parts]) for parts in (pairs, seeds))
    without_both = np.array([[statistic(np.delete(of, s, 1)) for s in range(k)] for of in pairs])
    both = without_both - without_pair[:, None] - without_seed + estimate
    parts = [(n - 1) * without_pair.var(), (k - 1) * without_seed.var()]
    shared_by_both = (n - 1) * (k - 1) / (n * k) * (both**2).sum()
    variance = max(sum(parts) - shared_by_both, *parts)
    squared = sum(own**2 / (of - 1) for own, of in zip(parts, (n, k), strict=True))
    return Mean(estimate, float(variance), float(variance**2 / squared) if squared > 0 else np.inf)


def change(statistic: Callable[[np.ndarray], float], before: np.ndarray, after: np.ndarray) -> Mean:
    """What a number is in a second space less what it is in the first, paired: of the same pairs and seeds.

    before, after: (n, k) gaps.
    """
    return jackknife(lambda both: statistic(both[..., 1]) - statistic(both[..., 0]), np.stack([before, after], axis=-1))
