"""Toys of the figures: one task, two classifiers, two groups of regions and two ways to decide."""

import pandas as pd

from herbarium.drawing import tasks
from herbarium.metrics.amplification.figures import iterations, margins, rates

MARGIN = 0.1
PLACES = tasks.places([("reviews", "strong"), ("reviews", "hub")], {"strong": 2.0})


def rows(columns, *of_each):
    """The same rows for each of the classifiers."""
    return PLACES.merge(pd.DataFrame(of_each, columns=columns[len(tasks.PLACE) :]), how="cross")


TOYS = {
    "iterations": lambda: (
        rows(iterations.COLUMNS, ("rba", 0, 2.0), ("rba", 1, 0.5), ("posterior", 0, 2.0), ("posterior", 1, 0.0)),
    ),
    "margins": lambda: (
        rows(margins.COLUMNS, ("rba", 0.05, 0.0, 0.7), ("rba", 0.1, 1.0, 0.8), ("exact", 0.05, 0.0, 0.8)),
        MARGIN,
    ),
    "rates": lambda: (
        rows(
            rates.COLUMNS,
            ("continent:AF", "Africa", 0.4, 0.2, -0.2, 0.01, 60),
            ("continent:EU", "Europe", 0.6, 0.65, 0.05, 0.4, 60),
        ),
        MARGIN,
    ),
}
