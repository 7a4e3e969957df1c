"""How far the vectors of words without a gender lie along the gender direction, and on which side.

Zhao (2021), Section 3.1.3: the mean size of the projections of occupations on he - she. It is above 0 for any vectors
and any direction, so it is compared with random directions. The correlation of the signed projections with the share of
women in the occupations has a known zero.
"""

import math

import numpy as np
from scipy.special import gammaln

from herbarium.metrics.word_associations.along import Direction, over_words
from herbarium.statistics.correlation import spearman
from herbarium.statistics.inference import Mean
from herbarium.vectors.directions import ROUNDING, projections


def mean_size(words: np.ndarray, along: Direction) -> Mean:
    """The mean of |w·v|, with its error over words and over the pairs of the direction v. words: (n, d), of length 1
    for cosines."""

    def statistic(vector: np.ndarray, rows: np.ndarray) -> float:
        return float(np.abs(projections(words[rows], vector)).mean())

    return over_words(statistic, len(words), along)


def expected_size(words: np.ndarray) -> float:
    """The mean of |w·v| over all directions v, exactly: E|v_1| of a point on the sphere in d dimensions, times the mean
    length. words: (n, d)."""
    d = words.shape[1]
    of_unit = math.exp(gammaln(d / 2) - gammaln((d + 1) / 2)) / math.sqrt(math.pi)
    return of_unit * float(np.linalg.norm(words, axis=1).mean())


def correlation(words: np.ndarray, women: np.ndarray, vector: np.ndarray) -> float:
    """Rank correlation (Spearman) of the projections of words on a direction with the share of women; nan if one side
    is constant, such as projections that differ only by rounding. words: (n, d), of length 1. women: (n,)."""
    along = projections(words, vector)
    return float(spearman(np.where(np.abs(along) < ROUNDING, 0.0, along), women))


def with_women(words: np.ndarray, women: np.ndarray, along: Direction) -> Mean:
    """Fisher's z of the rank correlation (Spearman) of projections with the share of women, with its error as of
    `mean_size`: 0 if they are unrelated, below 0 if occupations of women lie on the feminine side. words: (n, d).
    women: (n,). nan if one side is constant."""

    def statistic(vector: np.ndarray, rows: np.ndarray) -> float:
        return fisher(correlation(words[rows], women[rows], vector), len(rows))

    return over_words(statistic, len(words), along)


def correlations_at_random(words: np.ndarray, women: np.ndarray, along: np.ndarray) -> np.ndarray:
    """(n_directions,) rank correlations as in `with_women`, along random directions: (n_directions, d), of
    `along.at_random`. They vary more than those of unrelated numbers: occupations of women share more than being
    women's, and a direction that captures it by chance gives a correlation."""
    return spearman(projections(along, words.T), women)


def fisher(r: float, n: int) -> float:
    """Fisher's z of a correlation of n ranks, finite: an r of 1 is replaced by the nearest smaller value."""
    nearest = 1 - 6 / (n * (n**2 - 1))
    return math.atanh(min(max(r, -nearest), nearest)) if not math.isnan(r) else math.nan
