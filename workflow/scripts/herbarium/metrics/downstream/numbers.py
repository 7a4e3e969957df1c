"""Perturbed predictions as tidy numbers: from probabilities through `metrics.downstream` to one row per measure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # imports its parts when they are first used

from herbarium.core.random import stream
from herbarium.metrics.downstream import names, score
from herbarium.statistics.inference import adjust
from herbarium.statistics.items import items as items_of
from herbarium.statistics.repeats import remark
from herbarium.statistics.tidy import tidy, with_note

METRIC = "downstream"
# Measures with a separate row for the standard deviation over training sets.
_OF_SETS = ("accuracy", "macro_f1", "to_positive", "to_negative", "change", "effect")
REGIONS, NONSENSE = ("country", "city", "city_country"), "nonsense"
# Units whose groups are of several prefixes.
_POOLED = ("continent", "all", "without")
# The effects of regions beyond made-up names (`names`): of each, and the spread of all.
EXCESS, EXCESS_SPREAD = "excess", "excess_spread"
# Rates of simulated studies in which 28 % of all names react twice as strongly: studies/validity.
_UNEQUAL = (
    "some names react more strongly than others, or a few regions differ greatly; if it is the names, the interval of "
    "the spread misses in .09 to .12 of simulated studies without bias, and some region is distinguished after "
    "adjustment in .12 to .24"
)
# With fewer texts of a class, a row has a note.
_FEW = 30
FEWEST_EVENTS = 10


def between(variant: str) -> str:
    """The name of the row with the standard deviation of a variant over training sets."""
    return f"{variant}_between_sets"


def measure(
    model: str,
    task: str,
    log_odds: np.ndarray,
    label: np.ndarray,
    prefixes: pd.DataFrame,
    truncated: np.ndarray,
    bootstrap: dict,
    tests: dict,
    seed: int,
    alike: np.ndarray | None = None,
) -> pd.DataFrame:
    """Tidy rows of metric "downstream" of one model and task; group "{task}/{group}", `n` the number of test texts that
    differ.

    log_odds: (n_sets, n_prefixes, n_examples) of the positive class, log_odds[:, 0] of the original texts; for a
    published classifier n_sets is 1. label: (n_examples,) 1 or 0. prefixes: rows of "task_prefixes", in the order of
    log_odds. truncated: (n_prefixes,) the number of texts cut at the model's length. bootstrap: `replicates` over
    texts, whose draws are the same for every model, and `level` of the intervals. tests: `correction` of the p-values.
    alike: (n_examples,) the number of the first text that each is alike (`repeats`): they are drawn together; None: all
    differ.

    Valid for any training set, in log-odds, is `excess`, for each country and city, with interval and p-value against
    made-up names (one family per unit), and for each made-up name its distance from their mean; and, unit "all", the
    spread of these beyond that of made-up names, `excess_spread` (`names`).

    Everything else describes these classifiers, in probabilities and labels, with intervals over texts and without
    p-values. Units and groups are those of `score.groups`. Unit "without" has the variants of `score.changes`; all
    others have those of `rates`, and, except "original", those of `changes` and `shifts`. A single prefix also has
    `label_effect`, the share of texts whose label is positive with it but not with the controls, minus the reverse. A
    share has no interval if fewer than FEWEST_EVENTS texts have either outcome.
    {variant}_between_sets is the standard deviation of a variant over training sets.

    Unit "all" also has, for each unit's names and without intervals: `absolute_effect`, the mean size of their effects;
    `spread`, the standard deviation of these; and the gaps of `score.GAPS` between names, and between continents (group
    "{task}/continent"); {gap}_rarefied, for the same number of names as are made up.

    Raises ValueError if shapes do not agree, a number is not finite, or there is no control prefix.
    """
    unit = np.arange(len(label)) if alike is None else alike
    _, firsts, place = np.unique(unit, return_index=True, return_inverse=True)
    n, fewest = len(firsts), min((label[firsts] == 1).sum(), (label[firsts] == 0).sum())
    given = _given(log_odds, label, prefixes, bootstrap["replicates"], stream(seed, "bootstrap", METRIC, task), place)
    tables = [_beyond_names(log_odds, prefixes, bootstrap["level"], truncated, fewest)]
    for group_values in (*_of_groups(given), *_of_names(given)):
        estimates, *replicates = (score.over_sets(values) for values in group_values.values)
        rows = pd.DataFrame({"group": group_values.groups, "estimate": estimates[0]})
        if replicates and len(replicates[0]) > 1:
            rows = rows.join(_interval(estimates[0], replicates[0], group_values.n_events, n, bootstrap["level"]))
        rows["note"] = [
            "; ".join(filter(None, [note, *_remarks(truncated_share > 0, truncated, fewest, log_odds)])) or None
            for note, truncated_share in zip(group_values.all_notes(len(rows)), group_values.members, strict=True)
        ]
        tables.append(rows.assign(variant=group_values.variant, unit=group_values.unit))
    rows = pd.concat(tables, ignore_index=True)
    rows["p_adjusted"] = rows.groupby(["variant", "unit"])["p_value"].transform(adjust, method=tests["correction"])
    rows["group"] = f"{task}/" + rows["group"]
    over = "texts" if n == len(label) else "different texts"
    rows = tidy(rows.assign(model=model, metric=METRIC, definition="paper", n=n), over=over)
    return with_note(rows, remark(len(label), n, "test texts"))


def _interval(
    estimates: np.ndarray, replicates: np.ndarray, n_events: np.ndarray | float, n: int, level: float
) -> pd.DataFrame:
    """Standard errors over n texts, and intervals by Student's t: percentiles of so few are too close together."""
    std_error = replicates.std(axis=0, ddof=1) * np.sqrt(n / (n - 1))
    std_error = np.where(n_events < FEWEST_EVENTS, np.nan, std_error)
    half = scipy.stats.t.ppf((1 + level) / 2, n - 1) * std_error
    return pd.DataFrame({"std_error": std_error, "ci_low": estimates - half, "ci_high": estimates + half})


