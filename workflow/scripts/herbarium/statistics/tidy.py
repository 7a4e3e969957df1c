"""The tidy table: every metric writes these columns, so that every number of a study fits into one table."""

from typing import Annotated

import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.store import schema
from herbarium.statistics.inference import above_zero

TIDY = schema(
    "tidy",
    ("model", pa.string()),
    ("metric", pa.string()),
    ("definition", pa.string()),
    ("variant", pa.string()),
    ("unit", pa.string()),
    ("group", pa.string()),
    ("estimate", pa.float64()),
    ("std_error", pa.float64()),
    ("ci_low", pa.float64()),
    ("ci_high", pa.float64()),
    ("p_value", pa.float64()),
    ("p_adjusted", pa.float64()),
    ("n", pa.int64()),
    ("over", pa.string()),  # what `n` counts: the units of inference
    ("converged", pa.bool_()),
    ("note", pa.string()),
    nullable=(
        *(
            "variant",
            "estimate",
            "std_error",
            "ci_low",
            "ci_high",
            "p_value",
            "p_adjusted",
            "n",
            "over",
            "converged",
            "note",
        ),
    ),
)
Numbers = Annotated[pd.DataFrame, Table(steps.NUMBERS, TIDY)]
KEY = ("model", "metric", "definition", "variant", "unit", "group")  # identifies the number of a row


def tidy(rows: pd.DataFrame, over: str | None = None) -> pd.DataFrame:
    """A metric's rows with the columns of the tidy table: absent ones null, unknown ones rejected (ValueError), and no
    p-value 0 (`inference.above_zero`). over: what `n` counts, of rows that do not say it."""
    unknown = sorted(set(rows.columns) - set(TIDY.fields.names))
    if unknown:
        raise ValueError(f"not columns of the tidy table: {unknown}")
    table = rows.reindex(columns=TIDY.fields.names)
    table["over"] = table["over"].astype(object).where(table["over"].notna(), over)
    return table.assign(**{name: above_zero(table[name].to_numpy(float)) for name in ("p_value", "p_adjusted")})


def with_note(rows: pd.DataFrame, note: str | None) -> pd.DataFrame:
    """Tidy rows with a note, if there is one, added to all of them after each row's own."""
    notes = rows["note"].astype(object).where(rows["note"].notna(), None)
    return rows.assign(note=[" · ".join(filter(None, (one, note))) or None for one in notes])
