"""Numbers of tasks against the strength that was planted in their texts."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.downstream import planted_slope
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

# Variant -> its panel.
PANELS = {
    planted_slope.SLOPE: Panel(
        panel="downstream_slope",
        title="Tasks: slope of effects on what was planted in their texts",
        unit="log-odds (natural)",
        section="downstream-planted",
        counted="countries",
        has_truth=True,
    ),
    "spread_ratio": Panel(
        panel="downstream_ratio",
        title="Tasks: spread over countries to made-up names, by what was planted in their texts",
        unit="ratio",
        section="downstream-findings",
        counted="texts",
        null=1.0,
    ),
}


def rows(numbers: pd.DataFrame, planted: Mapping[str, float | None]) -> pd.DataFrame:
    """Rows of the schema "calibration", one series per model that was fine-tuned: the strength is that of the
    texts, whatever the model was planted with.

    numbers: tidy rows of metric "downstream". planted: task -> strength of its texts, None where nothing is planted.
    """
    strength = {f"{task}/country": of for task, of in planted.items()}
    of_countries = numbers[(numbers["unit"] == "all") & numbers["group"].isin(strength)]
    found = of_countries.assign(series=of_countries["model"], planted=of_countries["group"].map(strength).astype(float))
    return pd.concat(
        [calibration.rows(panel, found[found["variant"] == variant]) for variant, panel in PANELS.items()],
        ignore_index=True,
    )
