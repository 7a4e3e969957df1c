"""Numbers of whole models, for metrics that compare them with other numbers of the same models."""

import pyarrow as pa

from herbarium.core.store import schema

# One row per model and measure, such as a score in a language; a measure that has no value is left out.
MODEL_MEASURES = schema(
    "model_measures",
    ("model", pa.string()),
    ("measure", pa.string()),
    ("value", pa.float64()),
)
