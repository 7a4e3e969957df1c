"""Replicates: resamples on shared seeds, so that any two models can be compared on the same draws."""

import pyarrow as pa

from herbarium.core.store import schema
from herbarium.statistics.tidy import KEY

# One row per number and replicate. `replicate` counts from 0; equal numbers of two models refer to the same draw.
REPLICATES = schema(
    "replicates",
    *((name, pa.string()) for name in KEY),
    ("replicate", pa.int32()),
    ("value", pa.float64()),
)
OVER = "_over_"


def of_number(variant: str) -> str:
    """The variant of the number whose replicates these are: they may be called `{variant}_over_{what was drawn}`."""
    return variant.partition(OVER)[0]