def _beyond_names(
    log_odds: np.ndarray, prefixes: pd.DataFrame, level: float, truncated: np.ndarray, fewest: int
) -> pd.DataFrame:
    """Rows of `excess` and `excess_spread`."""
    y = log_odds.mean(axis=2)
    unit, group = prefixes["unit"].to_numpy(), prefixes["group"].to_numpy()
    nonsense = y[:, unit == NONSENSE]
    if not nonsense.shape[1]:
        return pd.DataFrame({"p_value": pd.Series(dtype=float)})
    of_names = {"variant": EXCESS, "unit": NONSENSE, "group": group[unit == NONSENSE]}
    tables = [pd.DataFrame(of_names | {"estimate": nonsense.mean(axis=0) - nonsense.mean()})]
    for region_unit in (region_unit for region_unit in REGIONS if (unit == region_unit).any()):
        regions, is_of = y[:, unit == region_unit], unit == region_unit
        effects = names.beyond(regions, nonsense)
        low, high = effects.interval(level)
        numbers = {"estimate": effects.estimate, "std_error": effects.std_error, "ci_low": low, "ci_high": high}
        if names.is_testable(nonsense):
            reason = _UNEQUAL if names.react_unequally(regions) else None
        else:
            reason = _untested(nonsense)
        rows = pd.DataFrame({"variant": EXCESS, "unit": region_unit, "group": group[unit == region_unit]} | numbers)
        tables.append(rows.assign(p_value=effects.p_values(), note=reason))
        estimate, low, high = names.excess_spread(regions, nonsense, level)
        counted = f"{is_of.sum()} names and {nonsense.shape[1]} made up"
        remarks = filter(None, [counted, reason, *_remarks(is_of, truncated, fewest, log_odds)])
        numbers = {"estimate": estimate, "ci_low": low, "ci_high": high, "note": "; ".join(remarks)}
        tables.append(pd.DataFrame([{"variant": EXCESS_SPREAD, "unit": "all", "group": region_unit} | numbers]))
    return pd.concat(tables, ignore_index=True)


