"""A toy of the figure: two models of known slopes, of one of which a number is lost."""

import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.drawing.marks import BOUNDS
from tests.metrics.matched_guise import toy

from herbarium.metrics.matched_guise.figures import associations

STRENGTHS = {"none": 0.0, "strong": 1.0}


def of_attributes():
    found = [toy.measured(toy.observed(-strength), model) for model, strength in STRENGTHS.items()]
    table = associations.table(pd.concat(found), [model_record(*strength) for strength in STRENGTHS.items()])
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"associations": lambda: (of_attributes(),)}
MARKS = {"associations": ("estimate", "x", BOUNDS)}
