"""Numbers of tasks against the strength planted in their texts."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.downstream import planted_slope
from herbarium.metrics.downstream.numbers import EXCESS_SPREAD
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel

# Variant -> its panel. The strength is the standard deviation over countries of what they add to the log-odds of
# labels, and its slope on their leans; made-up names add nothing.
PANELS = {
    EXCESS_SPREAD: Panel(
        panel="downstream_excess",
        title="Downstream tasks: spread over countries beyond made-up names, by the strength planted in their texts",
        unit="log-odds (natural)",
        section="downstream-findings",
        counted="texts",
    ),
    planted_slope.SLOPE: Panel(
        panel="downstream_slope",
        title="Downstream tasks: slope of the effects of countries on what was planted in their texts",
        unit="log-odds (natural)",
        section="downstream-planted",
        counted="countries",
    ),
}


def rows(numbers: pd.DataFrame, planted: Mapping[str, float | None]) -> pd.DataFrame:
    """Rows of the schema "calibration", one series per model that was fine-tuned: the strength is that of the
    texts, whatever the model was planted with. `expected` is the strength; `learned`, the slope by it.

    numbers: tidy rows of metric "downstream". planted: task -> strength of its texts, None if nothing is planted.
    """
    strength = {f"{task}/country": task_strength for task, task_strength in planted.items()}
    of_countries = numbers[(numbers["unit"] == "all") & numbers["group"].isin(strength)]
    planted_rows = of_countries.assign(
        series=of_countries["model"], planted=of_countries["group"].map(strength).astype(float)
    )
    slope = planted_rows[planted_rows["variant"] == planted_slope.SLOPE].set_index(["model", "group"])["estimate"]
    slopes = slope.reindex(pd.MultiIndex.from_frame(planted_rows[["model", "group"]])).to_numpy()
    planted_rows = planted_rows.assign(
        expected=planted_rows["planted"], learned=slopes / planted_rows["planted"].where(planted_rows["planted"] > 0)
    )
    return pd.concat(
        [
            calibration.rows(panel, planted_rows[planted_rows["variant"] == variant])
            for variant, panel in PANELS.items()
        ],
        ignore_index=True,
    )
