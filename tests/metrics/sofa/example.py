import pandas as pd
from tests.metrics.examples import MARKUP, MODELS, pictures
from tests.metrics.sofa import toy

from herbarium.metrics.sofa.figures import categories
from herbarium.metrics.sofa.report import part as of_page

STRENGTHS = {"none": 0.0, "strong": 4.0, MARKUP: 1.0}


def numbers():
    return pd.concat(toy.measured(toy.observed(strength, 0.05), model) for model, strength in STRENGTHS.items())


def written():
    return [toy.measured(toy.varied())]


def part_of(tidy):
    return of_page.part(tidy, MODELS, 0.95, "holm", pictures(sofa_categories=categories.table(tidy, MODELS)))
