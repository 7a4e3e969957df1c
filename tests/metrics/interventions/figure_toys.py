"""A toy of the figure: two models of known preferences, of one of which a number is lost."""

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.drawing.marks import BOUNDS
from tests.metrics.interventions.test_numbers import measured, observed

from herbarium.metrics.interventions.figures import types

STRENGTHS = {"none": 0.0, "strong": 1.0}


def preferences():
    numbers = [measured(observed(strength, 0.2), model) for model, strength in STRENGTHS.items()]
    table = types.table(pd.concat(numbers), [model_record(*strength) for strength in STRENGTHS.items()])
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"types": lambda: (preferences(),)}
MARKS = {"types": ("estimate", "x", BOUNDS)}
