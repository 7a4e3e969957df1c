"""A toy of the figure: two models of known differences, of one of which a number is lost."""

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.drawing.marks import BOUNDS
from tests.metrics.likelihood_bias import toy

from herbarium.metrics.likelihood_bias.figures import axes

STRENGTHS = {"none": 0.0, "strong": 1.0}


def variances():
    numbers = [toy.measured(toy.observed(strength, 0.1), model) for model, strength in STRENGTHS.items()]
    table = axes.table(pd.concat(numbers), [model_record(*strength) for strength in STRENGTHS.items()])
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"axes": lambda: (variances(),)}
MARKS = {"axes": ("estimate", "x", BOUNDS)}
