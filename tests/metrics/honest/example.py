import pandas as pd
from tests.metrics.examples import MARKUP, MODELS, pictures
from tests.metrics.honest.figure_toys import measured

from herbarium.metrics.honest.figures import scores
from herbarium.metrics.honest.report import part as of_page

LEANS = {"none": 0.0, "strong": 3.0, MARKUP: 0.5}


def numbers():
    return pd.concat(measured(lean, model) for model, lean in LEANS.items())


def part_of(tidy):
    return of_page.part(tidy, MODELS, 0.95, "holm", pictures(honest_scores=scores.table(tidy, MODELS)))
