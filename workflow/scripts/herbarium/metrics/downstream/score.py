"""The effect of a prefix that names a region on the predictions of a classifier (Li et al. 2022, Section 4.5).

Everywhere p is (n_sets, n_prefixes, n_examples): the probability of the positive class, of classifiers fine-tuned on
different training sets, for every text after every prefix; p[:, 0] is for the original texts. A label is positive if p
> 0.5; at exactly 0.5 it is negative, as argmax takes the first of two equal logits, which is that of class 0.

Any prefix changes something. The effect of one is its change of p for a text, minus the mean change by the control
prefixes for the same text; as both are relative to the original, that is p minus the mean p of the controls. A control
is included in its own mean, so its effect is too small by a factor of 1 - 1/n_controls.

Numbers of several training sets are means over sets of each classifier's numbers. The bootstrap draws texts, so its
intervals are about these classifiers on other texts; how classifiers differ is in the standard deviation over sets, and
conclusions about regions for any training set are in `names`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from scipy.special import gammaln

# Texts that are summed at a time: 1,000 replicates of 260 prefixes and 3 sets take about 90 MB in addition to p.
_BLOCK = 1024
_RATES = ("selection_rate", "false_positive_rate", "false_negative_rate")  # names as in fairlearn
# Gaps between groups, by `metric_frame_gaps` and `rarefied_gaps`.
GAPS = (*(f"gap_{rate}" for rate in _RATES), "gap_equalized_odds")


def labels(p: np.ndarray) -> np.ndarray:
    """Whether the label is positive: p > 0.5, of any shape."""
    return p > 0.5


def draws(n_examples: int, replicates: int, random: np.random.Generator) -> np.ndarray:
    """(replicates, n_examples) how often each text is drawn in a resample with replacement."""
    counts = np.empty((replicates, n_examples), np.uint16)
    for row in counts:
        row[:] = np.bincount(random.integers(n_examples, size=n_examples), minlength=n_examples)
    return counts


@dataclass(frozen=True)
class Totals:
    """Sums over texts, each counted by its weight: (n_replicates, n_sets, n_groups) unless noted.

    A group is one prefix, or several whose texts are one set.
    """

    prefixes: np.ndarray  # (1, 1, n_groups) of the group
    negatives: np.ndarray  # (n_replicates, 1, n_groups) texts of label 0
    positives: np.ndarray  # likewise, of label 1
    false_positives: np.ndarray  # predicted positive, of label 0
    true_positives: np.ndarray
    to_positive: np.ndarray  # label negative for the original, positive with the prefix
    to_negative: np.ndarray
    up: np.ndarray  # p rises against the original
    down: np.ndarray
    up_size: np.ndarray  # by how much, if it rises
    down_size: np.ndarray  # by how much, if it falls; positive

    def pooled(self, members: np.ndarray) -> "Totals":
        """The sums of groups of these groups. members: (n_new_groups, n_groups), 1 if one is in, else 0."""
        return Totals(*(getattr(self, field.name) @ members.T for field in fields(self)))


def totals(p: np.ndarray, label: np.ndarray, weights: np.ndarray) -> Totals:
    """The sums of every prefix, p[:, 0] among them. label: (n_examples,) 1 positive, 0 negative. weights:
    (n_replicates, n_examples) how often each text counts; a row of ones gives the estimate, `draws` its replicates.
    """
    n_sets, n_prefixes, _ = p.shape
    names = [field.name for field in fields(Totals)[3:]]
    sums = {name: np.zeros((len(weights), n_sets, n_prefixes)) for name in names}
    by_label = np.zeros((2, len(weights), 1, n_prefixes))
    for start in range(0, len(label), _BLOCK):
        block = slice(start, start + _BLOCK)
        is_positive, values = label[block] == 1, p[..., block]
        predicted = labels(values)
        change = values - values[:, :1]
        up, down, before = change > 0, change < 0, predicted[:, :1]
        # sums of ones stay below 2^24, so that they are exact in single precision
        counted, weighed = weights[:, block].astype(np.float32), weights[:, block].astype(float)
        by_label += np.array([counted[:, ~is_positive].sum(axis=1), counted[:, is_positive].sum(axis=1)])[
            ..., None, None
        ]
        sums["false_positives"] += _sums(counted[:, ~is_positive], predicted[..., ~is_positive])
        sums["true_positives"] += _sums(counted[:, is_positive], predicted[..., is_positive])
        sums["to_positive"] += _sums(counted, predicted & ~before)
        sums["up"] += _sums(counted, up)
        sums["down"] += _sums(counted, down)
        sums["up_size"] += _sums(weighed, np.where(up, change, 0))
        sums["down_size"] += _sums(weighed, np.where(down, -change, 0))
    predicted = sums["false_positives"] + sums["true_positives"]
    sums["to_negative"] = sums["to_positive"] - predicted + predicted[..., :1]
    return Totals(np.ones((1, 1, n_prefixes)), *by_label, **sums)


def _sums(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(n_replicates, ...) weighted sums of values (..., n_examples), in the precision of weights."""
    *groups, n = values.shape
    flat = values.reshape(math.prod(groups), n).astype(weights.dtype, copy=False)
    return (weights @ flat.T).reshape(len(weights), *groups)


