"""Influences: what each thing that was drawn adds to the error of a number, so that any two models can be compared.

For numbers that are no mean of items, but whose error is a sum over independent draws: names of places, say. Two models
that are asked about the same names share much of that error, and it cancels from their difference.
"""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.statistics.tidy import KEY

# One row per number and thing that was drawn, whose name is the same for all models. The squares of `value` add up to
# the variance of the number.
INFLUENCES = schema(
    "influences",
    *((name, pa.string()) for name in (*KEY, "drawn")),
    ("value", pa.float64()),
)


def variance_of_difference(before: pd.Series, after: pd.Series) -> float:
    """The variance of the difference of two numbers. before, after: `value` by `drawn`; what one lacks adds nothing to
    it."""
    return float((after.sub(before, fill_value=0.0) ** 2).sum())
