"""Changes from one source of vectors to another: the mean gap of a language, in its own and in shared spaces."""

from collections.abc import Mapping, Sequence

import pandas as pd

from herbarium.metrics.languages import score
from herbarium.metrics.languages.lists import Lists
from herbarium.metrics.languages.numbers import ARROW, LEAN, METRIC, few, gaps
from herbarium.metrics.languages.spaces import Space
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.inference import Mean

# The languages of a space: one alone, or one and its pivot.
Group = tuple[str, ...]


def changes(
    name: str,
    compared: Sequence[Sequence[str]],
    models: Mapping[str, str],
    lists: Mapping[str, Lists],
    spaces: Mapping[Group, Space],
    numbers: pd.DataFrame,
) -> pd.DataFrame:
    """Rows of the schema "changes": for each space of a language, and the one that differs from it only by the sources
    of its languages.

    name: of the space. compared: of `vectors.comparisons`. models: language -> source. lists: by language; languages
    that are compared have the same. spaces: the vectors of the first language of each group. numbers: tidy rows of
    `numbers.measure`.
    """
    leans = numbers[numbers["variant"] == LEAN].set_index("group")
    rows = []
    for comparison in compared:
        before, after = ([language for language, source in models.items() if source == side] for side in comparison[2:])
        instead = {a: b for a in before for b in after if _equal(lists[a], lists[b])}
        for group in spaces:
            changed = tuple(instead.get(language, language) for language in group)
            if changed == group or changed not in spaces:
                continue
            mean, n, note = difference(lists[group[0]], spaces[group], spaces[changed])
            values = (leans.loc[ARROW.join(one)] for one in (group, changed))
            measure = f"Languages, {name}: {' in the space of '.join(group)}"
            rows.append(change(comparison, METRIC, measure, *values, mean, n=n, note=note))
    return as_changes(rows)


def difference(word_lists: Lists, before: Space, after: Space) -> tuple[Mean | None, int, str | None]:
    """The change of the mean gap of the pairs and seeds that both spaces have, with its error over these; None, and
    why, if too few. The number of pairs."""
    words = before.words.intersection(after.words)
    first, second = (gaps(word_lists, Space(words, space.vectors[space.rows(words)])) for space in (before, after))
    if note := few(first):
        return None, len(first.pairs), note
    return score.lean(second.gaps - first.gaps), len(first.pairs), None


def _equal(one: Lists, other: Lists) -> bool:
    return one.occupations.equals(other.occupations) and one.seeds.equals(other.seeds)
