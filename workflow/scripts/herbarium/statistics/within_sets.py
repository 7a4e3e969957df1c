"""What is compared within a set of sentences: what a contrast is, and four of them.

Sentences form sets, and each has a side in its set: in a pair, `he` and `she`; for a slot with candidates, the
candidate. The contrasts here are

- `pairs`: the first side's score minus the second's (null value 0),
- `share`: per cent of pairs whose first side has the higher score (null value 50),
- `candidates`: the score of each side minus the mean over the sides of its set (null value 0),
- `accuracy`: for questions asked in two conditions, each with a right and a wrong answer as its sides: per cent of sets
  whose right answer has the higher score, in each condition and their mean (null value 50), and
  the first condition's minus the second's (null value 0).

A set whose scores tie where a percentage compares them has no answer, and is left out of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from herbarium.statistics.inference import Mean, t_interval
from herbarium.statistics.sets import RIGHT, Sets
from herbarium.statistics.shares import share

# Rows of accuracies in addition to the two conditions, and the names of their sides.
MEAN, DIFFERENCE = "mean", "difference"
# Why neutralised scores give no share.
NO_SHARE = (
    "sentences that differ by gender have the same score in it, and a share leaves such pairs out; for your own "
    "sentences, `contrast: pairs` gives the mean difference"
)


class Scale(NamedTuple):
    """What a number can be. null: its null value, nan if there is none. low, high: its bounds. is_share: it is a per
    cent of sets, whose interval is Wilson's."""

    null: float = 0.0
    low: float = -np.inf
    high: float = np.inf
    is_share: bool = False

    def clipped(self, interval: tuple[float, float]) -> tuple[float, float]:
        """An interval within the bounds."""
        low, high = np.clip(interval, self.low, self.high)
        return low, high


NATS = Scale()
SHARE_OF_SETS = Scale(50.0, 0, 100, is_share=True)
DIFFERENCE_OF_SHARES = Scale(0.0, -100, 100)


def by_jackknife(mean: Mean | None, scale: Scale, level: float) -> dict[str, float]:
    """Error and interval of a number from its jackknife; empty without an error."""
    if not (mean and mean.variance > 0):
        return {}
    low, high = scale.clipped(t_interval(mean, level))
    return {"std_error": mean.std_error, "ci_low": low, "ci_high": high}


class Derived(NamedTuple):
    """Rows of a contrast that are functions of its means over units, and not means themselves.

    sides: their names. of_means: sets and means (..., n_means) -> (..., n_sides), nan where there is none. inferred:
    sets, side, the estimate of each side, the side's jackknife mean (None with one unit) and level -> error, interval
    and `notes` of a row, as far as there are any.
    """

    sides: tuple[str, ...]
    of_means: Callable[[Sets, np.ndarray], np.ndarray]
    inferred: Callable[[Sets, str, Mapping[str, float], Mean | None, float], dict]


class Task(NamedTuple):
    """What a model has to do before its numbers say anything about bias (`tasks.done`).

    name, what: in variants, and in words. side: the number of the contrast that has its share, per cent. guessed: that
    share without doing it. asks: sets -> which ask for it, (n_sets,) of bool.
    """

    name: str
    what: str
    side: str
    guessed: float
    asks: Callable[[Sets], np.ndarray]


def _without_ties(sets: Sets) -> np.ndarray:
    return np.zeros(len(sets.values), dtype=bool)


@dataclass(frozen=True)
class Contrast:
    """A comparison of the sides of each set.

    means: sides of the sets -> the `side` of each number that is a mean over units; None for pairs. by_set: complete
    sets -> the values that are averaged, (n_sets, n_means). scale: `side` of a number -> what it can be. is_tied: sets
    -> which have equal scores that it compares, (n_sets,) of bool. derived: numbers that are not means. of_pairs:
    which of independent pairs prefer the first side, (n_pairs,) of bool, and level -> estimate, interval and exact
    p-value; None if they are inferred like other means. exchanges_sides: all sides of a unit are exchanged in the test,
    not two; sets then have one value per side, of sum 0. is_percentage: in per cent, not in nats. sides: those that
    every set must have, in this order; None for the user's own. tasks: those that it takes.
    """

    name: str
    means: Callable[[Sequence[str]], list[str | None]]
    by_set: Callable[[Sets], np.ndarray]
    scale: Callable[[str | None], Scale]
    is_tied: Callable[[Sets], np.ndarray] = _without_ties
    derived: Derived | None = None
    of_pairs: Callable[[np.ndarray, float], dict[str, float]] | None = None
    exchanges_sides: bool = False
    is_percentage: bool = False
    sides: tuple[str, ...] | None = None
    tasks: tuple[Task, ...] = ()

    def rows(self, sides: Sequence[str]) -> list[str | None]:
        """The `side` of each number in every group. sides: of the sets."""
        return [*self.means(sides), *(self.derived.sides if self.derived else ())]

    def n_labels(self, sides: Sequence[str]) -> int:
        """The number of labels that can be permuted within a unit."""
        return len(sides) if self.exchanges_sides else 2

    def has_value(self, sets: Sets) -> np.ndarray:
        """(n_sets,) of bool: every sentence has a score, and the contrast can tell them apart."""
        return sets.is_whole & ~self.is_tied(sets)

    def comparable(self, sets: Sets) -> Sets:
        """Those that it has a value for."""
        return sets.of(self.has_value(sets))


def _of_pair(_sides: Sequence[str]) -> list[None]:
    return [None]


def _differences(sets: Sets) -> np.ndarray:
    first, second = sets.values.T
    return (first - second)[:, None]


def _preferences(sets: Sets) -> np.ndarray:
    first, second = sets.values.T
    return 100.0 * (first > second)[:, None]


def _from_mean_of_set(sets: Sets) -> np.ndarray:
    return sets.values - sets.values.mean(axis=1, keepdims=True)


def _conditions(sides: Sequence[str]) -> list[str]:
    return [*(side.removesuffix(RIGHT) for side in sides[::2]), MEAN, DIFFERENCE]


def _right_answers(sets: Sets) -> np.ndarray:
    first, second = 100.0 * (sets.values[:, ::2] > sets.values[:, 1::2]).T
    return np.column_stack([first, second, (first + second) / 2, first - second])


def _two_are_tied(sets: Sets) -> np.ndarray:
    """Both sides of a pair, or both answers in a condition."""
    return (sets.values[:, ::2] == sets.values[:, 1::2]).any(axis=1)


PAIRS = Contrast("pairs", _of_pair, _differences, lambda _: NATS)
SHARE = Contrast(
    "share",
    _of_pair,
    _preferences,
    lambda _: SHARE_OF_SETS,
    is_tied=_two_are_tied,
    of_pairs=share,
    is_percentage=True,
)
CANDIDATES = Contrast("candidates", list, _from_mean_of_set, lambda _: NATS, exchanges_sides=True)
ACCURACY = Contrast(
    "accuracy",
    _conditions,
    _right_answers,
    lambda side: DIFFERENCE_OF_SHARES if side == DIFFERENCE else SHARE_OF_SETS,
    is_tied=_two_are_tied,
    is_percentage=True,
)
