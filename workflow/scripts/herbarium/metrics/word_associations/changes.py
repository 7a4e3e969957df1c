"""Changes from one source of vectors to another: what their last layers encode about gender, for the same words."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.metrics.word_associations import association_tests, projection, sembias
from herbarium.metrics.word_associations.along import Direction, over_words
from herbarium.metrics.word_associations.lists import ROLES
from herbarium.metrics.word_associations.numbers import LEAN, WEAT, WOMEN, direction_of
from herbarium.metrics.word_associations.sembias import STEREOTYPE
from herbarium.metrics.word_associations.space import Space
from herbarium.metrics.word_associations.stimuli import Lists
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.correlation import CONSTANT
from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import FEWEST, by_leaving_out
from herbarium.vectors.directions import unit
from herbarium.vectors.tables import Vectors

# The primary numbers, and their names among those of other metrics.
_CALLED = {LEAN: "lean of stereotype pairs", WOMEN: "correlation with the share of women", WEAT: "WEAT"}
_FEW = f"fewer than {FEWEST} words with vectors in both"


def changes(
    compared: Sequence[Sequence[str]],
    words: Sequence[str],
    vectors: Mapping[str, Vectors],
    word_lists: Lists,
    numbers: pd.DataFrame,
) -> pd.DataFrame:
    """Rows of the schema "changes": of each pair of sources the primary numbers that both have.

    compared: of `vectors.comparisons`. words, vectors: all bare words, and what each source has for them. numbers: tidy
    rows of all sources.
    """
    is_led = numbers["metric"].isin([WOMEN, WEAT]) | ((numbers["metric"] == LEAN) & (numbers["group"] == STEREOTYPE))
    indexed = numbers[is_led].set_index(["model", "variant", "metric", "unit"]).sort_index()
    rows = []
    for pair in compared:
        sources = pair[2:]
        layers = [vectors[source].layers[-1] for source in sources]
        for metric, unit_, mean, n in differences(*_spaces(words, [vectors[source] for source in sources]), word_lists):
            keys = [(source, layer, metric, unit_) for source, layer in zip(sources, layers, strict=True)]
            if not all(key in indexed.index for key in keys):
                continue  # a test of some sources alone
            measure = f"Word associations, {unit_}: {_CALLED[metric]}"
            note = None if mean else _FEW
            if mean and math.isnan(mean.estimate):
                mean, note = None, CONSTANT
            rows.append(change(pair, metric, measure, *(indexed.loc[key] for key in keys), mean, n=n, note=note))
    return as_changes(rows)


def _spaces(words: Sequence[str], vectors: Sequence[Vectors]) -> list[Space]:
    """The last layers of two sources, of the words that both have."""
    values = [vector.of(vector.layers[-1]) for vector in vectors]
    both = np.all([np.linalg.norm(array, axis=1) > 0 for array in values], axis=0)[:, None]
    return [
        Space(words, np.where(both, one, np.nan), table.n_tokens) for one, table in zip(values, vectors, strict=True)
    ]


def differences(before: Space, after: Space, word_lists: Lists) -> Iterator[tuple[str, str, Mean | None, int]]:
    """Metric, unit, what the number is after less before, with its error over the same words and the same pairs of the
    direction, or None of too few; and of how many words. Both spaces have the same words."""
    spaces = before, after
    for name, (pairs, method) in word_lists.directions.items():
        along = [direction_of(space, pairs, method)[0] for space in spaces]
        if any(one is None for one in along):
            continue
        for list_name, instances in word_lists.sembias.items():
            yield LEAN, f"{list_name}, {name}", *_of_pairs(spaces, instances, along)
        for list_name, (occupations, women) in word_lists.occupations.items():
            if women is not None:
                known = before.has(occupations)
                jobs = [unit(space.of(np.array(occupations)[known])) for space in spaces]
                yield WOMEN, f"{list_name}, {name}", *_of_women(jobs, women[known], along)
    for name, test in word_lists.tests.items():
        if not test.templates:
            sets = [[word for word in test.words[role] if word in before.known] for role in ROLES]
            yield WEAT, name, *_of_test(spaces, sets)


def _of_pairs(
    spaces: Sequence[Space], instances: sembias.Instances, along: Sequence[Direction]
) -> tuple[Mean | None, int]:
    pairs = [pair for pair, category in zip(instances.pairs, instances.category, strict=True) if category == STEREOTYPE]
    differ = [space.differences(pairs) for space in spaces]
    known = np.all([np.linalg.norm(difference, axis=1) > 0 for difference in differ], axis=0)
    differ = [difference[known] for difference in differ]
    return _over_both(
        lambda side, vector, rows: float(sembias.cosines(differ[side][rows], vector).mean()), known.sum(), along
    )


def _of_women(jobs: Sequence[np.ndarray], women: np.ndarray, along: Sequence[Direction]) -> tuple[Mean | None, int]:
    def statistic(side: int, vector: np.ndarray, rows: np.ndarray) -> float:
        return projection.correlation(jobs[side][rows], women[rows], vector)

    return _over_both(statistic, len(women), along)


def _over_both(
    statistic: Callable[[int, np.ndarray, np.ndarray], float], n: int, along: Sequence[Direction]
) -> tuple[Mean | None, int]:
    """A number after less before, left out of both the same. statistic: of a side, 0 or 1, its direction, and the
    places of words."""
    if n < FEWEST:
        return None, n
    first, second = along
    together = Direction(np.concatenate([first.of, second.of]), np.hstack([first.without, second.without]))

    def difference(vector: np.ndarray, rows: np.ndarray) -> float:
        sides = np.split(vector, [len(first.of)])
        return statistic(1, sides[1], rows) - statistic(0, sides[0], rows)

    return over_words(difference, n, together), n


def _of_test(spaces: Sequence[Space], sets: Sequence[Sequence[str]]) -> tuple[Mean | None, int]:
    n = len(sets[0]) + len(sets[1])
    if min(map(len, sets)) < FEWEST:
        return None, n
    (before, places), (after, _) = (association_tests.of_words([space.of(words) for words in sets]) for space in spaces)

    def difference(*sets: np.ndarray) -> float:
        return association_tests.effect_size(after, *sets) - association_tests.effect_size(before, *sets)

    return by_leaving_out(difference, *places), n
