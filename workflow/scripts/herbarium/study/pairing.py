"""What two runs share, so that it cancels from the difference of a number; `study.comparison` has the rest.

A number is paired only by what its own error is computed from. That is checked, not assumed: what a run left with the
number must reproduce the number and the error that the run reports. So an error over words is never taken for one over
names, and no metric is handled by its name.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.statistics import paired
from herbarium.statistics.inference import Mean, crossed_mean, sample_mean
from herbarium.statistics.influences import variance_of_difference
from herbarium.statistics.items import CROSSED
from herbarium.statistics.replicates import of_number
from herbarium.statistics.tidy import KEY
from herbarium.study.changes import LEVEL, over_trainings

# Methods of inference on a difference. The first that applies to a number is used.
PAIRINGS = (INFLUENCES, ITEMS, DRAWS) = "influences", "items", "draws"
INDEPENDENT = "independent"
_SIDES = ("base", "new")
_INFERRED = ["std_error", "ci_low", "ci_high", "p_value"]
_ESTIMATES, _ERRORS = {"rtol": 1e-9, "atol": 1e-12}, {"rtol": 1e-5, "atol": 0.0}
_FEWEST_INFLUENCES = 40  # with fewer, the normal distribution gives too small p-values
_FEWEST_REPLICATES = 200  # with fewer, intervals are too narrow
_MONTE_CARLO = 4.0  # largest distance, in standard errors, of the replicates' spread from what it estimates


class Left(NamedTuple):
    """Two tables of one schema: what both runs asked and drew in the same way, with the same names of models."""

    base: pd.DataFrame
    new: pd.DataFrame


def paired_by(table: pd.DataFrame, left: Iterable[tuple[str, Left]]) -> pd.DataFrame:
    """For each number that can be paired, by index of `table`: `pairing`, `std_error`, `ci_low`, `ci_high`, `p_value`,
    and `note`.

    table: `KEY`; `estimate`, `std_error` and `n` of both runs, {column}_base and {column}_new; `difference`. left:
    what pairs them, in the order of `PAIRINGS`.
    """
    kinds = {INFLUENCES: _by_influences, ITEMS: _by_items, DRAWS: _by_draws}
    pairings: dict[int, dict] = {}
    for pairing, sides in left:
        rest = table.drop(index=pairings)
        pairings |= {row: {"pairing": pairing, **inferred_row} for row, inferred_row in kinds[pairing](rest, sides)}
    inferred = pd.DataFrame.from_dict(pairings, "index", columns=["pairing", *_INFERRED, "note"])
    return inferred.astype(dict.fromkeys(_INFERRED, float))


def inferred(mean: Mean) -> dict:
    """Error, interval and p-value of a difference, as `study.changes` computes them for one pair of models. Without a
    spread, a difference has no p-value: nothing says what other words would give."""
    change = over_trainings(*(np.array([value]) for value in (mean.estimate, mean.variance, mean.df)))
    if mean.estimate and not mean.variance > 0:
        return {}
    low, high = change.interval(LEVEL)
    return {"std_error": change.std_error, "ci_low": low, "ci_high": high, "p_value": change.p_value()}


# --- influences ---


def _by_influences(table: pd.DataFrame, left: Left) -> Iterator[tuple[int, dict]]:
    """Numbers whose error is a sum over what both runs drew in the same way."""
    before, after = (dict(list(_keyed(side).groupby("key"))) for side in left)
    for row, key in _keyed(table)["key"].items():
        if key not in before or key not in after:
            continue
        one, other = (side[key].set_index("drawn")["value"] for side in (before, after))
        if len(one) >= _FEWEST_INFLUENCES and set(one.index) == set(other.index):
            mean = Mean(table.at[row, "difference"], variance_of_difference(one, other), np.inf)
            yield row, inferred(mean)


def _keyed(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `key`, which identifies a number, with nulls as equal."""
    texts = table[[*KEY]].astype(object).where(table[[*KEY]].notna(), "")
    return table.assign(key=list(texts.itertuples(index=False, name=None)))


# --- items ---


def _by_items(table: pd.DataFrame, left: Left) -> Iterator[tuple[int, dict]]:
    """Numbers that are means of the same items in both runs, with an error over these."""
    keys = ["model", "metric", "measure", "object", "word", "form"]
    items = left.base.merge(left.new, "outer", keys, suffixes=("_base", "_new"))
    rows_of = dict(list(table.groupby(["model", "metric"])))
    paired_rows = set()
    for (model, metric, _), of_measure in items.groupby(["model", "metric", "measure"], sort=False):
        if (model, metric) not in rows_of:
            continue
        for objects, values in _samples(of_measure):
            for row in _that_are(rows_of[model, metric], objects, values):
                if row not in paired_rows:
                    paired_rows.add(row)
                    yield row, inferred(_mean(values[1] - values[0]))


