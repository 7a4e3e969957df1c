"""Constraints on decisions: the positive rate of each group stays within a margin of its rate in training.

Zhao (2021), thesis, Sections 5.1.3 and 5.2.2, on a classifier's predictions for texts that name groups. With the group
observed, "activity" is the group, "man" the positive label and "woman" the negative one, and the bias score b(o, g)
(Eq. 5.1) is the positive rate of a group.

Everything is per instance: a text, or a text with a prefix. n instances, m groups.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

_SLACK = 1e-6  # of a rate: rounding of sums, or a solver's tolerance


@dataclass(frozen=True)
class Problem:
    """The texts to decide, and the bounds.

    log_odds: (n,) natural, of the positive label; finite. pairs: (n_pairs, 2) integers, instance and group: an instance
    that names two groups occurs twice, one that names none not at all. rate: (m,) b*, the positive rate of each group
    in training. margin: γ, between 0 and 1.

    Raises ValueError for log-odds or rates that are not finite, rates outside 0 to 1, a margin outside 0 to 1, and a
    group without an instance.
    """

    log_odds: np.ndarray
    pairs: np.ndarray
    rate: np.ndarray
    margin: float

    def __post_init__(self):
        if not np.isfinite(self.log_odds).all():
            raise ValueError("log-odds must be finite")
        if not ((self.rate >= 0) & (self.rate <= 1)).all():
            raise ValueError("a rate must lie between 0 and 1")
        if not 0 <= self.margin <= 1:
            raise ValueError("the margin must lie between 0 and 1")
        if not self.n.all():
            raise ValueError("a group without an instance has no rate")

    @property
    def instance(self) -> np.ndarray:
        return self.pairs[:, 0]

    @property
    def group(self) -> np.ndarray:
        return self.pairs[:, 1]

    @cached_property
    def n(self) -> np.ndarray:
        """(m,) instances of each group."""
        return np.bincount(self.group, minlength=len(self.rate))

    @cached_property
    def is_separable(self) -> bool:
        """Whether no instance is in two groups, so that each group can be decided separately."""
        return len(np.unique(self.instance)) == len(self.pairs)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(m,) least and greatest number of positive decisions of each group that meets its constraint (Eq. 5.2).

        If no whole number does, since a group is small and the margin narrow, both are the nearest one.
        """
        low = np.ceil(self.n * (self.rate - self.margin - _SLACK))
        high = np.floor(self.n * (self.rate + self.margin + _SLACK))
        nearest = np.floor(self.n * self.rate + 0.5)
        is_empty = low > high
        low, high = (np.where(is_empty, nearest, bound).clip(0, self.n).astype(int) for bound in (low, high))
        return low, high

    @cached_property
    def unattainable(self) -> np.ndarray:
        """(m,) whether no whole number of positive decisions is within the margin."""
        return self.excess(self.bounds[0] / self.n) > _SLACK

    def sums(self, values: np.ndarray) -> np.ndarray:
        """(m,) sum over the instances of each group. values: (n,)."""
        return np.bincount(self.group, values[self.instance], minlength=len(self.rate))

    def rates(self, values: np.ndarray) -> np.ndarray:
        """(m,) mean over the instances of each group: of decisions (0 or 1) the predicted rate b̃ (Eq. 5.1), of
        probabilities B (Eq. 5.7). values: (n,)."""
        return self.sums(values) / self.n

    def of_instances(self, values: np.ndarray) -> np.ndarray:
        """(n,) sum over the groups of each instance. values: (m,)."""
        return np.bincount(self.instance, values[self.group], minlength=len(self.log_odds))

    def excess(self, rates: np.ndarray) -> np.ndarray:
        """(m,) the distance of rates from the margin; 0 or less inside."""
        return np.abs(rates - self.rate) - self.margin

    def violations(self, rates: np.ndarray) -> int:
        """The number of constraints that rates violate."""
        return int((self.excess(rates) > _SLACK).sum())


def coefficients(rate: np.ndarray, margin: float) -> np.ndarray:
    """(2, 2, m) of Eq. 5.2 as sums that are at most 0 if it holds, the rows of A: bound (upper, lower), what is counted
    (positive or men, negative or women), group. The features φ of Eq. 5.14 are the same. rate: (m,)."""
    return np.array([[1 - rate - margin, -(rate + margin)], [rate - margin - 1, rate - margin]])


def decided(log_odds: np.ndarray) -> np.ndarray:
    """Decisions, 0 or 1, for the likelier label."""
    return (log_odds > 0).astype(float)


def objective(problem: Problem, decisions: np.ndarray) -> float:
    """Σ_i f(y_i, i) of decisions beyond that of all negative ones, in nats (Eq. 5.3): f is a log probability, so that
    a positive decision adds the log-odds. decisions: (n,) 0 or 1."""
    return float(problem.log_odds @ decisions)
