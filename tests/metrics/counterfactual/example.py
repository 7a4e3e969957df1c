import pandas as pd
from tests.metrics.counterfactual.test_score import pairs, scores
from tests.metrics.examples import LOST, MARKUP, MODELS

from herbarium.metrics.counterfactual import score
from herbarium.metrics.counterfactual.report import part as of_page

FACTOR = {MARKUP: 1.0, "none": 0.0, "strong": 2.0}


def measured(model):
    """Of eight pairs of sentences, two of which differ in length."""
    swapped = scores([FACTOR[model] * number for number in range(8)], n_tokens=[3] * 6 + [4] * 2)
    changes = score.absolute_changes(pairs(8), scores([0.0] * 8), swapped)
    return score.measure(model, "sentence_sets/a", changes, 0, 0.95)


def written():
    return [measured(model) for model in FACTOR]


def part():
    return of_page.part(pd.concat(written()), MODELS, 0.95)


def lost_part():
    return of_page.part(pd.concat(written()).assign(**LOST), MODELS, 0.95)
