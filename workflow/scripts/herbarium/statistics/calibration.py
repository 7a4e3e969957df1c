"""Calibration: numbers of what has a planted bias, to be read against its strength."""

from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema


class Panel(NamedTuple):
    """What numbers of one kind are.

    title, unit, counted (what n counts) and never_negative (what they are, if they cannot be below 0) are words;
    section is that of the page which has more of them; null is their value where there is nothing to find; has_truth
    says whether what was planted is itself in their unit.
    """

    panel: str
    title: str
    unit: str
    section: str
    counted: str
    null: float = 0.0
    has_truth: bool = False
    never_negative: str | None = None


# One row per number. A series is what should rise with the strength (`planted`).
CALIBRATION = schema(
    "calibration",
    *((name, pa.string()) for name in ("panel", "title", "unit", "section", "counted", "never_negative")),
    ("null", pa.float64()),
    ("has_truth", pa.bool_()),
    ("series", pa.string()),
    ("model", pa.string()),
    ("planted", pa.float64()),
    ("n", pa.float64()),
    *((name, pa.float64()) for name in ("estimate", "ci_low", "ci_high")),
    nullable=("never_negative", "n", "estimate", "ci_low", "ci_high"),
)


def rows(panel: Panel, numbers: pd.DataFrame) -> pd.DataFrame:
    """Rows of the schema "calibration". numbers: `series`, `model`, `planted`, `n`, `estimate`, `ci_low`, `ci_high`;
    those without a planted strength (null) are left out. Each series is sorted from weak to strong."""
    found = numbers.assign(**panel._asdict()).dropna(subset="planted")
    order = {name: place for place, name in enumerate(found["series"].unique())}
    found = found.assign(at=found["series"].map(order)).sort_values(["at", "planted"], kind="stable")
    return found[CALIBRATION.fields.names].reset_index(drop=True)
