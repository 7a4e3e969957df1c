"""SemBias: which of four pairs of words is most like he - she?

Zhao et al. (2018), Section 4, and Zhao (2021), Section 3.1.3 and Table 3.1. An instance has a pair that is gendered by
definition, one that is by stereotype, and two that are not. The pair (a, b) with the largest cos(v, a - b) is the
vectors' analogy of the gender direction v. The published instances are the Cartesian product of 22 definition and 20
stereotype pairs, so that 440 instances are not 440 observations: the unit is the pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import FEWEST, share
from herbarium.vectors.directions import ROUNDING

CATEGORIES = (DEFINITION, STEREOTYPE, NONE) = ("definition", "stereotype", "none")
TIED = "tied"
OUTCOMES = (*CATEGORIES, TIED)
# The categories of an instance's pairs, in the order of the authors' file.
COLUMNS = (DEFINITION, NONE, NONE, STEREOTYPE)
LEFT_OUT = -1
_CATEGORY = np.array([CATEGORIES.index(name) for name in COLUMNS])
_EQUAL = 1e-9  # smaller differences of cosines are ties, by the precision of float32
_BLOCK = 4_000_000  # cosines at once


@dataclass(frozen=True)
class Instances:
    """pairs: distinct pairs of words (a, b), masculine first if that applies. rows: (n, 4) their numbers, in the order
    of COLUMNS. in_subset: (n,) which instances have definition pairs that were held out."""

    pairs: list[tuple[str, str]]
    rows: np.ndarray
    in_subset: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def category(self) -> list[str]:
        """Of each pair."""
        axis = dict(zip(self.rows.T.ravel().tolist(), np.repeat(_CATEGORY, len(self)).tolist(), strict=True))
        return [CATEGORIES[axis[number]] for number in range(len(self.pairs))]

    @property
    def units(self) -> np.ndarray:
        """The number of each pair regardless of its order: dog - cat and cat - dog are one."""
        numbers: dict[frozenset, int] = {}
        return np.array([numbers.setdefault(frozenset(pair), len(numbers)) for pair in self.pairs])

    def of(self, rows: np.ndarray) -> "Instances":
        """Some of them. rows: (n,) of bool."""
        numbers, place = np.unique(self.rows[rows], return_inverse=True)
        pairs = [self.pairs[number] for number in numbers]
        return Instances(pairs, place.reshape(-1, len(COLUMNS)), self.in_subset[rows])


def product(definition: Sequence, stereotype: Sequence, none: Sequence, held_out: Sequence = ()) -> Instances:
    """Every definition pair with every stereotype pair, each with two pairs that are neither, all of these about
    equally often. Arguments: pairs of words; held_out: those definition pairs that are the subset."""
    pairs = [*definition, *stereotype, *none]
    first, second, n = len(definition), len(stereotype), len(none)
    i, j = (grid.ravel() for grid in np.indices((first, second)))
    one = (i + j) % n
    other = (one + 1 + np.arange(first * second) // n % (n - 1)) % n
    rows = np.column_stack([i, first + second + one, first + second + other, first + j])
    is_held_out = np.array([pair in held_out for pair in definition], dtype=bool)
    return Instances(pairs, rows, is_held_out[i])


def outcomes(cosines: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(..., n) the index in OUTCOMES of each instance: the category of the pair with the largest cosine.

    cosines: (..., n_pairs), nan for a pair without vectors, whose instances are LEFT_OUT. rows: (n, 4), of `Instances`.
    Pairs of two categories that are equally near are tied, which is a failure: the definition pair is first in every
    row, so taking the first of the largest would favour it.
    """
    values = cosines[..., rows]
    largest = values.max(axis=-1, keepdims=True)
    near = values >= largest - _EQUAL
    is_near = np.stack([near[..., place == _CATEGORY].any(axis=-1) for place in range(len(CATEGORIES))], axis=-1)
    places = np.where(is_near.sum(axis=-1) > 1, OUTCOMES.index(TIED), is_near.argmax(axis=-1))
    return np.where(np.isnan(largest[..., 0]), LEFT_OUT, places)


def shares(results: np.ndarray) -> np.ndarray:
    """(..., 4) the share of each of OUTCOMES among the instances that are not left out. results: (..., n), of
    `outcomes`; nan if all are."""
    counts = np.stack([(results == place).sum(axis=-1) for place in range(len(OUTCOMES))], axis=-1)
    with np.errstate(invalid="ignore"):
        return counts / counts.sum(axis=-1, keepdims=True)


def share_of(outcome: str, results: np.ndarray, instances: Instances) -> tuple[Mean, int]:
    """The share of an outcome with its error over pairs of all three kinds (`leaving_out.share`), and the number of
    pairs of the smallest kind that is a sample. results: (n,), of `outcomes`. With fewer than FEWEST pairs of a kind
    the error is conditional on these; the subset has two definition pairs.
    """
    known = results != LEFT_OUT
    rows = instances.units[instances.rows[known]]
    kinds = [rows[:, place == _CATEGORY] for place in range(len(CATEGORIES))]
    sampled = [n for n in (len(np.unique(kind)) for kind in kinds) if n >= FEWEST]
    return share(results[known] == OUTCOMES.index(outcome), *kinds), min(sampled, default=0)


def cosines(differences: np.ndarray, along: np.ndarray) -> np.ndarray:
    """(..., n_pairs) cosines of pairs with directions; nan for pairs without vectors. differences: (n_pairs, d) a - b.
    along: (..., d), of length 1."""
    lengths = np.linalg.norm(differences, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return along @ differences.T / np.where(lengths > 0, lengths, np.nan)


def lean(category: str, cosines: np.ndarray, instances: Instances) -> np.ndarray:
    """(..., n) cosines of the pairs of a category that have one, each pair once: 0 on average if the first word of a
    pair is not more like `he` than the second, as for pairs without gender. cosines: (..., n_pairs)."""
    is_own = np.array(instances.category) == category
    is_known = ~np.isnan(cosines.reshape(-1, len(is_own))).any(axis=0)
    return cosines[..., is_own & is_known]


def standardised(lean: np.ndarray) -> np.ndarray:
    """(...,) the distance of the mean of `lean` from 0, in standard deviations of its pairs: in a space dominated by a
    few directions, all cosines are larger along these. lean: (..., n); 0 if only rounding varies, as along a direction
    removed from the vectors."""
    spread = lean.std(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > ROUNDING, np.abs(lean.mean(axis=-1)) / spread, 0.0)


def shares_at_random(differences: np.ndarray, instances: Instances, along: np.ndarray) -> np.ndarray:
    """(n_directions, 4) shares of OUTCOMES along random directions. differences: (n_pairs, d). along: (n_directions,
    d), of `directions.at_random`.

    The gender direction is replaced; words stay. Permuting the labels of pairs instead would test whether definition
    pairs have anything in common, which they do in any space, whatever he - she is.
    """
    size = max(1, _BLOCK // instances.rows.size)
    blocks = (along[first : first + size] for first in range(0, len(along), size))
    return np.concatenate([shares(outcomes(cosines(differences, block), instances.rows)) for block in blocks])
