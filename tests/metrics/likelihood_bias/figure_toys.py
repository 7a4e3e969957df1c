"""A toy of the figure: the example of the metric, of one model of which a number is lost."""

import numpy as np
from tests.drawing.marks import BOUNDS
from tests.metrics.examples import MODELS
from tests.metrics.likelihood_bias.example import numbers

from herbarium.metrics.likelihood_bias.figures import axes


def variances():
    table = axes.table(numbers(), MODELS)
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"axes": lambda: (variances(),)}
MARKS = {"axes": ("estimate", "x", BOUNDS)}
