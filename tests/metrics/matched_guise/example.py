import pandas as pd
from tests.metrics.examples import MARKUP, MODELS, pictures
from tests.metrics.matched_guise import toy

from herbarium.metrics.matched_guise.figures import associations
from herbarium.metrics.matched_guise.report import part as of_page

SLOPES = {"none": 0.0, "strong": -1.0, MARKUP: -0.5}
NAMES = {"guises": [toy.NAME, "unrated"]}


def numbers():
    rated = [toy.measured(toy.observed(slope), model) for model, slope in SLOPES.items()]
    unrated = toy.measured(toy.observed(0.0, toy.LISTS._replace(ratings={})), "none")
    return pd.concat([*rated, unrated.assign(unit="unrated")])


def part_of(tidy):
    drawn = pictures(matched_guise_associations=associations.table(tidy, MODELS))
    return of_page.part(tidy, MODELS, 0.95, "holm", drawn)
