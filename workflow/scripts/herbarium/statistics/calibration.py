"""Calibration: numbers for models with a planted bias, to be read against its strength."""

from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.store import schema


class Panel(NamedTuple):
    """What numbers of one kind are.

    title, unit, counted (what n counts) and never_negative (what they are, if they cannot be below 0) are words;
    section is the part of the page with more about them; null is their value without bias.
    """

    panel: str
    title: str
    unit: str
    section: str
    counted: str
    null: float = 0.0
    never_negative: str | None = None


# One row per number. Numbers of a series should rise with the strength (`planted`). `expected`: what the planted
# distribution implies for this very number. `learned`: slope of the model's scores on those that a perfect model gives
# the same sentences, main effects aside; 1 if it learned all of its text.
CALIBRATION = schema(
    "calibration",
    *((name, pa.string()) for name in ("panel", "title", "unit", "section", "counted", "never_negative")),
    ("null", pa.float64()),
    ("series", pa.string()),
    ("model", pa.string()),
    ("planted", pa.float64()),
    ("n", pa.float64()),
    *((name, pa.float64()) for name in ("estimate", "ci_low", "ci_high", "expected", "learned")),
    nullable=("never_negative", "n", "estimate", "ci_low", "ci_high", "expected", "learned"),
)
Calibration = Annotated[pd.DataFrame, Table(steps.CALIBRATION, CALIBRATION)]


def without_means(table: np.ndarray) -> np.ndarray:
    """A table without the means of its rows and of its columns: what is planted, main effects aside."""
    return table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()


def rows(panel: Panel, numbers: pd.DataFrame) -> pd.DataFrame:
    """Rows of the schema "calibration". numbers: `series`, `model`, `planted`, `n`, `estimate`, `ci_low`, `ci_high`;
    and `expected` and `learned` if known; rows without a planted strength (null) are left out. Each series is sorted
    from weak to strong."""
    planted_rows = numbers.assign(**panel._asdict()).dropna(subset="planted")
    order = {name: place for place, name in enumerate(planted_rows["series"].unique())}
    planted_rows = planted_rows.assign(at=planted_rows["series"].map(order)).sort_values(
        ["at", "planted"], kind="stable"
    )
    return planted_rows.reindex(columns=CALIBRATION.fields.names).reset_index(drop=True)