def _untested(nonsense: np.ndarray) -> str:
    """Why nothing is tested. nonsense: (n_sets, n_names)."""
    if len(nonsense) == 1:
        return "no test: variation over training sets is not known"
    return f"no test: fewer than {names.FEWEST} made-up names"


def _remarks(is_member: np.ndarray, truncated: np.ndarray, fewest: int, log_odds: np.ndarray) -> Iterator[str]:
    """The note about a number of these prefixes, (n_prefixes,) of bool. fewest: different texts of a class."""
    if cut := int(truncated[is_member].sum()):
        yield f"{cut} of {is_member.sum() * log_odds.shape[2]} texts were cut at the model's length"
    if fewest < _FEW:
        yield f"few texts: {fewest} in a class"
    if len(log_odds) == 1:
        yield "one training set"


@dataclass(frozen=True)
class _Given:
    """Predictions, and the basis of all numbers. Pairs are of the estimates and of their replicates."""

    prefixes: pd.DataFrame
    sums: list[score.Totals]  # of every prefix
    controls: list[score.Totals]  # of the control prefixes as one group
    n_label_effects: np.ndarray  # (n_prefixes,) different texts whose label changes
    share: float  # of texts, those that differ
    mean_label_effect: list[np.ndarray]  # (n_replicates, n_prefixes)


def _given(
    log_odds: np.ndarray,
    label: np.ndarray,
    prefixes: pd.DataFrame,
    replicates: int,
    random: np.random.Generator,
    place: np.ndarray,
) -> _Given:
    """place: (n_examples,) the number of the different text that each is."""
    if log_odds.ndim != 3 or log_odds.shape[1:] != (len(prefixes), len(label)):
        raise ValueError(f"log-odds are {log_odds.shape}, not (sets, {len(prefixes)} prefixes, {len(label)} texts)")
    if not np.isfinite(log_odds).all():
        raise ValueError("log-odds must be finite")
    if not np.isin(label, [0, 1]).all():
        raise ValueError("a label is 1 or 0")
    kinds = prefixes["kind"].to_numpy()
    if kinds[0] != "original" or (kinds == "original").sum() != 1:
        raise ValueError("the first prefix, and no other, must be that of the original texts")
    is_control = kinds == "control"
    if not is_control.any():
        raise ValueError("no control prefix: effects of regions are relative to these")
    p = scipy.special.expit(log_odds)
    n = len(np.unique(place))
    weights, share = [np.ones((1, len(label)), np.uint16), score.draws(n, replicates, random)[:, place]], n / len(label)
    sums = [score.totals(p, label, weight_matrix) for weight_matrix in weights]
    label_effect = score.label_effects(p, is_control)
    return _Given(
        prefixes,
        sums,
        [total.pooled(is_control[None].astype(float)) for total in sums],
        np.abs(label_effect).sum(axis=1) * share,
        share,
        [score.weighted_means(weight_matrix, label_effect) for weight_matrix in weights],
    )


@dataclass(frozen=True)
class _Found:
    """A variant of the groups of a unit."""

    unit: str
    variant: str
    groups: list[str]
    members: np.ndarray  # (n_groups, n_prefixes) which prefixes each is of
    values: list[np.ndarray]  # estimates (1, n_sets, n_groups), and replicates (n_replicates, n_sets, n_groups)
    notes: list[str] | None = None  # of each group, "" without a note
    # (n_groups,) different texts of the rarer outcome of a share: if few, resampled texts do not show its error
    n_events: np.ndarray | float = np.inf

    def all_notes(self, n: int) -> list[str]:
        few = np.broadcast_to(self.n_events < FEWEST_EVENTS, n)
        reasons = np.where(few, f"no interval: fewer than {FEWEST_EVENTS} such texts, or others", "").tolist()
        return ["; ".join(filter(None, parts)) for parts in zip(self.notes or [""] * n, reasons, strict=True)]


