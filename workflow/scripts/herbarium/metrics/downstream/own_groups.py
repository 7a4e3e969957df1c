"""How well a classifier does on groups of texts that columns of the data name, and how far groups are apart.

Predictions are of the texts as they are, without a prefix. Texts of two groups are different texts, and training sets
are crossed with them: a number is a mean over training sets and texts, with the error of both
(`inference.crossed_mean`). Each rate is a mean over texts of its `_Part`: of a share, whether the text counts; of the
AUC, the share of texts of the other class that a text is in order with, whose spread gives the error (DeLong et al.
1988, Biometrics 44, 837-845).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # imports its parts when they are first used

from herbarium.core.attributes import group_of, pairs
from herbarium.metrics.downstream.numbers import FEWEST_EVENTS, METRIC
from herbarium.statistics.inference import (
    FEWEST_SETS_OF_INTERVAL,
    FEWEST_SETS_OF_TEST,
    Mean,
    adjust,
    crossed_mean,
    few_sets,
    t_interval,
    t_p_value,
)
from herbarium.statistics.repeats import merged, remark
from herbarium.statistics.tidy import tidy

RATES = ("accuracy", "selection_rate", "false_positive_rate", "false_negative_rate", "auc")
UNIT, UNIT_OF_PAIRS = "text_group", "text_groups"  # of one group, and of two that are compared


def difference(rate: str) -> str:
    """The variant of the second group's rate minus the first group's."""
    return f"{rate}_difference"


class _Part(NamedTuple):
    """A rate of a group of texts. values: (n_sets, n) whose mean over texts is the rate of each set; n may be 0.
    n_events: texts of the rarer outcome, on average over sets. unit: (n,) of each text."""

    values: np.ndarray
    n_events: float
    unit: np.ndarray


def measure(
    model: str,
    task: str,
    log_odds: np.ndarray,
    label: np.ndarray,
    cells: pd.Series,
    groups: Mapping[str, Sequence[str]],
    level: float,
    correction: str,
    alike: np.ndarray | None = None,
) -> pd.DataFrame:
    """Tidy rows of metric "downstream" of the groups of a task.

    log_odds: (n_sets, n_examples) of the texts as they are; for a published classifier n_sets is 1. label:
    (n_examples,) 1 or 0. cells: (n_examples,) of the type `core.attributes.GROUPS`. groups: the names of groups by
    attribute. level: of the intervals. correction: of the p-values, over the pairs of groups, each rate a family.
    alike: (n_examples,) the number of the first text that each is alike (`repeats`): one unit; None: all differ.

    RATES have the unit "text_group" and the group "{task}/{attribute}: {name}"; their differences, "{rate}_difference"
    of the second group minus the first, the unit "text_groups" and the group "{task}/{attribute}: {first}, {second}".
    `n` counts texts that differ. Intervals and p-values, of differences alone, need several training sets
    (`inference.few_sets`), and FEWEST_EVENTS texts of either outcome in each group.
    """
    keys = {"model": model, "metric": METRIC, "definition": "paper"}
    unit = np.arange(len(label)) if alike is None else alike
    by_group = {
        (attribute, name): _parts(log_odds[:, is_in], label[is_in], unit[is_in])
        for attribute, names in groups.items()
        for name in names
        for is_in in [group_of(cells, attribute, [name]) == 0]
    }
    rows = [
        {"unit": UNIT, "group": f"{task}/{attribute}: {name}", "variant": rate} | _row([part], level)
        for (attribute, name), parts in by_group.items()
        for rate, part in parts.items()
    ]
    for pair in pairs(groups):
        first, second = (by_group[pair.attribute, name] for name in (pair.first, pair.second))
        place = {"unit": UNIT_OF_PAIRS, "group": f"{task}/{pair.name}"}
        rows += [place | {"variant": difference(rate)} | _row([second[rate], first[rate]], level) for rate in RATES]
    table = pd.DataFrame(rows)
    table["p_adjusted"] = table.groupby(["variant", "unit"])["p_value"].transform(adjust, method=correction)
    return tidy(table.assign(**keys), over="texts")


def _parts(log_odds: np.ndarray, label: np.ndarray, unit: np.ndarray) -> dict[str, _Part]:
    """RATES of the texts of a group. log_odds: (n_sets, n). label, unit: (n,)."""
    predicted, is_positive = log_odds > 0, label == 1

    def share(counts: np.ndarray, unit: np.ndarray = unit) -> _Part:
        n = counts.sum(axis=1)
        return _Part(counts.astype(float), float(np.minimum(n, counts.shape[1] - n).mean()), unit)

    return {
        "accuracy": share(predicted == is_positive),
        "selection_rate": share(predicted),
        "false_positive_rate": share(predicted[:, ~is_positive], unit[~is_positive]),
        "false_negative_rate": share(~predicted[:, is_positive], unit[is_positive]),
        "auc": _auc(log_odds, is_positive, unit),
    }


def _auc(log_odds: np.ndarray, is_positive: np.ndarray, unit: np.ndarray) -> _Part:
    """The AUC, with the placement of each text among those of the other class: the AUC plus its deviation, weighted so
    that texts of both classes have the mean and the error of the AUC."""
    n_positive, n = int(is_positive.sum()), len(is_positive)
    n_events = min(n_positive, n - n_positive)
    if not n_events:
        return _Part(np.empty((len(log_odds), 0)), 0, unit[:0])
    values = np.empty(log_odds.shape)
    for row, scores in zip(values, log_odds, strict=True):
        ranks = scipy.stats.rankdata(scores)
        for side, n_side in ((is_positive, n_positive), (~is_positive, n - n_positive)):
            # the share of the other class that is below, ties by half
            below = (ranks[side] - scipy.stats.rankdata(scores[side])) / (n - n_side)
            placement = below if side is is_positive else 1 - below
            auc = placement.mean()
            row[side] = auc + n / n_side * (placement - auc)
    return _Part(values, n_events, unit)


def _row(parts: list[_Part], level: float) -> dict:
    """The numbers of a rate, or of the difference of two: `estimate`, `n`, and where they can be had an interval and,
    of a difference, a p-value."""
    n_sets, units = len(parts[0].values), np.concatenate([part.unit for part in parts])
    n = len({*units})
    if not all(part.values.shape[1] for part in parts):
        return {"n": n, "p_value": np.nan, "note": "not measured: no such text"}
    mean = _mean(parts)
    few = min(part.n_events * len({*part.unit}) / len(part.unit) for part in parts) < FEWEST_EVENTS
    reasons = (
        f"no interval: fewer than {FEWEST_EVENTS} such texts, or others" if few else None,
        few_sets(n_sets),
        remark(len(units), n, "texts"),
    )
    over = "texts" if n == len(units) else "different texts"
    row = {
        "estimate": mean.estimate,
        "n": n,
        "over": over,
        "p_value": np.nan,
        "note": "; ".join(filter(None, reasons)) or None,
    }
    if not few and n_sets >= FEWEST_SETS_OF_INTERVAL and mean.variance > 0:
        low, high = t_interval(mean, level)
        row |= {"std_error": mean.std_error, "ci_low": low, "ci_high": high}
        if len(parts) > 1 and n_sets >= FEWEST_SETS_OF_TEST:
            row["p_value"] = t_p_value(mean)
    return row


def _mean(parts: list[_Part]) -> Mean:
    """A rate, or the first rate minus the second, over training sets and texts: the texts of both groups are one
    sample, in which each deviates from the rate of its own group."""
    rates = [part.values.mean(axis=1, keepdims=True) for part in parts]
    n = sum(part.values.shape[1] for part in parts)
    beyond = [
        sign * n / part.values.shape[1] * (part.values - rate)
        for sign, part, rate in zip((1, -1), parts, rates, strict=False)
    ]
    whole = rates[0] - rates[1] if len(rates) > 1 else rates[0]
    units = np.concatenate([part.unit for part in parts])
    return crossed_mean(merged(whole + np.concatenate(beyond, axis=1), units))
