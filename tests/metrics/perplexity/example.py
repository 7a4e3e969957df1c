import pandas as pd
from tests.metrics import examples
from tests.metrics.perplexity.test_score import TEXTS, scores

from herbarium.metrics.perplexity import score
from herbarium.metrics.perplexity.report import part as of_page

MODELS = examples.MODELS[1:]


def numbers():
    refused = score.measure(examples.MARKUP, "held", scores((-1.0, 2), (None, 0)), 0.95)
    return pd.concat([refused, score.measure("strong", "held", TEXTS, 0.95)])


def part_of(tidy):
    return of_page.part(tidy, MODELS, 0.95, 64)
