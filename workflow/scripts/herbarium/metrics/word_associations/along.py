"""Numbers along a gender direction: variation over other pairs of gendered words, and over random directions."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import FEWEST, Part, added, by_leaving_out, spread
from herbarium.vectors.directions import Method, direction, unit

DRAWS = 1_999


@dataclass(frozen=True)
class Direction:
    """of: (d,), of length 1. without: (n_pairs, d) the same without each of its pairs; none if these are not a sample
    of pairs, such as he - she."""

    of: np.ndarray
    without: np.ndarray


def gender(masculine: np.ndarray, feminine: np.ndarray, method: Method) -> Direction:
    """masculine, feminine: (n_pairs, d), and method: as of `directions.direction`."""
    mean_direction, n = direction(masculine, feminine, method), len(masculine)
    without = [
        direction(np.delete(masculine, i, axis=0), np.delete(feminine, i, axis=0), method)
        for i in range(n if method != "pair" and n >= FEWEST else 0)
    ]
    return Direction(mean_direction, np.array(without).reshape(-1, len(mean_direction)))


def over_words(statistic: Callable[[np.ndarray, np.ndarray], float], n: int, along: Direction) -> Mean:
    """A number of n words along a direction, with its jackknife error over the words and over the pairs of the
    direction. statistic: of a direction, (d,), and the indices of words."""
    n_pairs = len(along.without)
    if not n_pairs:
        return by_leaving_out(lambda rows: statistic(along.of, rows), np.arange(n))

    def of_both(rows: np.ndarray, pairs: np.ndarray) -> float:
        left_out = np.setdiff1d(np.arange(n_pairs), pairs)
        return statistic(along.without[left_out[0]] if len(left_out) else along.of, rows)

    return by_leaving_out(of_both, np.arange(n), np.arange(n_pairs))


def with_pairs(mean: Mean, statistic: Callable[[np.ndarray], float], along: Direction) -> Mean:
    """A number with its own error, plus the contribution of the choice of the direction's pairs. statistic: the number
    along a direction."""
    of_pairs = spread(np.array([statistic(vector) for vector in along.without]))
    return added(mean.estimate, [Part(mean.variance, mean.df), *of_pairs]) if of_pairs else mean


def at_random(d: int, random: np.random.Generator) -> np.ndarray:
    """(DRAWS, d) directions of length 1, all of them equally likely."""
    return unit(random.standard_normal((DRAWS, d)))


def p_value(observed: float, drawn: np.ndarray) -> float:
    """How often a random direction gives a number as large; the direction itself counts as one of them (Phipson and
    Smyth 2010). drawn: (n_draws,); absolute numbers for a two-sided p-value."""
    return float((1 + (drawn >= observed - 1e-12).sum()) / (1 + len(drawn)))