def _samples(items: pd.DataFrame) -> Iterator[tuple[set[str], np.ndarray]]:
    """Objects, and (2, ...) values of both runs along axes that are samples, for everything that a number can be the
    mean of: the words and forms of an object; the forms and objects, if the words are the same and not a sample; all
    words of objects that share none, if there is only one form."""
    grids = {}
    for name, of_object in items.groupby("object", sort=False):
        grid = _grid(of_object, ["word"])
        if grid is not None:
            grids[name] = grid
            yield {name}, grid
    if len(grids) < max(2, items["object"].nunique()):
        return
    if not items["word"].duplicated().any():
        yield set(grids), items[["value_base", "value_new"]].to_numpy().T
    elif (grid := _grid(items, ["object", "word"])) is not None:
        yield set(grids), grid.mean(axis=-1)


def _grid(items: pd.DataFrame, last: list[str]) -> np.ndarray | None:
    """(2, n_forms, ..., n of each of `last`) values of both runs; None if one is lacking."""
    forms = items["form"].str.split(CROSSED, expand=True, regex=False)
    codes = [pd.factorize(axis)[0] for axis in [*(forms[form] for form in forms), *(items[item] for item in last)]]
    shape = [code.max() + 1 for code in codes]
    values = items[["value_base", "value_new"]].to_numpy().T
    if len(items) != np.prod(shape) or not np.isfinite(values).all() or min(map(min, codes)) < 0:
        return None
    grid = np.full((2, *shape), np.nan)
    grid[(slice(None), *codes)] = values
    varied = [n for n in shape if n > 1]
    return grid.reshape(2, *varied) if varied and np.isfinite(grid).all() else None


def _that_are(rows: pd.DataFrame, objects: set[str], values: np.ndarray) -> list[int]:
    """The rows whose estimate is the mean of the values in both runs, and whose error is theirs. A number without an
    error matches if its group has as many values."""
    of_own = np.ones(len(rows), dtype=bool)
    for side, of_side in zip(_SIDES, values, strict=True):
        of_own &= np.isclose(rows[f"estimate_{side}"].to_numpy(float), of_side.mean(), **_ESTIMATES)
    if not of_own.any():
        return []
    errors = [_mean(of_side).std_error for of_side in values]
    indices = []
    for row in rows[of_own].itertuples():
        stated_errors = [getattr(row, f"std_error_{side}") for side in _SIDES]
        numbers = [getattr(row, f"n_{side}") for side in _SIDES]
        is_of_group = objects == {row.group} or (len(objects) > 1 and row.group not in objects)
        if np.isnan(stated_errors).all() and values.ndim == 2:
            is_own = is_of_group and numbers == [values.shape[1]] * 2
        else:
            is_own = np.allclose(stated_errors, errors, **_ERRORS)
        indices += [row.Index] * is_own
    return indices


def _mean(values: np.ndarray) -> Mean:
    """The mean of a sample, or of crossed ones."""
    return sample_mean(values) if values.ndim == 1 else crossed_mean(values)


# --- draws ---


def _by_draws(table: pd.DataFrame, left: Left) -> Iterator[tuple[int, dict]]:
    """Numbers that both runs resampled on the same draws.

    If the error of the number is the spread of its replicates, the difference gets the percentile interval and the
    p-value of its own replicates. If it is the error of a mean of n units, it gets Student's: with few units, his t is
    needed, which replicates do not take into account.
    """
    before, after = (
        dict(list(_keyed(side.assign(variant=side["variant"].map(of_number))).groupby("key"))) for side in left
    )
    for row, key in _keyed(table)["key"].items():
        if key not in before or key not in after:
            continue
        sides = [side[key].set_index("replicate")["value"].sort_index() for side in (before, after)]
        if sides[0].index.equals(sides[1].index) and len(sides[0]) >= _FEWEST_REPLICATES:
            result = _of_replicates(table.loc[row], *(side.to_numpy() for side in sides))
            yield from [(row, result)] if result else []


def _of_replicates(row: pd.Series, before: np.ndarray, after: np.ndarray) -> dict | None:
    stated, n = (row[[f"{column}_{side}" for side in _SIDES]].to_numpy(float) for column in ("std_error", "n"))
    spreads = np.array([before.std(ddof=1), after.std(ddof=1)])
    if np.allclose(spreads, stated, **_ERRORS):
        return _by_percentile(row, before, after)
    if not (np.isfinite([*stated, *n]).all() and n[0] == n[1] > 1):
        return None
    of_units = np.sqrt(n / (n - 1))  # means of n drawn units have (n - 1) / n of the variance of the units' mean
    if np.abs(spreads * of_units - stated).max() > _MONTE_CARLO / np.sqrt(2 * len(before)) * stated.max():
        return None
    variance = (after - before).var(ddof=1) * n[0] / (n[0] - 1)
    return inferred(Mean(row["difference"], float(variance), n[0] - 1))


def _by_percentile(row: pd.Series, before: np.ndarray, after: np.ndarray) -> dict:
    sides = [(side_name, "") for side_name in _SIDES]
    scores = pd.DataFrame({"estimate": [row["estimate_base"], row["estimate_new"]], "n": 0.0}, sides)
    replicates = pd.DataFrame(np.column_stack([before, after]), columns=pd.MultiIndex.from_tuples(sides))
    pair = ("", "", sides[1], sides[0])
    (result,) = paired.family([pair], scores, replicates, LEVEL, "holm", "", None).to_dict("records")
    return {column: result[column] for column in (*_INFERRED, "note")}
