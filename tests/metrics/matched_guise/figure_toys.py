"""A toy of the figure: the example of the metric, of one model of which a number is lost."""

import numpy as np
from tests.drawing.marks import BOUNDS
from tests.metrics.examples import MODELS
from tests.metrics.matched_guise.example import numbers

from herbarium.metrics.matched_guise.figures import associations


def of_attributes():
    table = associations.table(numbers(), MODELS)
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"associations": lambda: (of_attributes(),)}
MARKS = {"associations": ("estimate", "x", BOUNDS)}
