"""HERB of models with a planted bias, against its strength."""

from collections.abc import Mapping

import pandas as pd

from herbarium.statistics import calibration

PANEL = calibration.Panel(
    "herb",
    "HERB: size-free C_w of the root",
    "distance (no unit)",
    section="herb",
    counted="sub-regions",
    never_negative="a mean of distances",
)


def rows(numbers: pd.DataFrame, root: str, planted: Mapping[str, float | None]) -> pd.DataFrame:
    """Rows of the schema "calibration": the root, of each model in which something was planted.

    numbers: tidy rows. root: its region identifier. planted: model -> the strength, None where there is none.
    """
    found = numbers[(numbers["metric"] == "herb") & (numbers["definition"] == "paper") & (numbers["group"] == root)]
    found = found[found["variant"] == "C_w_size_free"]
    strength = found["model"].map(planted).astype(float)
    return calibration.rows(PANEL, found.assign(series="root", planted=strength))
