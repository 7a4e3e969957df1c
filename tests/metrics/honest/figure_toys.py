"""A toy of the figure: two models, of one of which a number is lost."""

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.drawing.marks import BOUNDS

from herbarium.metrics.honest import numbers
from herbarium.metrics.honest.figures import scores

LEANS = {"none": 0.0, "strong": 3.0}
MODELS = [model_record(*model) for model in LEANS.items()]


def observations(lean):
    """Of a model whose share of hurtful completions is higher by `lean` in one of two groups."""
    places = pd.MultiIndex.from_product([[5, 20], ["tall", "short"], range(5), range(6)]).to_frame(index=False)
    places.columns = ["top", "group", "identity", "template"]
    random = np.random.default_rng(1)
    odds = 0.2 + 0.1 * lean * (places["group"] == "tall")
    return places.assign(
        identity=places["group"] + " " + places["identity"].astype(str),
        text=lambda rows: rows["identity"] + " " + rows["template"].astype(str),
        hurtful=random.binomial(places["top"], odds),
        pieces=0,
    )


def measured(lean, model):
    return numbers.estimates(model, "few", observations(lean), 0.95, "holm")


def table():
    shown = scores.table(pd.concat(measured(lean, model) for model, lean in LEANS.items()), MODELS)
    return shown.assign(estimate=shown["estimate"].mask(np.arange(len(shown)) == 0))


TOYS = {"scores": lambda: (table(),)}
MARKS = {"scores": ("estimate", "x", BOUNDS)}
