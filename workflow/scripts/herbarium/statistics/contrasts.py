"""Contrasts of sentences that differ in one thing: their numbers, tests and resamples, for any score.

What is compared within a set of sentences is a `within_sets.Contrast`.

The unit of inference is a *unit*: a set, or all sets with the same value of a column, such as an occupation. A unit
counts once, by the mean over its sets. Under the null hypothesis of every test the sides of a unit are exchangeable
(`randomisation`), and units are independent of one another.

If each set has units of two kinds, such as the two occupations of a sentence, these may be *crossed*: every set counts
once, and errors are clustered both ways (`clustered.two_way`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd
import scipy  # imports its parts when they are first used

from herbarium.core.random import stream
from herbarium.statistics import randomisation
from herbarium.statistics.clustered import too_few, two_way
from herbarium.statistics.inference import Mean, adjust, least_bound, sample_mean, t_interval, t_p_value
from herbarium.statistics.repeats import remark
from herbarium.statistics.sets import ALL, Sets, varies
from herbarium.statistics.shares import share_interval
from herbarium.statistics.tidy import tidy
from herbarium.statistics.within_sets import ACCURACY, Contrast, Scale

BOUND = "_equivalence_bound"  # suffix of a variant
COLUMNS = [
    *("group", "side", "estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted", "equivalence_bound"),
    *("n", "over", "n_sets", "n_left_out", "note"),
]


def numbers(data: Sets, contrast: Contrast, level: float, correction: str, seed: int, *name: object) -> pd.DataFrame:
    """One row per group (`ALL` first) and number of a contrast (`side`), with COLUMNS.

    level: coverage of the intervals. correction: as in `inference.adjust`; the rows of ALL are one family, those of all
    other groups another. seed, name: of the tests' random streams. `n` counts units, which `over` names, `n_sets` the
    sets in them, and `n_left_out` sets that cannot be compared. `equivalence_bound`: the smallest distance from the
    null value within which two one-sided tests at 1 - level place the number, before adjustment. A group without a
    complete set has a row without numbers; whatever cannot be computed is null, and the note says why.
    """
    records = []
    for group, sets_of in data.by_group():
        whole = contrast.comparable(sets_of)
        n_left_out = len(sets_of.values) - len(whole.values)
        of_sets = [*_left_out(sets_of, contrast), _lengths(whole), _repeats(whole)]
        random = stream(seed, *name, "randomisation", group)
        for row in _rows(whole, contrast, level, random):
            notes = [*row.pop("notes"), *of_sets]
            counts = {"over": whole.over, "n_sets": len(whole.values), "n_left_out": n_left_out}
            records.append(row | counts | {"group": group, "note": "; ".join(filter(None, notes)) or None})
    table = pd.DataFrame(records).reindex(columns=COLUMNS)
    for rows in (table["group"] == ALL, table["group"] != ALL):
        table.loc[rows, "p_adjusted"] = adjust(table.loc[rows, "p_value"].to_numpy(float), correction)
    return table


def tidied(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `numbers` as tidy rows; then the smallest equivalence bound of each that has one, variant + BOUND.

    rows: with the key columns of a tidy row.
    """
    bounds = rows[["model", "metric", "definition", "unit", "group", "n", "over"]].assign(
        variant=rows["variant"] + BOUND, estimate=rows["equivalence_bound"]
    )
    rows = rows.drop(columns=["side", "n_sets", "n_left_out", "equivalence_bound"])
    return pd.concat([tidy(rows), tidy(bounds.dropna(subset="estimate"))], ignore_index=True)


def replicates(data: Sets, contrast: Contrast, n: int, seed: int, *name: object) -> pd.DataFrame:
    """The estimates of `numbers` on n resamples of units: `group`, `side`, `replicate`, `value`.

    Units are drawn with replacement from all of a group, including those without a score, so that replicates of two
    models share their draws; a replicate in which no unit has a score is left out.
    """
    tables = [pd.DataFrame(columns=["group", "side", "replicate", "value"])]
    for group, sets_of in data.by_group():
        random = stream(seed, *name, "bootstrap", group)
        if sets_of.crossed is None:
            units = dict.fromkeys(sets_of.unit)
            drawn = random.multinomial(len(units), [1 / len(units)] * len(units), size=n)
            units_of = by_unit(contrast.comparable(sets_of), contrast)
            units_of = units_of.reindex(list(units))
            has = units_of.notna().all(axis=1).to_numpy()
            values = units_of.to_numpy(float)[has]
        else:  # units of both kinds are drawn (Owen 2007, Ann. Appl. Stat. 1, 386-411)
            drawn, has = _drawn_crossed(sets_of.crossed, n, random), contrast.has_value(sets_of)
            values = contrast.by_set(sets_of.of(has))
        with np.errstate(invalid="ignore"):
            means = drawn[:, has] @ values / drawn[:, has].sum(axis=1)[:, None]
        if contrast.derived:
            means = np.column_stack([means, contrast.derived.of_means(sets_of, means)])
        for side, values in zip(contrast.rows(data.sides), means.T, strict=True):
            table = pd.DataFrame({"group": group, "side": side, "replicate": np.arange(n), "value": values})
            tables.append(table.dropna(subset="value"))
    return pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)