def weighted_means(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(n_replicates, n_groups) means over texts. values: (n_groups, n_examples). weights: as for `totals`."""
    sums = np.zeros((len(weights), len(values)))
    for start in range(0, values.shape[1], _BLOCK):
        block = slice(start, start + _BLOCK)
        sums += _sums(weights[:, block].astype(float), values[:, block])
    return sums / weights.sum(axis=1, dtype=float)[:, None]


def rates(sums: Totals) -> dict[str, np.ndarray]:
    """How well each group is classified, (n_replicates, n_sets, n_groups) each; nan without texts.

    `macro_f1` is the mean F1 of the classes that occur among labels or predictions. The rates of errors, and the
    `selection_rate`, the share of texts with a positive prediction, have the names of fairlearn.
    """
    n = sums.negatives + sums.positives
    missed, true_negatives = sums.positives - sums.true_positives, sums.negatives - sums.false_positives
    errors = missed + sums.false_positives
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = np.array([2 * right / (2 * right + errors) for right in (sums.true_positives, true_negatives)])
        return {
            "accuracy": 1 - errors / n,
            "macro_f1": _mean(f1, axis=0),
            "selection_rate": (sums.false_positives + sums.true_positives) / n,
            "false_positive_rate": sums.false_positives / sums.negatives,
            "false_negative_rate": missed / sums.positives,
        }


def changes(sums: Totals) -> dict[str, np.ndarray]:
    """How labels change from the original (Table 5), as shares of all texts; shapes as for `rates`.

    `label_change` is both directions together, `selection_rate_change` one minus the other: as in Fig. 4 of the paper
    for each country.
    """
    n = sums.negatives + sums.positives
    to_positive, to_negative = sums.to_positive / n, sums.to_negative / n
    return {
        "to_positive": to_positive,
        "to_negative": to_negative,
        "label_change": to_positive + to_negative,
        "selection_rate_change": to_positive - to_negative,
    }


def shifts(sums: Totals, control: Totals) -> dict[str, np.ndarray]:
    """How probabilities change from the original (Table 4), and the effect; shapes as for `rates`.

    `quantity_up` and `quantity_down`: numbers of texts whose p rises and falls, for several prefixes their mean; an
    unchanged p counts as neither. `size_up` and `size_down`: the mean size of these changes, both positive, nan if
    there are none. `change`: the mean change of p over all texts. `effect`: that minus the change of the controls.
    control: of the control prefixes as one group.
    """
    n = sums.negatives + sums.positives
    of_controls = (control.up_size - control.down_size) / (control.negatives + control.positives)
    change = (sums.up_size - sums.down_size) / n
    with np.errstate(invalid="ignore"):
        sizes = {"size_up": sums.up_size / sums.up, "size_down": sums.down_size / sums.down}
    quantities = {"quantity_up": sums.up / sums.prefixes, "quantity_down": sums.down / sums.prefixes}
    return {**quantities, **sizes, "change": change, "effect": change - of_controls}


def events(sums: Totals) -> dict[str, np.ndarray]:
    """Texts of the rarer outcome of each share, and texts of each size, of a prefix: (n_replicates, n_sets, n_groups).

    By the variants of `rates`, `changes` and `shifts`; means have none.
    """
    n = sums.negatives + sums.positives
    missed = sums.positives - sums.true_positives
    wrong, chosen = missed + sums.false_positives, sums.false_positives + sums.true_positives
    changed = sums.to_positive + sums.to_negative
    shares = {"accuracy": (wrong, n), "macro_f1": (wrong, n), "selection_rate": (chosen, n)}
    shares |= {
        "false_positive_rate": (sums.false_positives, sums.negatives),
        "false_negative_rate": (missed, sums.positives),
    }
    shares |= {"to_positive": (sums.to_positive, n), "to_negative": (sums.to_negative, n), "label_change": (changed, n)}
    shares |= {"selection_rate_change": (changed, np.inf), "quantity_up": (sums.up, n), "quantity_down": (sums.down, n)}
    shares |= {"size_up": (sums.up, np.inf), "size_down": (sums.down, np.inf)}
    return {variant: np.minimum(part, whole - part) / sums.prefixes for variant, (part, whole) in shares.items()}


def over_sets(values: np.ndarray) -> np.ndarray:
    """(n_replicates, n_groups) means over the sets that have a value. values: (n_replicates, n_sets, n_groups)."""
    return _mean(values, axis=1)


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    """The mean of the values that are not nan; nan if there are none. Without numpy's warning."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0).sum(axis=axis) / known.sum(axis=axis)


def between_sets(values: np.ndarray) -> np.ndarray:
    """(n_replicates, n_groups) standard deviations over sets (n - 1), nan of one set. values: as `over_sets`."""
    if values.shape[1] < 2:
        return np.full((len(values), values.shape[2]), np.nan)
    return values.std(axis=1, ddof=1)


def rarefied_gaps(sums: Totals, n: int) -> dict[str, float]:
    """The average gaps between n of the groups, drawn without replacement, as means over sets (`GAPS`).

    The greatest of many rates minus the least is above 0 by noise alone, and grows with their number: gaps are compared
    at the same number. sums: one replicate. Equalised odds: the greater of the two error rates' gaps. For all groups
    these are `metric_frame_gaps`.
    """
    group_rates = rates(sums)
    gaps = {f"gap_{rate}": expected_range(group_rates[rate][0], n) for rate in _RATES}
    gaps["gap_equalized_odds"] = np.maximum(gaps["gap_false_positive_rate"], gaps["gap_false_negative_rate"])
    return {gap: float(values.mean()) for gap, values in gaps.items()}


def expected_range(values: np.ndarray, n: int) -> np.ndarray:
    """(...,) the mean of the greatest minus the least of n values drawn without replacement from the last axis.

    Of N sorted values the i-th is the greatest of n with probability C(i - 1, n - 1) / C(N, n) (Hurlbert 1971, for
    counts of species).
    """
    total = values.shape[-1]
    i = np.arange(n, total + 1)
    log_chance = gammaln(i) - gammaln(i - n + 1) - gammaln(n)
    chance = np.zeros(total)
    chance[n - 1 :] = np.exp(log_chance - (gammaln(total + 1) - gammaln(n + 1) - gammaln(total - n + 1)))
    return np.sort(values, axis=-1) @ (chance - chance[::-1])


def metric_frame_gaps(sums: Totals) -> dict[str, float]:
    """The gaps between the groups of each set, the greatest rate minus the least: for one replicate, by fairlearn's
    MetricFrame, as means over sets; nan if a class has no text."""
    if not (sums.negatives.all() and sums.positives.all()):
        return dict.fromkeys(GAPS, np.nan)
    by_set = pd.DataFrame([_of_set(sums, number) for number in range(sums.up.shape[1])])
    return by_set.mean().to_dict()


def _of_set(sums: Totals, number: int) -> dict[str, float]:
    """From the texts of each label, prediction and group, counted: the basis of all rates."""
    import fairlearn.metrics  # longer to import than most steps take

    hits, alarms = sums.true_positives[0, number], sums.false_positives[0, number]
    counts = np.array([[sums.negatives[0, 0] - alarms, alarms], [sums.positives[0, 0] - hits, hits]])
    label, predicted, group = (axis.ravel() for axis in np.indices(counts.shape))
    frame = fairlearn.metrics.MetricFrame(
        metrics={f"gap_{rate}": getattr(fairlearn.metrics, rate) for rate in _RATES},
        y_true=label,
        y_pred=predicted,
        sensitive_features=group,
        sample_params={f"gap_{rate}": {"sample_weight": counts.ravel()} for rate in _RATES},
    )
    gaps = frame.difference(method="between_groups").to_dict()
    # as `equalized_odds_difference`, which would go through every text again
    return gaps | {"gap_equalized_odds": max(gaps["gap_false_positive_rate"], gaps["gap_false_negative_rate"])}


def label_effects(p: np.ndarray, is_control: np.ndarray) -> np.ndarray:
    """(n_prefixes, n_examples) 1 if the label is positive and that of the controls is not, -1 for the reverse, else 0.

    The label is of the mean p over sets; that of the controls, of their mean. is_control: (n_prefixes,) of bool.
    """
    of_sets = p.mean(axis=0)
    return labels(of_sets).astype(np.int8) - labels(of_sets[is_control].mean(axis=0)).astype(np.int8)


def spread(effect: np.ndarray) -> np.ndarray:
    """Standard deviation (n - 1) over names, the last axis; nan with fewer than two. effect: (..., n_names) means."""
    if effect.shape[-1] < 2:
        return np.full(effect.shape[:-1], np.nan)
    return effect.std(axis=-1, ddof=1)


def groups(prefixes: pd.DataFrame) -> Iterator[tuple[str, list[str], np.ndarray]]:
    """The groups whose predictions are reported: unit, the groups' names, and the prefixes of each, (n_groups,
    n_prefixes).

    prefixes: rows of "task_prefixes". First every single prefix, by its unit. Then "continent", the countries of each;
    "all", the prefixes of each unit; and "without", for every country all countries but that one.
    """
    unit, name = prefixes["unit"].to_numpy(), prefixes["group"].to_numpy()
    units = list(dict.fromkeys(unit))
    alone = np.eye(len(prefixes))
    for kind in units:
        yield kind, name[unit == kind].tolist(), alone[unit == kind]
    is_country = unit == "country"
    continents = prefixes["continent"].to_numpy()
    continents_named = sorted(set(continents[is_country & prefixes["continent"].notna().to_numpy()]))
    if continents_named:
        yield (
            "continent",
            continents_named,
            np.array([is_country & (continents == continent) for continent in continents_named], float),
        )
    several = [kind for kind in units if kind != "original"]
    yield "all", several, np.array([unit == kind for kind in several], float)
    if is_country.sum() > 1:
        yield "without", name[is_country].tolist(), is_country - alone[is_country]
