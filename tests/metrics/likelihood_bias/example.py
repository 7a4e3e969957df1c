import pandas as pd
from tests.metrics.examples import MARKUP, MODELS, pictures
from tests.metrics.likelihood_bias import toy

from herbarium.metrics.likelihood_bias.figures import axes
from herbarium.metrics.likelihood_bias.report import part as of_page

STRENGTHS = {"none": 0.0, "strong": 2.0, MARKUP: 1.0}


def numbers():
    return pd.concat(toy.measured(toy.observed(strength, 0.1), model) for model, strength in STRENGTHS.items())


def part_of(tidy):
    return of_page.part(tidy, MODELS, 0.95, "holm", pictures(likelihood_bias_axes=axes.table(tidy, MODELS)))
