"""Influences: the contribution of each draw to the error of a number, so that any two models can be compared.

For numbers that are not means of items, but whose error is a sum over independent draws, such as names of places. Two
models that are asked about the same names share much of that error, and it cancels in their difference.
"""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.statistics.tidy import KEY

# One row per number and draw, whose name is the same for all models. The squares of `value` add up to the variance of
# the number.
INFLUENCES = schema(
    "influences",
    *((name, pa.string()) for name in (*KEY, "drawn")),
    ("value", pa.float64()),
)


def variance_of_difference(before: pd.Series, after: pd.Series) -> float:
    """The variance of the difference of two numbers. before, after: `value` by `drawn`; a draw that one lacks counts as
    0 there."""
    return float((after.sub(before, fill_value=0.0) ** 2).sum())
