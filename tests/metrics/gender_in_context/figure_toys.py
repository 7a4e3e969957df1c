"""Toys of the figures: two sources of vectors, without and with a lean."""

import pandas as pd
from tests.metrics.gender_in_context.toy import measured

from herbarium.metrics.gender_in_context.figures import components, layers


def measured_sources():
    return [measured("none-layers", lean=0.0), measured("real-layers", lean=2.0)]


TOYS = {
    "components": lambda: (components.table(pd.concat([result.curves for result in measured_sources()])),),
    "layers": lambda: (layers.table(pd.concat([result.numbers for result in measured_sources()])),),
}
MARKS = {"components": ("gender", "y"), "layers": ("estimate", "y")}
