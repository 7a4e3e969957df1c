"""A toy of the figure: two models of known contrasts, of one of which a number is lost."""

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.drawing.marks import BOUNDS
from tests.metrics.discrimination_scores import toy

from herbarium.metrics.discrimination_scores.figures import contrasts

STRENGTHS = {"none": 0.0, "strong": 1.0}


def of_contrasts():
    found = [toy.measured(toy.observed(-strength / 5), model) for model, strength in STRENGTHS.items()]
    table = contrasts.table(pd.concat(found), [model_record(*strength) for strength in STRENGTHS.items()])
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"contrasts": lambda: (of_contrasts(),)}
MARKS = {"contrasts": ("estimate", "x", BOUNDS)}
