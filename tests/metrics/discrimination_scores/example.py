from functools import cache

import pandas as pd
from tests.metrics.discrimination_scores import toy
from tests.metrics.examples import LOST, MARKUP, MODELS, pictures

from herbarium.metrics.discrimination_scores import numbers, published
from herbarium.metrics.discrimination_scores.figures import contrasts
from herbarium.metrics.discrimination_scores.report import part as of_page
from herbarium.statistics.lme4 import RefusedError

FEMALE = {"none": 0.0, "strong": -1.0, MARKUP: -0.5}
REFERENCES = {toy.NAME: toy.EFFECTS["references"]}
NAMES = {"table": [toy.NAME]}


@cache
def tidy():
    return pd.concat(toy.measured(toy.observed(female), model) for model, female in FEMALE.items())


def written():
    def refuse(*_):
        raise RefusedError("lme4 takes seconds")

    yield tidy()
    yield published.measure("strong", toy.NAME, toy.observed(-1.0), toy.EFFECTS, 0.95, refuse)


def part_of(rows):
    drawn = pictures(discrimination_scores_contrasts=contrasts.table(rows, MODELS))
    return of_page.part(rows, MODELS, REFERENCES, 0.95, "holm", drawn)


def part():
    """In a balanced table the published effects are ours."""
    ours = tidy()
    is_fitted = (ours["model"] == "strong") & (ours["variant"] == numbers.DIFFERENCE)
    return part_of(pd.concat([ours, ours[is_fitted].assign(definition=numbers.PAPER)]))


def lost_part():
    return part_of(tidy().assign(**LOST))
