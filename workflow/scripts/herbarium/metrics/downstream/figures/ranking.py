"""Countries ranked by their effect in a task, compared with meaningless names."""

from collections.abc import Mapping

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, ranking, shaded
from herbarium.metrics.downstream.figures import shared

NONSENSE = "nonsense"
COLUMNS = [*tasks.PLACE, "unit", "rank", "region", "name", "continent"]
COLUMNS += ["n", "excess", "ci_low", "ci_high", "p_adjusted", "is_found", "band_low", "band_high", "is_beyond"]
# Countries named at either end of the ranking.
ENDS = 12
BAND = 2  # standard deviations
EMPTY = style.Empty("No country has an excess to rank.")
_AXIS = "log-odds of the positive class<br>beyond made-up names"


def table(numbers: pd.DataFrame, prefixes: Mapping[str, pd.DataFrame], where: pd.DataFrame) -> pd.DataFrame:
    """The effects of countries beyond made-up names, ranked, then the effect of each made-up name.

    numbers, prefixes, where: as for `shared.effects`.

    Returns one row per task, model and prefix, with COLUMNS. `excess` and its numbers are those of
    `map.table`. `rank`: for a country, 1 for the greatest; equal values share the lowest rank, null without a value.
    `band_low`, `band_high`: BAND standard deviations (n - 1) of the nonsense names on either side of their mean, null
    of fewer than two; `is_beyond`: whether the excess is outside.
    """
    rows = shared.effects(numbers, prefixes, where, [shared.COUNTRY, NONSENSE])
    place = rows.groupby(["task", "model"], sort=False)
    is_country = rows["unit"] == shared.COUNTRY
    ranks = rows["excess"].where(is_country).groupby([rows["task"], rows["model"]]).rank(method="min", ascending=False)
    band = rows["excess"].where(rows["unit"] == NONSENSE).groupby([rows["task"], rows["model"]])
    mean, half = band.transform("mean"), BAND * band.transform("std")
    rows = rows.assign(rank=ranks.astype("Int64"), band_low=mean - half, band_high=mean + half)
    rows["is_found"] = shared.is_found(rows)
    rows["is_beyond"] = (rows["excess"] < rows["band_low"]) | (rows["excess"] > rows["band_high"])
    units = rows["unit"].map({unit: number for number, unit in enumerate([shared.COUNTRY, NONSENSE])})
    rows = rows.assign(place=place.ngroup(), units=units)
    return rows.sort_values(["place", "units", "rank"], kind="stable", ignore_index=True)[COLUMNS]


def _counted(model_rows: pd.DataFrame) -> str:
    model_rows = model_rows[model_rows["rank"].notna()]
    if model_rows["band_low"].isna().all():
        return f"adjusted p < {style.ALPHA:g}: {model_rows['is_found'].sum()} of {len(model_rows)} countries"
    return f"{model_rows['is_beyond'].sum()} of {len(model_rows)} countries beyond the shaded range of made-up names"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per task and model."""
    if table["rank"].isna().all():
        return EMPTY
    sentences = []
    for (task, _, label), rows in tasks.by_model(table):
        known = rows[rows["rank"].notna()]
        summary = f"{shared.extremes(known)}; {_counted(rows)}" if len(known) else "no value"
        band = rows[["band_low", "band_high"]].iloc[0]
        if band.notna().all():
            summary += f" ({' to '.join(map(shared.signed, band))})"
        sentences.append(f"{task}, {label}: {summary}.")
    return f"Countries ranked by task and model: {shared.EFFECT}, with intervals. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """All countries by rank, those at either end with their names, over the range of made-up names: one panel per task
    and model. table: rows of `table` (see there)."""
    table = table.dropna(subset="rank").rename(columns={"excess": "estimate"}).drop(columns="continent")
    return [
        shaded(
            ranking(f"{task}, {label}: {_counted(rows)}", rows, _AXIS, of_task, ENDS),
            *("x", *rows[["band_low", "band_high"]].iloc[0], "made-up names (mean ± 2 standard deviations)"),
        )
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ]
