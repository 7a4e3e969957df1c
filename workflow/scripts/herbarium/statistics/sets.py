"""Scores of sentences set by set, with the group and the unit of each set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from herbarium.statistics.repeats import content, firsts

ALL = "all"  # the group of all sets
SET = "set"  # the unit that is a set
RIGHT, WRONG = "-right", "-wrong"  # suffixes of sides: the two answers to a question
EQUAL_LENGTH = "_equal_length"  # suffix of a variant
_ROUNDING = 1e-12  # relative: smaller differences count as equal


@dataclass(frozen=True)
class Sets:
    """Scores set by set: values (n_sets, n_sides), nan if a sentence has none, and the group (empty: none) and unit of
    each set, (n_sets,) each. by_set: whether every set is its own unit. crossed: the units of both kinds, (n_sets, 2),
    or None. correct: the side that is the right answer, (n_sets,), or None. differs: whether the sentences of a set
    differ in their number of tokens, (n_sets,). letters: that of each answer, (n_sets, n_sides), or None. alike: the
    first set that each is alike (`repeats`), (n_sets,), or None if no two are. named: the units, and the other ones if
    they are crossed."""

    sides: tuple[str, ...]
    values: np.ndarray
    group: np.ndarray
    unit: np.ndarray
    by_set: bool
    crossed: np.ndarray | None = None
    correct: np.ndarray | None = None
    differs: np.ndarray | None = None
    letters: np.ndarray | None = None
    alike: np.ndarray | None = None
    named: tuple[str, ...] = (SET,)

    @property
    def is_whole(self) -> np.ndarray:
        """(n_sets,) of bool: every sentence of the set has a score."""
        return np.isfinite(self.values).all(axis=1)

    def of(self, rows: np.ndarray) -> "Sets":
        """Some of the sets. rows: (n_sets,) of bool."""
        names = ("values", "group", "unit", "crossed", "correct", "differs", "letters", "alike")
        per_set = {name: getattr(self, name) for name in names}
        return replace(self, **{name: values[rows] for name, values in per_set.items() if values is not None})

    def by_length(self) -> Iterator[tuple[str, "Sets"]]:
        """All sets, and those whose sentences have the same number of tokens (EQUAL_LENGTH), if these are some of them,
        but not all: a longer word alone lowers the score of a sentence."""
        yield "", self
        if self.differs.any() and not self.differs.all():
            yield EQUAL_LENGTH, self.of(~self.differs)

    @property
    def n(self) -> int:
        """The number of units; if crossed, of the kind with fewer."""
        return min(self._sizes)

    @property
    def over(self) -> str:
        """What `n` counts; of crossed units, those with fewer are first."""
        if self.named == (SET,):
            return "sets" if self.alike is None else "different sets"
        sizes = dict(zip(self.named, self._sizes, strict=False))
        return f"units ({' × '.join(sorted(self.named, key=sizes.get))})"

    @property
    def _sizes(self) -> list[int]:
        """The number of units of each kind."""
        ways = [self.unit] if self.crossed is None else self.crossed.T
        return [len(set(way)) for way in ways]

    @property
    def weights(self) -> np.ndarray:
        """The weight of each set in a mean over units, (n_sets,)."""
        _, place, n_sets = np.unique(self.unit, return_inverse=True, return_counts=True)
        return 1 / (len(n_sets) * n_sets[place])

    def by_group(self) -> Iterator[tuple[str, "Sets"]]:
        """All sets together, then those of each group by name."""
        yield ALL, self
        for group in sorted({*self.group} - {""}):
            yield group, self.of(self.group == group)


def sets(sentences: pd.DataFrame, sides: Sequence[str], named: Sequence[str] = (SET,)) -> Sets:
    """The scores of sentences, set by set in order.

    sentences: `set`, `side` and `value` of each, and the `group` and `unit` of its set; `crossed_with` is null, or the
    unit of another kind with which `unit` is crossed; `correct`, if there is one, the right answer's side, `letter` the
    one before an answer, and `n_tokens` the number of tokens that a score is about; `cluster`, if there is one, the
    first set that a set is alike, else this follows from `text`, if there is one. Each side occurs once in each set.
    Units whose sets are alike are one. named: `Sets.named`.
    """
    of_set = sentences.drop_duplicates("set")

    def by_side(column: str) -> np.ndarray:
        return sentences.pivot(index="set", columns="side", values=column).loc[of_set["set"], list(sides)].to_numpy()

    values = by_side("value").astype(float)
    is_crossed = "crossed_with" in of_set and of_set["crossed_with"].notna().all()
    ways = of_set[["unit", "crossed_with"] if is_crossed else ["unit"]]
    alike = _alike(sentences, of_set, not is_crossed and bool(of_set["unit"].is_unique))
    if alike is not None and "cluster" not in of_set:
        ways = ways.apply(lambda names: firsts(names, zip(alike, strict=True)))
    unit, is_unique = ways["unit"].to_numpy(), bool(ways["unit"].is_unique)
    crossed = ways.to_numpy() if is_crossed else None
    correct = of_set["correct"].to_numpy() if "correct" in of_set else None
    letters = by_side("letter") if "letter" in sentences and sentences["letter"].notna().all() else None
    by_set, differs = is_unique and not is_crossed, np.zeros(len(of_set), dtype=bool)
    if "n_tokens" in sentences:
        of_scored = sentences["n_tokens"].where(sentences["value"].notna())  # a refused sentence has none
        differs = of_scored.groupby(sentences["set"], sort=False).nunique().loc[of_set["set"]].to_numpy() > 1
    group = of_set["group"].to_numpy()
    return Sets(
        tuple(sides),
        values,
        group,
        unit,
        by_set,
        crossed,
        correct,
        differs,
        letters,
        alike,
        tuple(named)[: len(ways.columns)],
    )


def _alike(sentences: pd.DataFrame, of_set: pd.DataFrame, is_unit: bool) -> np.ndarray | None:
    """The first set that each is alike, (n_sets,), None if no two are: sets are that have the same sentences, whatever
    their sides; if each is a unit, those that share one, too. of_set: the first sentence of each set."""
    if "cluster" in of_set:
        first = of_set["cluster"].to_numpy()
    elif "text" in of_set:
        texts: dict[str, set[str]] = {name: set() for name in of_set["set"]}
        for name, text in zip(sentences["set"], sentences["text"], strict=True):
            texts[name].add(content(text))
        first = firsts(of_set["set"], texts.values() if is_unit else ([frozenset(of_one)] for of_one in texts.values()))
    else:
        return None
    return first if len(set(first)) < len(first) else None


def varies(values: np.ndarray) -> bool:
    """Whether values differ by more than rounding."""
    return np.ptp(values) > _ROUNDING * np.abs(values).max()
