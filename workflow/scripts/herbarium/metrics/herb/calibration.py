"""HERB of models with a planted bias, against its strength and what a perfect model of their text would score."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.herb.crossed import DEFINITION, METRIC, VARIANT
from herbarium.statistics import calibration

# By metric and variant.
PANELS = {
    (METRIC, VARIANT): calibration.Panel(
        "herb",
        "HERB: crossed distance of the root",
        "squared log-probability per token",
        section="herb",
        counted="names",
    ),
    ("herb", "C_w_size_free"): calibration.Panel(
        "herb_size_free",
        "HERB as published: size-free C_w of the root (secondary)",
        "distance (no unit)",
        section="herb",
        counted="sub-regions",
        never_negative="a mean of distances",
    ),
}


def rows(numbers: pd.DataFrame, root: str, planted: Mapping[str, float | None], expected: pd.DataFrame) -> pd.DataFrame:
    """Rows of the schema "calibration": the root, for each model with something planted.

    numbers: tidy rows. root: its region identifier. planted: model -> the strength, None if there is none. expected:
    rows of the schema "herb_expected".
    """
    of_root = numbers[(numbers["group"] == root) & numbers["definition"].isin(["paper", DEFINITION])]
    of_root = of_root.merge(expected, how="left", on=["model", "metric", "variant", "group"])
    of_root = of_root.assign(series="root", planted=of_root["model"].map(planted).astype(float))
    return pd.concat(
        [
            calibration.rows(panel, of_root[(of_root["metric"] == metric) & (of_root["variant"] == variant)])
            for (metric, variant), panel in PANELS.items()
        ],
        ignore_index=True,
    )
