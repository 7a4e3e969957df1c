"""Verdicts of the first screen: how often "more" or "less" is said of any model of a study in which none has a bias.

Each model's number is a mean over units (words, sentences), with Student's interval; models and the control share the
units, whose values correlate by `together`. "test": numbers have p-values against 0, adjusted over the models (Holm);
"interval": the same numbers without p-values; "control": numbers whose null value is not known.
"""

import numpy as np
import pandas as pd
from scipy import stats
from tests.validity.rates import Rates

from herbarium.report import answers
from herbarium.statistics.inference import adjust

LEVEL = 0.95
KINDS = {"test": 0.0, "interval": 0.0, "control": None}
TOGETHER = 0.7
LESS_EXACT = 5.0  # standard deviations of a model, to one of the control


def rates(n):
    """n: simulated studies of each design."""
    for models, units in ((1, 30), (5, 10), (25, 30), (25, 200)):
        yield from of_design(n, models, units)
    yield from of_design(n, 25, 30, together=TOGETHER)
    yield from of_design(n, 25, 30, spread=LESS_EXACT)
    yield from of_design(n, 25, 30, spread=1 / LESS_EXACT)
    yield from of_design(n, 5, 30, true=1.0)


def of_design(n, models, units, together=0.0, spread=1.0, true=0.0):
    """spread: standard deviation of a unit in the models, that of the control being 1. true: the models' bias."""
    design = f"{models} models, {units} units, correlation {together:g}, spread {spread:g}, true {true:g}"
    found = Rates("verdicts", design)
    what = "power" if true else "type I error"
    for seed in range(n):
        values = draw(np.random.default_rng([12, seed]), models, units, together, spread, true)
        for kind, null in KINDS.items():
            rows = numbers(values, has_tests=kind == "test")
            answer = answers.answer("A", "", "mean", "a", rows, {"control": 0.0}, null)
            said = answers.table([answer]).query("not is_control")["verdict"]
            found.add(what, kind, said.isin([answers.MORE, answers.LESS]).any())
    return found.rows()


def draw(random, models, units, together, spread, true):
    """Values, (1 + models, units): the control's first."""
    common, own = random.normal(size=units), random.normal(size=(1 + models, units))
    values = np.sqrt(together) * common + np.sqrt(1 - together) * own
    values[1:] = spread * values[1:] + true
    return values


def numbers(values, has_tests):
    """A row per model."""
    found = stats.ttest_1samp(values, 0.0, axis=1)
    interval = found.confidence_interval(LEVEL)
    names = ["control", *(f"model-{at}" for at in range(1, len(values)))]
    p_adjusted = adjust(found.pvalue, "holm") if has_tests else np.nan
    columns = {"model": names, "estimate": values.mean(axis=1), "ci_low": interval.low, "ci_high": interval.high}
    return pd.DataFrame(columns | {"p_adjusted": p_adjusted, "n": values.shape[1], "note": ""})
