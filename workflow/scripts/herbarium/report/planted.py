"""Whether numbers follow the strength of a planted bias."""

from collections.abc import Mapping
from itertools import pairwise

import pandas as pd


def order(rows: pd.DataFrame) -> dict:
    """What can be said about the order of planted models' numbers.

    rows: one per model, from weak to strong, with `model`, `planted`, `estimate`, `ci_low`, `ci_high`. Returns whether
    no number or interval is missing (`complete`), the neighbouring pairs, (weaker, stronger), whose numbers do not rise
    (`falling`), and those whose intervals overlap (`overlapping`). Models of the same strength are not compared.
    """
    models = [row for _, row in rows.iterrows()]
    neighbours = [(weak, strong) for weak, strong in pairwise(models) if weak["planted"] < strong["planted"]]
    return {
        "complete": bool(rows[["estimate", "ci_low", "ci_high"]].notna().all(axis=None)),
        "falling": [
            (weak["model"], strong["model"]) for weak, strong in neighbours if not weak["estimate"] < strong["estimate"]
        ],
        "overlapping": [(weak["model"], strong["model"]) for weak, strong in neighbours if overlap(weak, strong)],
    }


def overlap(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether two intervals have a value in common."""
    return not (one["ci_high"] < other["ci_low"] or other["ci_high"] < one["ci_low"])
