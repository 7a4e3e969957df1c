import pandas as pd
from tests.metrics.discrimination_scores import toy
from tests.metrics.examples import LOST, MARKUP, MODELS, pictures

from herbarium.metrics.discrimination_scores import published
from herbarium.metrics.discrimination_scores.figures import contrasts
from herbarium.metrics.discrimination_scores.report import part as of_page
from herbarium.statistics import lme4

FEMALE = {"none": 0.0, "strong": -1.0, MARKUP: -0.5}
REFERENCES = {toy.NAME: toy.EFFECTS["references"]}
NAMES = {"table": [toy.NAME]}


def numbers():
    return pd.concat(toy.measured(toy.observed(female), model) for model, female in FEMALE.items())


def written():
    observations = toy.observed(spread=0.4)
    return [
        toy.measured(observations),
        published.measure("model", toy.NAME, observations, toy.EFFECTS, 0.95, lme4.fit),
    ]


def part_of(tidy):
    drawn = pictures(discrimination_scores_contrasts=contrasts.table(tidy, MODELS))
    return of_page.part(tidy, MODELS, REFERENCES, 0.95, "holm", drawn)


def part():
    return part_of(numbers())


def lost_part():
    return part_of(numbers().assign(**LOST))
