"""Random effects of each template and each target in linear mixed models, relative to the mean over all of them."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.mixed_effects.figures import shared
from herbarium.statistics.fits import INTERCEPTS

GROUPS = ("template", "target")
_BY = ["data", "model", "group", "dimension"]
COLUMNS = ["data", "model", "planted", "group", "dimension", "level", "rank", "estimate", "std_error", "low", "high"]
EMPTY = style.Empty("No model has a random effect to show.")
# Number of models drawn per set of stimuli; the table has all.
MOST = 8
_Z = 1.96
_AXIS = "random effect (nats)"
_GAP = 1.5  # levels between two dimensions
_FLAT = 1e-6  # what a fit may leave of a variance of 0


def table(levels: pd.DataFrame, stimuli: list[str], models: list[dict]) -> pd.DataFrame:
    """Random intercepts of the main question, male against female words.

    levels: of the schema "fit_levels", of all models. stimuli, models: as for `shared.ordered`.

    Returns one row per set of stimuli, model, group (GROUPS), dimension and level, by rank (1 for the lowest), with
    COLUMNS: natural logarithms. `low`, `high`: 1.96 conditional standard errors from the estimate.
    """
    is_main = (levels["definition"] == shared.DEFINITION) & (levels["subset"] == shared.SUBSET)
    is_main &= (levels["structure"] == INTERCEPTS) & (levels["contrast"] == shared.CONTRAST)
    rows = pd.concat([levels[is_main & (levels["group"] == group)] for group in GROUPS])
    rows = shared.ordered(rows, stimuli, models, _BY)
    place = rows.groupby(_BY, sort=False).ngroup()
    rows = rows.assign(place=place).sort_values(["place", "estimate"], kind="stable", ignore_index=True)
    half = _Z * rows["std_error"]
    rows = rows.assign(low=rows["estimate"] - half, high=rows["estimate"] + half)
    return rows.assign(rank=rows.groupby("place").cumcount() + 1)[COLUMNS]


def panels(table: pd.DataFrame) -> list[dict]:
    """Caterpillar plots: for each set of stimuli and model, its templates and its targets next to each other.

    In a panel the levels of each dimension are sorted, one dimension after the other; the lowest and the highest have
    their name beside them. table: rows of `table` (see there). If a set has more than MOST models, the first are drawn.
    """
    plots, looks = [], interactive.looks_of(table)
    for name, shown in table.groupby("data", sort=False):
        shown = shown.assign(
            x=_places(shown), name=shown["level"], series=interactive.labels(shown), line=shown["dimension"]
        )
        shown = shown.rename(columns={"low": "ci_low", "high": "ci_high"})
        models = list(shown["model"].unique())
        heading = name if len(models) <= MOST else f"{name} ({MOST} of {len(models)} models; the CSV has all)"
        for model in models[:MOST]:
            of_model = shown[shown["model"] == model]
            for group, rows in of_model.groupby("group", sort=False):
                by_dimension = rows.groupby("dimension", sort=False)["x"]
                ticks = {at.mean(): f"{dimension} ({len(at)})" for dimension, at in by_dimension}
                title, n_named = f"{rows['series'].iloc[0]}: {group}s", 0 if _is_flat(rows) else 1
                panel = interactive.scatter(title, rows, "", _AXIS, of_model, looks, n_named, "y", ticks)
                panel["layout"]["height"] = 260
                plots.append(panel | {"heading": heading, "abreast": len(GROUPS)})
    return plots


def _places(data_rows: pd.DataFrame) -> pd.Series:
    """The positions of a set's levels in their panels. Each dimension has room for its levels in any model."""
    places = pd.Series(0.0, data_rows.index)
    for _, rows in data_rows.groupby("group", sort=False):
        widths = rows.groupby("dimension", sort=False)["rank"].max() + _GAP
        starts = widths.cumsum() - widths
        places[rows.index] = rows["dimension"].map(starts) + rows["rank"]
    return places


def _is_flat(rows: pd.DataFrame) -> bool:
    return rows["estimate"].abs().max() < _FLAT


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the extremes of each model, and the number that differ from
    0."""
    if table.empty:
        return EMPTY
    sentences = []
    for (name, model), of_model in table.groupby(["data", "model"], sort=False):
        clauses = []
        for group, rows in of_model.groupby("group", sort=False):
            low, high = rows.loc[rows["estimate"].idxmin()], rows.loc[rows["estimate"].idxmax()]
            ends = [
                f"{style.text(row['estimate'], '+.2g')} ({row['level']}, {row['dimension']})" for row in (low, high)
            ]
            away = ((rows["low"] > 0) | (rows["high"] < 0)).sum()
            clauses.append(
                f"{group}s all at 0"
                if _is_flat(rows)
                else f"{group}s from {' to '.join(ends)}, {away} of {len(rows)} differ from 0"
            )
        sentences.append(f"{name}, {style.label(model, of_model['planted'].iloc[0])}: {'; '.join(clauses)}.")
    return f"Caterpillar plots of random effects by dimension. {' '.join(sentences)}"
