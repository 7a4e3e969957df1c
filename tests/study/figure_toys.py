"""Toys of the figures of a whole study, whose every number is known."""

from itertools import pairwise

import numpy as np
import pandas as pd

from herbarium.statistics.calibration import Panel, rows
from herbarium.statistics.changes import COST, as_changes, by_mean, change
from herbarium.statistics.inference import Mean
from herbarium.statistics.tidy import tidy
from herbarium.study import changes as of_study
from herbarium.study import checkpoints, comparison, differences
from herbarium.study.pairing import INDEPENDENT, ITEMS

# --- before and after ---

PAIRS = {("base", "x"), ("base", "placebo")}


def changed(second, difference, after="x", measure="D²", **more):
    """A difference from the model "base" to another."""
    before = Mean(1.0, 0.01, 9)
    sides = by_mean(before, 0.95), by_mean(before._replace(estimate=1 + difference.estimate), 0.95)
    return change(("base", second, "base", after), "toy", measure, *sides, difference, **more)


def combined():
    """Two comparisons by two measures, and one of which nothing is known; `x` has forgotten."""
    values = [
        changed("x", Mean(-0.5, 0.01, 9), "x"),
        changed("x", Mean(-0.7, 0.03, 9), "x-seed2"),
        changed("x", Mean(-0.3, 0.02, 9), "x-seed3"),
        changed("placebo", Mean(0.05, 0.04, 9), "placebo"),
        changed("x", Mean(0.3, 1e-4, 20), measure="log perplexity", null=None, kind=COST, worst=0.1),
        changed("placebo", Mean(0.01, 1e-4, 20), measure="log perplexity", null=None, kind=COST, worst=0.1),
        change(("base", "<b>gone</b>", "base", "gone"), "toy", "D²", None, None, None),
    ]
    return of_study.combined(as_changes(values), PAIRS, PAIRS)


# --- along training ---

STEPS = ["step0", "step1", "step512", "step143000"]
TRAININGS = {"run": {f"run-{step}": step for step in STEPS}}


def number(estimate):
    return {"estimate": estimate, "ci_low": estimate - 0.5, "ci_high": estimate + 0.5}


def from_each_to_the_next(models, measure="D²", **more):
    """Differences between models; the value of a model is its place, that of the third is unknown."""
    values = {model: None if place == 2 else number(float(place)) for place, model in enumerate(models)}
    results = [
        change((a, b, a, b), "toy", measure, values[a], values[b], Mean(1.0, 0.1, 9), **more)
        for a, b in pairwise(models)
    ]
    return as_changes(results)


def along_training(trainings=TRAININGS):
    values = [from_each_to_the_next(list(training)) for training in trainings.values()]
    values += [
        from_each_to_the_next(list(training), "log perplexity", null=None, kind=COST) for training in trainings.values()
    ]
    return checkpoints.table(pd.concat([*values, from_each_to_the_next(["other", "another"])]), trainings)


def along_two_trainings():
    return along_training(TRAININGS | {"$o_ther$": {"o-step1": "step1", "o-step4": "step4"}})


# --- against planted bias ---

LEANING = Panel("leaning", "Leaning of the root", "distance", "lean", "regions", never_negative="a mean of distances")
SCORES = Panel("scores", "Size of the score", "log ratio", "score", "sentences")
SLOPE = Panel("slope", "Slope", "log-odds", "slope", "countries")
RATIO = Panel("ratio", "Spread", "ratio", "ratio", "texts", null=1.0)
PANELS = (LEANING, SCORES, SLOPE, RATIO)


def by_strength(series, half=0.1, **of_strength):
    """One number per strength: `at_1=0.5` is 0.5 at strength 1."""
    values = [
        {"series": series, "model": f"model-{name[3:]}", "planted": float(name[3:]), "n": 6, "estimate": value}
        | {"ci_low": value - half, "ci_high": value + half}
        for name, value in of_strength.items()
    ]
    return pd.DataFrame(values)


def calibrated(strong=3.0):
    """Leaning rises, and is never 0; the score of care meets that of its neighbour; both are 0 without bias."""
    of_scores = [by_strength("order", at_0=0.05, at_1=1.0, at_2=2.0), by_strength("care", at_0=0.0, at_1=0.05)]
    parts = [
        rows(LEANING, by_strength("root", at_0=0.5, at_1=1.0, at_2=strong)),
        rows(SCORES, pd.concat(of_scores)),
        rows(SLOPE, by_strength("real", at_0=0.0, at_2=1.5).assign(expected=[0.0, 2.0], learned=[np.nan, 0.75])),
        rows(RATIO, by_strength("real", at_0=1.0, at_2=2.5)),
    ]
    return pd.concat(parts, ignore_index=True)


# --- two runs ---

NAMES = [f"<b>group {i}</b>" for i in range(20)]


def of_run(shift):
    """Tidy numbers, a group's by its place, larger by `shift` of themselves."""
    columns = {"group": NAMES, "estimate": np.arange(20.0) * (1 + shift), "std_error": 1.0, "n": 9}
    row = pd.DataFrame(columns).assign(model="m", metric="toy", definition="own", variant="v", unit="set")
    return tidy(row.assign(ci_low=row["estimate"] - 2, ci_high=row["estimate"] + 2))


def of_two_runs(shift=0.5):
    return comparison.changes(of_run(0.0), of_run(shift)).assign(model_base="m")


def that_differ(changes):
    """The table of the figure."""
    return differences.table(changes[changes["change"] != comparison.SAME])


def paired_and_independent():
    table = that_differ(of_two_runs(0.3))
    return table.assign(pairing=np.where(table.index % 2, ITEMS, INDEPENDENT))


TOYS = {
    "calibration": lambda: (calibrated().query("panel in ('scores', 'slope')"),),
    "changes": lambda: (combined(),),
    "checkpoints": lambda: (along_two_trainings(),),
    "differences": lambda: (paired_and_independent(),),
}
