"""Changes from one model to another: primary numbers of both, and their difference on the same draws.

Inference about a difference follows that about the metric's number: what was sampled (names, words, texts, training
sets) is the same for both models, and what it adds to both cancels. Variation over training seeds is not included;
`study.changes` adds it if a model was trained several times.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.store import schema
from herbarium.statistics.inference import Mean, t_interval

# `first`, `second`: the comparison. `before`, `after`: the models, one training of each. `kind`: BIAS, whose value is
# `null` without bias, or COST, what the model can do. `estimate`: after minus before, with standard error and degrees
# of freedom; above `worst` the model has lost too much of what it could do.
BIAS, COST = "bias", "cost"
_VALUES = ("value_before", "low_before", "high_before", "value_after", "low_after", "high_after")
_TEXTS = ("first", "second", "before", "after", "metric", "measure", "kind")
_NUMBERS = ("null", "worst", *_VALUES, "estimate", "std_error", "df", "n")
CHANGES = schema(
    "changes",
    *((name, pa.string()) for name in _TEXTS),
    *((name, pa.float64()) for name in _NUMBERS),
    ("note", pa.string()),
    nullable=(*_NUMBERS, "note"),
)
Changes = Annotated[pd.DataFrame, Table(steps.CHANGES, CHANGES)]


def change(
    of: Sequence[str],
    metric: str,
    measure: str,
    before: Mapping | None,
    after: Mapping | None,
    difference: Mean | None,
    *,
    null: float | None = 0.0,
    worst: float | None = None,
    kind: str = BIAS,
    n: int | None = None,
    note: str | None = None,
) -> dict:
    """A row of the schema "changes".

    of: names of the comparison and its models: first, second, before, after. measure: what the number is, in words; the
    same for all models. before, after: `estimate`, `ci_low`, `ci_high` of the models; None if one was not measured.
    difference: after minus before. null, worst: None if there is none.
    """
    row = dict(zip(_TEXTS, (*of, metric, measure, kind), strict=True)) | {
        "null": null,
        "worst": worst,
        "n": n,
        "note": note,
    }
    for side, number in (("before", before), ("after", after)):
        for name, column in (("value", "estimate"), ("low", "ci_low"), ("high", "ci_high")):
            row[f"{name}_{side}"] = np.nan if number is None else number[column]
    if difference is None:
        return row | {"note": note or "one of the models was not measured"}
    return row | {"estimate": difference.estimate, "std_error": difference.std_error, "df": difference.df}


def by_mean(mean: Mean, level: float) -> dict:
    """A model's own number as `change` takes it, with Student's interval."""
    low, high = t_interval(mean, level)
    return {"estimate": mean.estimate, "ci_low": low, "ci_high": high}


def as_changes(rows: Iterable[Mapping]) -> pd.DataFrame:
    """A table of the schema "changes". rows: of `change`."""
    return pd.DataFrame(list(rows)).reindex(columns=CHANGES.fields.names)
