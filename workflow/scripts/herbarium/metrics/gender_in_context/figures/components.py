"""The share of the change by a swap of words that lies along its first principal directions."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.gender_in_context.names import GENDER

COLUMNS = ["unit", "model", "group", "component", "gender", "neutral_low", "neutral_mean", "neutral_high", "n_swaps"]
_LAYERS = 4  # lines of a panel, at most
EMPTY = style.Empty("No effect of gendered words on the vectors of other words was measured.")


def table(curves: pd.DataFrame) -> pd.DataFrame:
    """Rows of COLUMNS: the share of gender, and the least, mean and greatest share of the neutral swaps.

    curves: of the schema "gender_in_context_curves".
    """
    keys = ["unit", "model", "group", "component"]
    is_gender = curves["swap"] == GENDER
    gender = curves[is_gender].set_index(keys)["share"].rename("gender")
    by_key = curves[~is_gender].groupby(keys, sort=False)["share"]
    band = by_key.agg(neutral_low="min", neutral_mean="mean", neutral_high="max", n_swaps="count")
    return gender.to_frame().join(band, how="left").reset_index()[COLUMNS]


def _last(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last layer of each source."""
    last = table.groupby(["unit", "model"], sort=False)["group"].transform("last")
    return table[table["group"] == last]


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it."""
    first = _last(table)
    first = first[(first["component"] == 1) & first["gender"].notna()]
    if first.empty:
        return EMPTY
    sentences = []
    for row in first.to_dict("records"):
        band = (
            f"; swaps without gender {row['neutral_low']:.2f} to {row['neutral_high']:.2f}"
            if row["n_swaps"] > 0
            else ""
        )
        sentences.append(f"{row['unit']}, {row['model']}, layer {row['group']}: {row['gender']:.2f}{band}.")
    return f"Share of the difference along the first principal direction. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set and source: lines of some layers up to the last, and the range of its neutral swaps.

    table: rows of `table`.
    """
    names = {layer: f"gender, layer {layer}" for layer in table["group"].unique()}
    table = table.assign(x=table["component"], estimate=table["gender"], series=table["group"].map(names))
    table = table.assign(line="direction " + table["component"].astype(str))
    looks, plots = style.looks(names.values()), []
    for (unit, model), rows in table.groupby(["unit", "model"], sort=False):
        if rows["gender"].notna().any():
            layers = list(rows["group"].unique())[::-1]
            shown = rows[rows["group"].isin(layers[:: -(-len(layers) // _LAYERS)])]
            axes = "principal direction", "share of squared difference"
            panel = interactive.lines(f"{unit}: {model}", shown, axes, looks, bounds=(0, 1))
            last = _last(rows)
            if last["neutral_low"].notna().any():
                ends = last["component"], last["neutral_low"], last["neutral_high"]
                panel["data"].insert(0, interactive.area(*ends, "swaps without gender, last layer"))
            plots.append(panel)
    return plots
