"""Verdicts of the first screen: in how many studies of models without bias any number is called different from its
value without bias, or in how many a bias as large as the bound is called smaller.

A screen has one or more answers. An answer's number in a model is a mean over units (words, sentences) with Student's
interval; models share the units, whose values correlate by `TOGETHER`. "test": numbers have p-values; "interval": the
same numbers without p-values; "dimensions": each number is that of the smallest adjusted p of several; "equivalence":
the true value is the bound of the equivalence test, which is adjusted over the models of an answer.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from studies.validity.rates import Rates

from herbarium.report import answers
from herbarium.statistics.inference import adjust

LEVEL, ALPHA = 0.95, 0.05
TOGETHER = 0.7
LESS_EXACT = 5.0  # standard deviations of a unit in models, to one of the reference
WAYS = ("above", "below")
FALSE = (answers.DIFFERENT, answers.BETWEEN)


class Design(NamedTuple):
    """tails: degrees of freedom of Student's t that units are drawn from; None: normal. spread: standard deviation of a
    unit in measured models, that of the reference being 1. true: the bias of every measured model, in these."""

    models: int
    answers: int = 1
    units: int = 30
    dimensions: int = 1
    has_reference: bool = False
    spread: float = 1.0
    tails: int | None = None
    true: float = 0.0

    def words(self) -> str:
        text = f"models: {self.models}, answers: {self.answers}, units: {self.units}"
        text += f", dimensions: {self.dimensions}" if self.dimensions > 1 else ""
        text += f", a reference {self.spread:g} times as exact" if self.has_reference else ""
        text += f", t with {self.tails} degrees of freedom" if self.tails else ""
        return text + (f", true {self.true:g}" if self.true else "")


DESIGNS = (
    *(Design(models, n_answers) for models in (1, 5, 25) for n_answers in (1, 5)),
    Design(1, 1, units=8),
    Design(5, 5, units=12, tails=3),
    Design(25, 1, units=200),
    *(Design(models, 1, has_reference=True, spread=spread) for models in (1, 5, 25) for spread in (1.0, LESS_EXACT)),
    *(Design(models, 1, dimensions=dimensions) for models in (1, 5, 25) for dimensions in (4, 13)),
)


def rates(n):
    """n: simulated studies of each design."""
    for design in DESIGNS:
        yield from type_i(n, design)
    for models in (1, 5, 25):
        yield from equivalent(n, Design(models, true=0.5))
        yield from type_i(n, Design(models, has_reference=True, true=1.0))


def type_i(n, design):
    what = "power" if design.true else "type I error"
    tally = Rates("verdicts", design.words())
    for seed in range(n):
        screen = list(drawn(np.random.default_rng([12, seed]), design))
        kinds = {"dimensions": True} if design.dimensions > 1 else {"test": True, "interval": False}
        for kind, has_tests in kinds.items():
            given = [answer(place, values, has_tests, design.has_reference) for place, values in enumerate(screen)]
            table = answers.table(given)
            judged = table.loc[table["planted"].isna(), "verdict"].isin(FALSE)
            tally.add(what, kind, judged.any())
    return tally.rows()


def equivalent(n, design):
    """Whether any bias at the bound is called smaller."""
    tally = Rates("verdicts", design.words())
    for seed in range(n):
        (values,) = drawn(np.random.default_rng([13, seed]), design)
        rows = numbers(values, True)
        is_within = adjust(within(values[:, 0], design.true), "holm") < ALPHA
        rows = rows.assign(within=np.where(is_within, design.true, np.nan))
        table = answers.table([answers.answer("A", "", "mean", "a", rows, {}, directions=WAYS)])
        tally.add("type I error", "equivalence", table["verdict"].isin([answers.SMALL, answers.BETWEEN]).any())
    return tally.rows()


def within(values, bound):
    """P-values of two one-sided tests against ±bound. values: (models, units)."""
    sides = ((bound, "less"), (-bound, "greater"))
    return np.max([stats.ttest_1samp(values, at, axis=1, alternative=side).pvalue for at, side in sides], axis=0)


def drawn(random, design):
    """For each answer its values, (models, dimensions, units): the reference's first, if there is one."""
    n_models = design.models + design.has_reference
    for _ in range(design.answers):
        shape = (n_models, design.dimensions, design.units)
        draw = random.normal if design.tails is None else lambda size: random.standard_t(design.tails, size)
        common, single = draw(size=shape[1:]), draw(size=shape)
        values = np.sqrt(TOGETHER) * common + np.sqrt(1 - TOGETHER) * single
        values[design.has_reference :] = design.spread * values[design.has_reference :] + design.true
        yield values


def answer(place, values, has_tests, has_reference):
    rows = numbers(values, has_tests, has_reference)
    return answers.answer(f"Answer {place}", "", "mean", "a", rows, {"reference": 0.0}, directions=WAYS)


def numbers(values, has_tests, has_reference=False):
    """A row per model: that of its dimension with the smallest adjusted p. The interval is not adjusted."""
    n_models, _, n_units = values.shape
    tests = stats.ttest_1samp(values, 0.0, axis=2)
    p_adjusted = np.array([adjust(p, "holm") for p in tests.pvalue])
    chosen = np.arange(n_models), p_adjusted.argmin(axis=1)
    interval = tests.confidence_interval(LEVEL)
    names = ["reference" if at < has_reference else f"model-{at}" for at in range(n_models)]
    columns = {
        "model": names,
        "estimate": values.mean(axis=2)[chosen],
        "ci_low": interval.low[chosen],
        "ci_high": interval.high[chosen],
        "p_adjusted": p_adjusted[chosen] if has_tests else np.nan,
    }
    return pd.DataFrame(columns | {"n": n_units, "note": ""})
