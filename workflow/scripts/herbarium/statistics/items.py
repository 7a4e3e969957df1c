"""Items: the values whose mean is a metric's primary number, so that its reliability can be computed for the whole
study.

One row per model, measure, object, word and form. An object is what has a number: a region, a list, a dimension. Its
number is the plain mean of `value` over words and forms, in the unit of the metric. Forms are interchangeable:
templates, or sets of training texts; "" if there is only one. Forms of two crossed kinds are called `a × b`
(`CROSSED`).
"""

from typing import Annotated

import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.store import schema

CROSSED = " × "
ITEMS = schema(
    "items",
    *((name, pa.string()) for name in ("model", "metric", "measure", "object", "word", "form")),
    ("value", pa.float64()),
)
Items = Annotated[pd.DataFrame, Table(steps.ITEMS, ITEMS)]


def items(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the columns of the schema "items", those without a value left out.

    Raises ValueError if a word has two values in one form of an object.
    """
    table = rows.reindex(columns=ITEMS.fields.names).dropna(subset="value")
    keys = ITEMS.fields.names[:-1]
    if table.duplicated(keys).any():
        twice = table.loc[table.duplicated(keys), keys].iloc[0].to_dict()
        raise ValueError(f"two values of one word: {twice}")
    return table.reset_index(drop=True)
