"""Toys of the figures: three sets of pronouns, and one of questions with right answers, of two models."""

import pandas as pd
from tests.drawing.marks import BOUNDS
from tests.metrics.sentence_sets import toy
from tests.metrics.sentence_sets.test_numbers import MODELS, measured

from herbarium.metrics.sentence_sets import numbers
from herbarium.metrics.sentence_sets.figures import difference, forest


def contrasts():
    tables = [table for model, lean in (("none", 0.0), ("strong", 4.0)) for table in measured(lean, model)]
    return forest.table(numbers.with_contrasts(pd.concat(tables), toy.ENTRIES, MODELS))


def accuracies():
    rows = pd.concat(
        numbers.measure(model, "questions", toy.observations(toy.ACCURACY), toy.ACCURACY, 1)
        for model in ("none", "strong")
    )
    return forest.table(numbers.with_contrasts(rows, {"questions": toy.ACCURACY}, MODELS))


def differences():
    entries = {"questions": toy.ACCURACY, "pronouns": toy.ENTRY}
    observed = {
        (model, name): toy.observations(entry, lean, n=24)
        for model, lean in (("none", 0.0), ("strong", 2.0))
        for name, entry in entries.items()
    }
    rows = pd.concat(
        [numbers.measure(model, name, table, entries[name], 1) for (model, name), table in observed.items()]
    )
    return difference.table(numbers.with_contrasts(rows, entries, MODELS), observed, entries, 1)


TOYS = {
    "difference": lambda: (differences(),),
    "forest": lambda: (contrasts().query("stimuli != 'pronouns'"),),  # which look like the others
}
MARKS = {"forest": ("estimate", "x", BOUNDS)}
