"""Entity F1: the shares of test entities that are found, and of found entities that are correct.

An entity is found if its first word, its last word and its type are right (Tjong Kim Sang and De Meulder 2003); seqeval
determines the entities of tags. F1 is 2 TP / (found + there), summed over test sentences: a ratio of two sums. Training
sets and test sentences are crossed samples; the error of the ratio is that of the mean of what each
adds to it, (2 TP − F1 · (found + there)) over the mean of (found + there) (Cochran 1977, ch. 6).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.statistics.changes import COST, as_changes, change
from herbarium.statistics.inference import Mean, crossed_mean, t_interval
from herbarium.statistics.repeats import remark
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION, F1 = "tagging", "paper", "f1"
ALL = "all"
FEWEST = 10
_ONE_SET = "one training set: variation over training sets is not in the interval"


class Counts(NamedTuple):
    """Entities of each test sentence, (n_sets, n_sentences): found correctly, and found plus there. Of sentences that
    are alike (`repeats`), the sums: they are one."""

    hits: np.ndarray
    total: np.ndarray


def counts(
    true: Sequence[Sequence[str]], predicted: Sequence[Sequence[Sequence[str]]], alike: np.ndarray | None = None
) -> dict[str, Counts]:
    """The counts of all entities (ALL), and of each type. true: tags of each test sentence. predicted: the predicted
    ones for each training set. alike: of each test sentence the number of the first that it is alike; None: all
    differ."""
    from seqeval.metrics.sequence_labeling import get_entities

    true_entities = [set(get_entities(list(tags))) for tags in true]
    entities = [[set(get_entities(list(tags))) for tags in of_set] for of_set in predicted]
    types = sorted({entity_type for entities in chain(true_entities, *entities) for entity_type, *_ in entities})

    def number(entity_type: str, entities: set) -> int:
        return len(entities) if entity_type == ALL else sum(one[0] == entity_type for one in entities)

    def by_unit(of_sets: Iterable[Iterable[int]]) -> np.ndarray:
        numbers = np.array(list(map(list, of_sets)))
        if alike is None:
            return numbers
        return np.array([np.bincount(unit, row).astype(int) for row in numbers])

    unit = None if alike is None else np.unique(alike, return_inverse=True)[1]
    return {
        entity_type: Counts(
            by_unit(
                (number(entity_type, a & b) for a, b in zip(true_entities, of_set, strict=True)) for of_set in entities
            ),
            by_unit(
                (number(entity_type, a) + number(entity_type, b) for a, b in zip(true_entities, of_set, strict=True))
                for of_set in entities
            ),
        )
        for entity_type in (ALL, *types)
    }


def f1(counted: Counts) -> float:
    """2 TP / (found + there), over all training sets and sentences; nan if there is no entity."""
    total = counted.total.sum()
    return float(2 * counted.hits.sum() / total) if total else np.nan


def parts(counted: Counts) -> np.ndarray:
    """(n_sets, n_sentences) whose mean is F1, and whose variation is its influence."""
    return f1(counted) + (2 * counted.hits - f1(counted) * counted.total) / counted.total.mean()


def mean_f1(counted: Counts) -> Mean:
    """F1 with its error over training sets and test sentences (`inference.crossed_mean`); nan with too few
    sentences."""
    if not counted.total.any() or counted.total.shape[1] < FEWEST:
        return Mean(f1(counted), np.nan, np.nan)
    return crossed_mean(parts(counted))


def measure(
    model: str, task: str, true: Sequence[Sequence[str]], predicted: Sequence[Sequence[Sequence[str]]], n_untagged: int,
    level: float, alike: np.ndarray | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Tidy rows of metric "tagging": F1 of all entities (unit "all"), and of each type (unit "entity_type"); `n` counts
    test sentences that differ. true, predicted, alike: as for `counts`. n_untagged: words without a predicted tag,
    which count as O."""
    n = len(true) if alike is None else len(np.unique(alike))
    notes = [_ONE_SET] if len(predicted) == 1 else []
    notes += filter(None, [remark(len(true), n, "test sentences")])
    if n_untagged:
        notes.append(f"{n_untagged} words had no token, or were cut off: they count as O")
    rows = []
    for entity_type, type_counts in counts(true, predicted, alike).items():
        mean = mean_f1(type_counts)
        why = [] if np.isfinite(mean.variance) else [f"no interval: fewer than {FEWEST} sentences"]
        if not type_counts.total.any():
            why = ["not measured: there is no entity, and none was found"]
        place = {"model": model, "metric": METRIC, "definition": DEFINITION, "variant": F1}
        place |= {"unit": ALL if entity_type == ALL else "entity_type", "group": f"{task}/{entity_type}"}
        numbers = _with_bounds(mean, level) | {"std_error": mean.std_error}
        rows.append(place | numbers | {"n": n, "note": "; ".join([*why, *notes]) or None})
    return tidy(pd.DataFrame(rows), over="sentences" if n == len(true) else "different sentences")


def interval(mean: Mean, level: float) -> tuple[float, float]:
    """Bounds of F1: Student's, within 0 and 1."""
    low, high = t_interval(mean, level)
    return float(np.clip(low, 0, 1)), float(np.clip(high, 0, 1))


def changes(
    task: str,
    compared: Sequence[Sequence[str]],
    true: Sequence[Sequence[str]],
    predicted: Mapping[str, Sequence[Sequence[Sequence[str]]]],
    level: float,
    alike: np.ndarray | None = None,
) -> pd.DataFrame:
    """Rows of the schema "changes": F1 of all entities, paired by training set and test sentence.

    compared: of `models.comparisons`. true, alike: as for `counts`; predicted: the same by model. level: of the models'
    own intervals.
    """
    return as_changes(
        _changes(task, compared, {model: counts(true, tags, alike)[ALL] for model, tags in predicted.items()}, level)
    )


def _changes(
    task: str, compared: Sequence[Sequence[str]], by_model: Mapping[str, Counts], level: float
) -> Iterator[dict]:
    for pair in compared:
        sides = [by_model[model] for model in pair[2:]]
        values = [_with_bounds(mean_f1(one), level) for one in sides]
        yield change(
            pair, METRIC, f"Task {task}, entity F1", *values, difference(*sides), null=None, kind=COST,
            n=sides[0].total.shape[1],
        )  # fmt: skip


def _with_bounds(mean: Mean, level: float) -> dict:
    low, high = interval(mean, level)
    return {"estimate": mean.estimate, "ci_low": low, "ci_high": high}


def difference(before: Counts, after: Counts) -> Mean:
    """F1 after minus before, with its error over the training sets and test sentences of both."""
    if before.total.shape[1] < FEWEST:
        return Mean(f1(after) - f1(before), np.nan, np.nan)
    return crossed_mean(parts(after) - parts(before))