def _of_groups(given: _Given) -> Iterator[_Found]:
    """The numbers of every prefix and group of prefixes."""
    for unit, groups, members in score.groups(given.prefixes):
        place = {"unit": unit, "groups": groups, "members": members}
        pooled = [totals.pooled(members) for totals in given.sums]
        events = score.events(pooled[0])
        by_variant = [_variants(unit, *totals) for totals in zip(pooled, given.controls, strict=True)]
        for variant in by_variant[0]:
            values = [variants[variant] for variants in by_variant]
            notes = None
            if variant in ("size_up", "size_down"):
                none = np.isnan(score.over_sets(values[0])[0])
                notes = ["no text changes so" if is_none else "" for is_none in none]
            n_events = given.share * score.over_sets(events[variant])[0] if variant in events else np.inf
            yield _Found(variant=variant, values=values, notes=notes, n_events=n_events, **place)
            if variant in _OF_SETS and unit != "without":
                of_sets = score.between_sets(values[0])[:, None]
                yield _Found(variant=between(variant), values=[of_sets], **place)
        if unit not in ("original", *_POOLED):
            values = [(effect @ members.T)[:, None] for effect in given.mean_label_effect]
            yield _Found(variant="label_effect", values=values, n_events=members @ given.n_label_effects, **place)


def _variants(unit: str, totals: score.Totals, control: score.Totals) -> dict[str, np.ndarray]:
    if unit == "original":
        return score.rates(totals)
    if unit == "without":
        return score.changes(totals)
    return score.rates(totals) | score.changes(totals) | score.shifts(totals, control)


def _of_names(given: _Given) -> Iterator[_Found]:
    """Joint numbers of a unit's names, and of the continents: without intervals, since resampled texts add noise, so
    that replicates lie above the estimate."""
    sums, controls = given.sums[0], given.controls[0]
    effects = score.over_sets(score.shifts(sums, controls)["effect"])
    n_nonsense = int((given.prefixes["unit"] == NONSENSE).sum())
    for unit, groups, members in score.groups(given.prefixes):
        if unit in ("original", "all", "without"):
            continue
        kind = "continents" if unit == "continent" else "names"
        place = {"unit": "all", "groups": [unit], "members": members.sum(axis=0, keepdims=True)}
        pooled = sums.pooled(members)
        gap_values = {gap: (value, len(groups)) for gap, value in score.metric_frame_gaps(pooled).items()}
        if 1 < n_nonsense < len(groups):
            rarefied = score.rarefied_gaps(pooled, n_nonsense)
            gap_values |= {f"{gap}_rarefied": (value, n_nonsense) for gap, value in rarefied.items()}
        if unit != "continent":
            of_names = effects @ members.T
            gap_values["absolute_effect"] = np.abs(of_names).mean(), len(groups)
            gap_values["spread"] = score.spread(of_names)[0], len(groups)
        for variant, (value, n) in gap_values.items():
            notes = [f"{n} {kind}" if n == len(groups) else f"{n} of {len(groups)} {kind}, on average"]
            yield _Found(variant=variant, values=[np.full((1, 1, 1), value)], notes=notes, **place)


def items(model: str, task: str, log_odds: np.ndarray, prefixes: pd.DataFrame) -> pd.DataFrame:
    """The values of each text and training set for each country: rows `model, metric, measure, object, word, form,
    value`.

    Arguments as for `measure`. measure: "{task}/excess". object: the country's identifier. word: the number of the
    text. form: that of the training set. value: log-odds with the country minus the mean of those with made-up names,
    for the same text and set; its mean over both is the country's `excess`. No rows without made-up names.
    """
    unit = prefixes["unit"].to_numpy()
    if not (unit == NONSENSE).any():
        return items_of(pd.DataFrame())
    value = log_odds - log_odds[:, unit == NONSENSE].mean(axis=1, keepdims=True)
    at_set, at_country, at_text = (axis.ravel() for axis in np.indices(value[:, unit == "country"].shape))
    rows = pd.DataFrame(
        {
            "model": model,
            "metric": METRIC,
            "measure": f"{task}/{EXCESS}",
            "object": prefixes["group"].to_numpy()[unit == "country"][at_country],
            "word": at_text.astype(str),
            "form": (1 + at_set).astype(str),
            "value": value[:, unit == "country"].ravel(),
        }
    )
    return items_of(rows)
