"""Differences of two models in two results folders: by items, by draws, by influences, and as if they were independent.

Each unit (a sentence, a name) does something in both models alike: errors correlate by .7 (`TOGETHER`), or not at all.
`true`: the difference, in standard deviations of a unit. Every study goes through `study.comparison.changes`, as
results folders do. "power, independent" (and "type I error, independent"): of the same studies, with nothing that pairs
them.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from studies.validity.rates import Rates

from herbarium.statistics import items
from herbarium.statistics.inference import crossed_mean
from herbarium.statistics.tidy import tidy
from herbarium.study import comparison, pairing
from herbarium.study.pairing import Left

LEVEL, ALPHA = 0.95, 0.05
TOGETHER = 0.7
UNITS = (10, 30, 200)
REPLICATES = 1000
BATCH = 100  # studies that go through one comparison, as models
POWER = 0.3
PLACE = {"model": "m", "metric": "toy", "definition": "own", "variant": "v", "unit": "set", "group": "all"}


def rates(n):
    """n: simulated studies of each design."""
    for units in UNITS:
        for together in (0.0, TOGETHER):
            yield from of_design(n, "items", units, together, 0.0, plain, by_items)
        for true in (0.0, POWER):
            yield from of_design(n, "draws of units", units, TOGETHER, true, plain, by_draws)
        yield from of_design(n, "items", units, TOGETHER, POWER, plain, by_items)
    for units in (50, 200):
        for true in (0.0, POWER):
            yield from of_design(n, "influences", units, TOGETHER, true, plain, by_influences)
    for true in (0.0, POWER):
        yield from of_design(n, "items, heavy tails", 30, TOGETHER, true, heavy, by_items)
        yield from of_design(n, "percentages", 60, TOGETHER, true, shares, by_items)
        yield from of_design(n, "crossed items", 20, TOGETHER, true, crossed, by_crossed_items)
        yield from of_design(n, "draws of descriptions", 110, TOGETHER, true, plain, by_own_draws)


def of_design(n, variant, units, together, true, draw: Callable, pair: Callable):
    tally = Rates("comparison", f"{units} units, correlation {together:g}, true {true:g}")
    what = "power" if true else "type I error"
    for seeds in np.array_split(np.arange(n), -(-n // BATCH)):
        sides, beside = ([], []), ([], [])
        for seed in seeds:
            random = np.random.default_rng([11, seed])
            values, wanted = draw(random, units, together, true)
            numbers, (kind, tables) = pair(random, values)
            for all_, of_study in ((sides, numbers), (beside, tables)):
                for side, study_table in zip(all_, of_study, strict=True):
                    side.append(study_table.assign(model=str(seed)))
        numbers, tables = ([pd.concat(side, ignore_index=True) for side in side] for side in (sides, beside))
        rows, alone = (comparison.changes(*numbers, left) for left in ([(kind, Left(*tables))], []))
        assert rows["pairing"].isin(pairing.PAIRINGS).all()
        inside = (rows["ci_low"] <= wanted) & (wanted <= rows["ci_high"])
        for label, happened in (
            (what, rows["p_value"] <= ALPHA),
            ("coverage", inside),
            (f"{what}, independent", alone["p_value"] <= ALPHA),
        ):
            for study_table in happened:
                tally.add(label, variant, study_table)
    return tally.rows()


# --- what is drawn: (2, ...) values of both models, and the true difference ---


def plain(random, n, together, true):
    return both(random.normal, n, together) + np.array([[0.0], [true]]), true


def heavy(random, n, together, true):
    """Student's t with 3 degrees of freedom."""
    return both(lambda size: random.standard_t(3, size) / 3**0.5, n, together) + np.array([[0.0], [true]]), true


def both(draw, shape, together):
    common, noise = draw(size=shape), np.array([draw(size=shape), draw(size=shape)])
    return np.sqrt(together) * common + np.sqrt(1 - together) * noise


def shares(random, n, together, true):
    """Per cent of units above 0; of 60 % and less in the first model."""
    from scipy.stats import norm

    latent = both(random.normal, n, together) + 0.25 + np.array([[0.0], [true]])
    return 100.0 * (latent > 0), 100 * (norm.cdf(0.25 + true) - norm.cdf(0.25))


def crossed(random, n, together, true):
    """Words in five templates: each word, each template and each cell does something of its own."""
    parts = [
        both(random.normal, shape, together).reshape(2, *block_shape)
        for shape, block_shape in ((n, (1, n)), (5, (5, 1)))
    ]
    cells = both(random.normal, (5, n), together)
    return sum(parts) + cells + np.array([0.0, true]).reshape(2, 1, 1), true


# --- what is left beside the numbers ---


def numbers_of(values, std_errors):
    n = values.shape[-1]
    rows = [
        {**PLACE, "estimate": sample.mean(), "std_error": error, "n": n}
        for sample, error in zip(values, std_errors, strict=True)
    ]
    return [tidy(pd.DataFrame([row])) for row in rows]


def item_rows(values):
    place = {"model": "m", "metric": "toy", "measure": "v", "object": "all"}
    forms, words = np.indices(values.shape)
    rows = {"word": words.ravel().astype(str), "form": forms.ravel().astype(str), "value": values.ravel()}
    return items.items(pd.DataFrame(rows).assign(**place))


def of_units(values):
    return values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])


def by_items(random, values):
    # a share has no error of its own
    errors = [np.nan] * 2 if set(values.ravel()) <= {0.0, 100.0} else of_units(values)
    return numbers_of(values, errors), (pairing.ITEMS, Left(*(item_rows(sample[None]) for sample in values)))


def by_crossed_items(random, values):
    errors = [crossed_mean(table).std_error for table in values]
    return numbers_of(values, errors), (pairing.ITEMS, Left(*map(item_rows, values)))


def resampled(random, values, n=REPLICATES):
    units = values.shape[1]
    drawn = random.multinomial(units, [1 / units] * units, size=n)
    means = values @ drawn.T / units
    tables = [pd.DataFrame({**PLACE, "replicate": np.arange(n), "value": mean}) for mean in means]
    return means, (pairing.DRAWS, Left(*tables))


def by_draws(random, values):
    """The metric infers by Student's t."""
    return numbers_of(values, of_units(values)), resampled(random, values)[1]


def by_own_draws(random, values):
    """The metric infers by the same draws, as HERB does of its scores as published."""
    means, left = resampled(random, values, 200)
    return numbers_of(values, means.std(axis=1, ddof=1)), left


def by_influences(random, values):
    n = values.shape[1]
    tables = [
        pd.DataFrame(
            {**PLACE, "drawn": np.arange(n).astype(str), "value": (sample - sample.mean()) / np.sqrt(n * (n - 1))}
        )
        for sample in values
    ]
    return numbers_of(values, of_units(values)), (pairing.INFLUENCES, Left(*tables))
