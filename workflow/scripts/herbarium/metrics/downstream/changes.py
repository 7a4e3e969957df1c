"""Changes from one model to another in a task: the effects of regions beyond made-up names, and accuracy."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from herbarium.metrics.downstream import names
from herbarium.metrics.downstream.numbers import EXCESS_SPREAD, METRIC, NONSENSE, REGIONS
from herbarium.statistics.changes import COST, as_changes, change
from herbarium.statistics.inference import crossed_mean
from herbarium.statistics.repeats import merged


def changes(
    task: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    log_odds: Mapping[str, np.ndarray],
    label: np.ndarray,
    prefixes: pd.DataFrame,
    alike: np.ndarray | None = None,
) -> pd.DataFrame:
    """Rows of the schema "changes": the excess variance of each unit's regions, and accuracy on the texts as they are.

    compared: of `models.comparisons`. numbers: tidy rows of the task. log_odds: by model, of the same training sets and
    texts; it, label, prefixes and alike as for `numbers.measure`. Excess variances, in squared log-odds, are paired by
    name (`names.change_of_spread`), accuracies by training set and text.
    """
    indexed = numbers.set_index(["model", "variant", "unit", "group"])
    return as_changes(
        row
        for comparison in compared
        for rows in (
            _of_names(task, comparison, indexed, log_odds, prefixes),
            _of_labels(task, comparison, indexed, log_odds, label, np.arange(len(label)) if alike is None else alike),
        )
        for row in rows
    )


def _of_names(
    task: str,
    comparison: Sequence[str],
    indexed: pd.DataFrame,
    log_odds: Mapping[str, np.ndarray],
    prefixes: pd.DataFrame,
) -> Iterator[dict]:
    unit = prefixes["unit"].to_numpy()
    before, after = (log_odds[model].mean(axis=2) for model in comparison[2:])
    for name in (name for name in REGIONS if (unit == name).any() and (unit == NONSENSE).any()):
        # as a variance, whose differences are meaningful
        values = [
            _as_variance(indexed.loc[(model, EXCESS_SPREAD, "all", f"{task}/{name}")]) for model in comparison[2:]
        ]
        measure, n = f"Task {task}, excess variance over {name.replace('_', ' of a ')}", int((unit == name).sum())
        if any(not names.is_testable(y[:, unit == NONSENSE]) for y in (before, after)) or n < names.FEWEST:
            note = "no error: one training set, or fewer than three names"
            yield change(comparison, METRIC, measure, *values, None, note=note)
            continue
        mean = names.change_of_spread(*((y[:, unit == name], y[:, unit == NONSENSE]) for y in (before, after)))
        yield change(comparison, METRIC, measure, *values, mean, n=n)


def _as_variance(row: pd.Series) -> pd.Series:
    """An excess spread and its bounds as variances, whose differences are meaningful."""
    bounds = row[["estimate", "ci_low", "ci_high"]].astype(float)
    return np.sign(bounds) * bounds**2


def _of_labels(
    task: str,
    comparison: Sequence[str],
    indexed: pd.DataFrame,
    log_odds: Mapping[str, np.ndarray],
    label: np.ndarray,
    unit: np.ndarray,
) -> Iterator[dict]:
    values = (indexed.loc[(model, "accuracy", "original", f"{task}/original")] for model in comparison[2:])
    before, after = ((log_odds[model][:, 0] > 0) == label for model in comparison[2:])
    change_of_units = merged(after.astype(float) - before, unit)
    mean, n = crossed_mean(change_of_units), change_of_units.shape[1]
    yield change(comparison, METRIC, f"Task {task}, accuracy", *values, mean, null=None, kind=COST, n=n)