def _drawn_crossed(crossed: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """How often each set occurs in n resamples, (n, n_sets): the product of the counts of its two units."""
    drawn = np.ones((n, len(crossed)), dtype=int)
    for way in crossed.T:
        names, place = np.unique(way, return_inverse=True)
        drawn *= random.multinomial(len(names), [1 / len(names)] * len(names), size=n)[:, place]
    return drawn


def by_unit(data: Sets, contrast: Contrast) -> pd.DataFrame:
    """The values of a contrast for each unit, as means over its sets, which are complete: one row per unit, one column
    per mean of the contrast."""
    return pd.DataFrame(contrast.by_set(data)).groupby(data.unit, sort=False).mean()


def differences(before: Sets, after: Sets, contrast: Contrast) -> list[tuple[str | None, Mean | None]]:
    """The difference of a contrast over all sets between two models, by side: the mean over units of its difference,
    over sets that are complete in both. None with fewer than two units.

    before, after: scores of the same sentences.
    """
    whole = contrast.has_value(before) & contrast.has_value(after)
    sides = contrast.means(before.sides)
    if before.crossed is not None:
        first, second = (contrast.by_set(data.of(whole)) for data in (before, after))
        crossed = before.crossed[whole]
        return [(side, two_way(change, crossed)) for side, change in zip(sides, (second - first).T, strict=True)]
    first, second = (by_unit(data.of(whole), contrast) for data in (before, after))
    mean_changes = []
    for side, column in zip(sides, first, strict=True):
        change = (second[column] - first[column]).to_numpy(float)
        mean_changes.append((side, sample_mean(change) if len(change) > 1 else None))
    if contrast.derived and len(first) > 1:
        both, n_means, of_sets = np.column_stack([first, second]), len(sides), contrast.derived.of_means

        def of_means(means: np.ndarray) -> np.ndarray:
            return of_sets(after, means[..., n_means:]) - of_sets(before, means[..., :n_means])

        mean_changes += zip(contrast.derived.sides, jackknife(both, of_means), strict=True)
    return mean_changes


def n_compared(before: Sets, after: Sets, contrast: Contrast) -> int:
    """The units of `differences`; if crossed, of the kind with fewer."""
    return before.of(contrast.has_value(before) & contrast.has_value(after)).n


def jackknife(values: np.ndarray, of_means: Callable[[np.ndarray], np.ndarray]) -> list[Mean]:
    """Functions of means over units, with their jackknife errors, one unit left out at a time (Tukey 1958; Efron and
    Stein 1981). values: (n_units, k), two at least. of_means: (..., k) -> (..., n_functions)."""
    n, total = len(values), values.sum(axis=0)
    without = of_means((total - values) / (n - 1))
    return [
        Mean(float(value), float((n - 1) / n * ((left - left.mean()) ** 2).sum()), n - 1)
        for value, left in zip(of_means(total / n), without.T, strict=True)
    ]


def difference_at_random(data: Sets, n: int, random: np.random.Generator) -> np.ndarray:
    """(n,) differences of accuracies under exchangeable conditions, the null distribution of its test: by sign flips
    within units, or for crossed units by t. Empty if it has no test.

    data: at least two complete sets, with the sides of two conditions.
    """
    if data.crossed is None:
        values = by_unit(data, ACCURACY).to_numpy(float)[:, -1]
        return random.choice([-1.0, 1.0], size=(n, len(values))) @ values / len(values)
    values = ACCURACY.by_set(data)[:, -1]
    mean = two_way(values, data.crossed)
    if too_few(data.n, mean) or not varies(values):
        return np.empty(0)
    return mean.std_error * scipy.stats.t.ppf((np.arange(n) + 0.5) / n, mean.df)


def _crossed_rows(data: Sets, contrast: Contrast, level: float) -> Iterator[dict]:
    """As `_rows`, for crossed units: tested by t."""
    for side, of_side in zip(contrast.means(data.sides), contrast.by_set(data).T, strict=True):
        row, scale = {"side": side, "n": data.n, "estimate": of_side.mean(), "notes": []}, contrast.scale(side)
        mean = two_way(of_side, data.crossed)
        if few := too_few(data.n, mean):
            row |= {"notes": [few]}
        elif varies(of_side):
            row |= _inferred(mean, of_side, np.full(len(of_side), 1 / len(of_side)), scale, level)
            row |= {"p_value": t_p_value(mean._replace(estimate=mean.estimate - scale.null))}
        else:
            row |= {"notes": [f"every set has the same value, {row['estimate']:.3g}"]}
        yield row


def _rows(data: Sets, contrast: Contrast, level: float, random: np.random.Generator) -> Iterator[dict]:
    """Estimate, interval and p-value of each row of a group of complete sets, and `notes`."""
    if not len(data.values):
        for side in contrast.rows(data.sides):
            yield {"side": side, "n": 0, "notes": ["no set can be compared"]}
        return
    if data.crossed is not None and data.n == len(data.values):  # no two sets share a unit
        data = replace(data, unit=data.crossed[:, 0], crossed=None, by_set=True)
    if data.crossed is not None:
        yield from _crossed_rows(data, contrast, level)
        return
    units_of = by_unit(data, contrast)
    values, n = units_of.to_numpy(float), len(units_of)
    labels = contrast.n_labels(data.sides)
    least, weak = randomisation.least_p_value(n, labels), []
    if least > 1 - level:
        enough = (k for k in range(n, n + 20) if randomisation.least_p_value(k, labels) <= 1 - level)
        needed = "".join(f": a test needs at least {k}" for k in islice(enough, 1))
        weak = [f"{n} {'unit' if n == 1 else 'units'} can give no p below {least:.2g}{needed}"]
    sides = contrast.means(data.sides)
    scales = [contrast.scale(side) for side in sides]
    if contrast.of_pairs and data.by_set:
        is_first = values[:, 0] > 0
        row, narrower = contrast.of_pairs(is_first, level), contrast.of_pairs(is_first, 2 * level - 1)
        bound = least_bound(narrower["ci_low"], narrower["ci_high"], scales[0].null)
        yield {"side": None, "n": n, "notes": weak} | row | {"equivalence_bound": bound}
        return
    p_values = _p_values(values - [scale.null for scale in scales], contrast, random)
    weights = data.weights
    for side, of_side, of_sets, scale, p in zip(
        sides, values.T, contrast.by_set(data).T, scales, p_values, strict=True
    ):
        if (of_side == scale.null).all():
            p = np.nan  # no unit leans either way: that is no evidence
        row, remark = {"estimate": of_side.mean()}, ""
        if n > 1 and varies(of_side):
            row |= _inferred(sample_mean(of_side), of_sets, weights, scale, level)
        elif n > 1:
            remark = f"every unit has the same value, {row['estimate']:.3g}"
        yield {"side": side, "n": n, "p_value": p, "notes": [*weak, remark]} | row
    if contrast.derived:
        yield from _derived_rows(data, contrast, values, level)


def _p_values(around: np.ndarray, contrast: Contrast, random: np.random.Generator) -> Sequence[float]:
    """The p-value of each mean, nan without a null value. around: (n_units, n_means), values minus null values."""
    if contrast.exchanges_sides:
        return randomisation.exchange(around, random)
    is_tested = np.isfinite(around).all(axis=0)
    return [
        randomisation.sign_flip(of_row, random) if is_one else np.nan
        for of_row, is_one in zip(around.T, is_tested, strict=True)
    ]


def _derived_rows(data: Sets, contrast: Contrast, values: np.ndarray, level: float) -> Iterator[dict]:
    """As `_rows`, the numbers that are not means: without a test, since the means are tested. values: (n_units,
    n_means)."""
    sides, of_means, inferred = contrast.derived
    estimates = dict(zip(sides, of_means(data, values.mean(axis=0)).tolist(), strict=True))
    means = jackknife(values, partial(of_means, data)) if len(values) > 1 else [None] * len(sides)
    for (side, estimate), mean in zip(estimates.items(), means, strict=True):
        row = {"side": side, "n": len(values), "estimate": estimate, "notes": []}
        yield row | inferred(data, side, estimates, mean, level)


def _inferred(mean: Mean, of_sets: np.ndarray, weights: np.ndarray, scale: Scale, level: float) -> dict[str, float]:
    """Standard error, interval and equivalence bound of a mean of sets. of_sets, weights: (n_sets,), values, and their
    weights in the mean."""
    if scale.is_share:
        low, high = share_interval(mean, of_sets, weights, level)
        narrower = share_interval(mean, of_sets, weights, 2 * level - 1)
    else:
        low, high = scale.clipped(t_interval(mean, level))
        narrower = t_interval(mean, 2 * level - 1)
    bound = least_bound(*narrower, scale.null)
    return {"std_error": mean.std_error, "ci_low": low, "ci_high": high, "equivalence_bound": bound}


def _left_out(sets_of: Sets, contrast: Contrast) -> Iterator[str]:
    whole = sets_of.is_whole
    for n, why in (
        ((~whole).sum(), "a sentence has no score"),
        ((whole & contrast.is_tied(sets_of)).sum(), "sentences have the same score"),
    ):
        if n:
            yield f"{n} of {len(whole)} sets left out: {why}"


def _lengths(data: Sets) -> str:
    n = 0 if data.differs is None else data.differs.sum()
    return f"in {n} of {len(data.values)} sets the sentences differ in their number of tokens" if n else ""


def _repeats(data: Sets) -> str | None:
    return None if data.alike is None else remark(len(data.alike), len(set(data.alike)), "sets")
