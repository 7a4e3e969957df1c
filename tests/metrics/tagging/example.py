import pandas as pd
from tests.metrics import examples
from tests.metrics.tagging.test_score import LONG, SAID, TRUE

from herbarium.metrics.tagging import score
from herbarium.metrics.tagging.report import part as of_page

MODELS = examples.MODELS[1:]
SUMMARY = {"counts": {"train": 1200, "test": 15}, "n_classes": 5, "in_both": 2, "noted": {}}
TASK = {"name": "names", "task": {"data": {"planted": None, "hub": None, "path": "own.conll"}}, "summary": SUMMARY}
TRAINING = {"frozen": True, "epochs": 100, "sets": 1}


def numbers():
    tags = {"strong": SAID * LONG, examples.MARKUP: TRUE * LONG}
    return pd.concat(score.measure(model, "names", TRUE * LONG, [of], 0, 0.95) for model, of in tags.items())


def part_of(tidy, training=TRAINING):
    return of_page.part(tidy, MODELS, [TASK], training, 0.95)
