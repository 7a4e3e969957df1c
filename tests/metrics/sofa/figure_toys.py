"""A toy of the figure: the example of the metric, of one model of which a number is lost."""

import numpy as np
from tests.drawing.marks import BOUNDS
from tests.metrics.examples import MODELS
from tests.metrics.sofa.example import numbers

from herbarium.metrics.sofa.figures import categories


def variances():
    table = categories.table(numbers(), MODELS)
    return table.assign(estimate=table["estimate"].mask(np.arange(len(table)) == 0))


TOYS = {"categories": lambda: (variances(),)}
MARKS = {"categories": ("estimate", "x", BOUNDS)}
