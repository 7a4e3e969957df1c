"""A toy of the figure: two sources of vectors, without and with a lean."""

import pandas as pd
from tests.drawing.marks import BOUNDS
from tests.metrics.regions_in_context.toy import measured

from herbarium.metrics.regions_in_context.figures import layers

TOYS = {
    "layers": lambda: (layers.table(pd.concat([measured("none-layers", lean=0.0), measured("real-layers")])),),
}
MARKS = {"layers": ("estimate", "y", BOUNDS)}
