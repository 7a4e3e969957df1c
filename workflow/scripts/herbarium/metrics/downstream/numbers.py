"""Perturbed predictions as tidy numbers: from probabilities through `metrics.downstream` to one row per measure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.downstream import score
from herbarium.statistics.inference import adjust, percentile_interval
from herbarium.statistics.tidy import tidy

METRIC = "downstream"
# Measures whose standard deviation over seeds is a row of its own.
_OF_SEEDS = ("accuracy", "macro_f1", "to_positive", "to_negative", "change", "effect")
_REGIONS, _NONSENSE = ("country", "city", "city_country"), "nonsense"
# Units whose groups are of several prefixes.
_POOLED = ("continent", "all", "without")
PERMUTATIONS = 9_999
# Texts of a class below which a row says how few there are.
_FEW = 30


def between(variant: str) -> str:
    """The name of the row with the standard deviation of a variant over seeds."""
    return f"{variant}_between_seeds"


def measure(
    model: str,
    task: str,
    p: np.ndarray,
    label: np.ndarray,
    prefixes: pd.DataFrame,
    truncated: np.ndarray,
    bootstrap: dict,
    tests: dict,
    seed: int,
) -> pd.DataFrame:
    """Tidy rows of metric "downstream" of one model and task; group "{task}/{group}", `n` the number of test texts.

    p: (n_seeds, n_prefixes, n_examples) probabilities of the positive class, p[:, 0] of the original texts. label:
    (n_examples,) 1 or 0. prefixes: rows of "task_prefixes", in the order of p. truncated: (n_prefixes,) how many texts
    were cut at the model's length. bootstrap: `replicates` over texts, whose draws are the same for every model, and
    `level` of the percentile intervals. tests: `correction` of the p-values, which are a family by variant and unit.

    Units and groups are those of `score.groups`. Unit "without" has the variants of `score.changes`; all
    others have those of `rates`, and but for "original" those of `changes` and `shifts`, where `effect` has a paired
    t-test over texts. A prefix by itself has also `label_effect`, the share of texts that its label is positive for and
    the controls' is not, minus the reverse, with McNemar's exact test. {variant}_between_seeds is the standard
    deviation of a variant over seeds.

    Unit "all" has also, of each unit's names: `absolute_effect`, the mean size of their effects, and `spread`, the
    standard deviation of these; `spread_ratio`, of regions to nonsense names, with its permutation test; and the gaps
    of `score.GAPS` between names, and between continents (group "{task}/continent"), beside which that of nonsense
    names shows what noise does.

    Raises ValueError where shapes do not agree, a probability is not one, or there is no control prefix.
    """
    given = _given(p, label, prefixes, bootstrap["replicates"], stream(seed, "bootstrap", METRIC, task))
    tables = []
    for found in (*_of_groups(given), *_of_names(given, seed, task)):
        estimates, *replicates = (score.over_seeds(values) for values in found.values)
        rows = pd.DataFrame({"group": found.groups, "estimate": estimates[0], "p_value": found.p_values})
        if replicates and len(replicates[0]) > 1:
            rows["std_error"] = replicates[0].std(axis=0, ddof=1)
            rows["ci_low"], rows["ci_high"] = percentile_interval(replicates[0], bootstrap["level"])
        remarks = (list(_remarks(of > 0, truncated, label, len(p))) for of in found.members)
        rows["note"] = [
            "; ".join(filter(None, [note, *of])) or None
            for note, of in zip(found.notes or [""] * len(rows), remarks, strict=True)
        ]
        tables.append(rows.assign(variant=found.variant, unit=found.unit))
    rows = pd.concat(tables, ignore_index=True)
    rows["p_adjusted"] = rows.groupby(["variant", "unit"])["p_value"].transform(adjust, method=tests["correction"])
    rows["group"] = f"{task}/" + rows["group"]
    return tidy(rows.assign(model=model, metric=METRIC, definition="paper", n=len(label)))


def _remarks(is_member: np.ndarray, truncated: np.ndarray, label: np.ndarray, n_seeds: int) -> Iterator[str]:
    """What is to be said of a number of these prefixes, (n_prefixes,) of bool."""
    if cut := int(truncated[is_member].sum()):
        yield f"{cut} of {is_member.sum() * len(label)} texts were cut at the model's length"
    if (few := min(label.sum(), (label == 0).sum())) < _FEW:
        yield f"few texts: {few} of a class"
    if n_seeds == 1:
        yield "one seed"


@dataclass(frozen=True)
class _Given:
    """Predictions, and what all numbers are made from. Pairs are of the estimates and of their replicates."""

    prefixes: pd.DataFrame
    sums: list[score.Totals]  # of every prefix
    controls: list[score.Totals]  # of the control prefixes as one group
    effect: np.ndarray  # (n_prefixes, n_examples)
    label_effect: np.ndarray  # likewise
    mean_label_effect: list[np.ndarray]  # (n_replicates, n_prefixes)


def _given(
    p: np.ndarray, label: np.ndarray, prefixes: pd.DataFrame, replicates: int, random: np.random.Generator
) -> _Given:
    if p.ndim != 3 or p.shape[1:] != (len(prefixes), len(label)):
        raise ValueError(f"p is {p.shape}, not (seeds, {len(prefixes)} prefixes, {len(label)} texts)")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p must be probabilities")
    if not np.isin(label, [0, 1]).all():
        raise ValueError("a label is 1 or 0")
    kinds = prefixes["kind"].to_numpy()
    if kinds[0] != "original" or (kinds == "original").sum() != 1:
        raise ValueError("the first prefix, and no other, is that of the original texts")
    is_control = kinds == "control"
    if not is_control.any():
        raise ValueError("no control prefix: an effect is what a region does beyond these")
    weights = [np.ones((1, len(label)), np.uint16), score.draws(len(label), replicates, random)]
    sums = [score.totals(p, label, of) for of in weights]
    label_effect = score.label_effects(p, is_control)
    return _Given(
        prefixes,
        sums,
        [of.pooled(is_control[None].astype(float)) for of in sums],
        score.effects(p, is_control),
        label_effect,
        [score.weighted_means(of, label_effect) for of in weights],
    )


@dataclass(frozen=True)
class _Found:
    """A variant of the groups of a unit."""

    unit: str
    variant: str
    groups: list[str]
    members: np.ndarray  # (n_groups, n_prefixes) which prefixes each is of
    values: list[np.ndarray]  # estimates (1, n_seeds, n_groups), and replicates (n_replicates, n_seeds, n_groups)
    p_values: np.ndarray | float = np.nan  # (n_groups,)
    notes: list[str] | None = None  # of each group, "" where there is nothing to be said


def _of_groups(given: _Given) -> Iterator[_Found]:
    """What every prefix and group of prefixes has."""
    for unit, groups, members in score.groups(given.prefixes):
        place = {"unit": unit, "groups": groups, "members": members}
        pooled = [of.pooled(members) for of in given.sums]
        by_variant = [_variants(unit, *of) for of in zip(pooled, given.controls, strict=True)]
        for variant in by_variant[0]:
            values = [of[variant] for of in by_variant]
            p_values, notes = np.nan, None
            if variant == "effect":
                p_values = score.paired_t(members @ given.effect / members.sum(axis=1, keepdims=True))
                notes = ["no test: all texts have one effect" if untested else "" for untested in np.isnan(p_values)]
            elif variant in ("size_up", "size_down"):
                none = np.isnan(score.over_seeds(values[0])[0])
                notes = ["no text changes so" if of else "" for of in none]
            yield _Found(variant=variant, values=values, p_values=p_values, notes=notes, **place)
            if variant in _OF_SEEDS and unit != "without":
                of_seeds = score.between_seeds(values[0])[:, None]
                yield _Found(variant=between(variant), values=[of_seeds], **place)
        if unit not in ("original", *_POOLED):
            p_values = score.exact_mcnemar(given.label_effect[members.argmax(axis=1)])
            values = [(of @ members.T)[:, None] for of in given.mean_label_effect]
            yield _Found(variant="label_effect", values=values, p_values=p_values, **place)


def _variants(unit: str, of: score.Totals, control: score.Totals) -> dict[str, np.ndarray]:
    if unit == "original":
        return score.rates(of)
    if unit == "without":
        return score.changes(of)
    return score.rates(of) | score.changes(of) | score.shifts(of, control)


def _of_names(given: _Given, seed: int, task: str) -> Iterator[_Found]:
    """What the names of a unit have together, and the continents."""
    by_unit = {unit: (groups, members) for unit, groups, members in score.groups(given.prefixes)}
    effects = [score.over_seeds(score.shifts(*of)["effect"]) for of in zip(given.sums, given.controls, strict=True)]
    is_nonsense = (given.prefixes["unit"] == _NONSENSE).to_numpy()
    of_nonsense = [of[:, is_nonsense] for of in effects]
    for unit, (groups, members) in by_unit.items():
        if unit in ("original", "all", "without"):
            continue
        place = {"unit": "all", "groups": [unit], "members": members.sum(axis=0, keepdims=True)}
        notes = [f"{len(groups)} {'continents' if unit == 'continent' else 'names'}"]
        pooled = [of.pooled(members) for of in given.sums]
        estimates, replicates = score.metric_frame_gaps(pooled[0]), score.group_gaps(pooled[1])
        for gap in score.GAPS:
            values = [np.full((1, 1, 1), estimates[gap]), replicates[gap][..., None]]
            yield _Found(variant=gap, values=values, notes=notes, **place)
        if unit == "continent":
            continue
        of_names = [of @ members.T for of in effects]
        together = {"absolute_effect": lambda x: np.abs(x).mean(axis=1), "spread": score.spread}
        for variant, statistic in together.items():
            values = [statistic(of)[:, None, None] for of in of_names]
            yield _Found(variant=variant, values=values, notes=notes, **place)
        if unit in _REGIONS:
            values = [score.spread_ratio(*of)[:, None, None] for of in zip(of_names, of_nonsense, strict=True)]
            random = stream(seed, "permutation", METRIC, task, unit)
            p_value = score.spread_p_value(of_names[0][0], of_nonsense[0][0], PERMUTATIONS, random)
            note = f"{len(groups)} names and {of_nonsense[0].shape[1]} of nonsense"
            if np.isnan(values[0]).any():
                note += ": no ratio, names are too few or have one effect"
            yield _Found(variant="spread_ratio", values=values, p_values=p_value, notes=[note], **place)
