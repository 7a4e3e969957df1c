import pandas as pd
from tests.metrics.examples import MARKUP, MODELS, pictures
from tests.metrics.interventions import toy
from tests.metrics.interventions.test_numbers import measured, observed

from herbarium.metrics.interventions.figures import types
from herbarium.metrics.interventions.report import part as of_page

ASKED = {"none": (0.0, ["slot"]), "strong": (1.0, ["slot"]), MARKUP: (0.5, ["span", "span_released"])}
NAMES = {"questions": [toy.NAME]}


def numbers():
    return pd.concat(measured(observed(strength, 0.2, asked), model) for model, (strength, asked) in ASKED.items())


def part_of(tidy):
    return of_page.part(tidy, MODELS, 0.95, "holm", pictures(interventions_types=types.table(tidy, MODELS)))
