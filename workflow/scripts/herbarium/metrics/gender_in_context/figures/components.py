"""The share of the change by a swap of words that lies along its first principal directions."""

import pandas as pd
from matplotlib.figure import Figure

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.gender_in_context.names import GENDER

COLUMNS = ["unit", "model", "group", "component", "gender", "neutral_low", "neutral_mean", "neutral_high", "n_swaps"]
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


def figure(table: pd.DataFrame) -> Figure:
    """One panel per set and source: the last layer's shares of gender, the band of the neutral swaps in grey."""
    shown = _last(table)
    if shown["gender"].isna().all():
        return style.note(EMPTY)
    of_panels = list(shown.groupby(["unit", "model"], sort=False))
    n_columns = min(3, len(of_panels))
    n_rows = -(-len(of_panels) // n_columns)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 2.0 * n_rows + 0.2))
        axes = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
        for panel, ((unit, model), rows) in zip(axes, of_panels, strict=False):
            if rows["neutral_low"].notna().any():
                band = rows["component"], rows["neutral_low"], rows["neutral_high"]
                panel.fill_between(*band, color="#bbbbbb", alpha=0.6, linewidth=0, label="swaps without gender")
            panel.plot(rows["component"], rows["gender"], "o-", color=style.COLOURS[0], markersize=3.5, label="gender")
            panel.set_title(f"{unit}: {model}, layer {rows['group'].iloc[0]}", parse_math=False)
            panel.set_xlabel("principal direction")
        for panel in axes[len(of_panels) :]:
            panel.set_visible(False)
        axes[0].set_ylabel("share of squared difference")
        axes[0].legend(loc="upper right")
    return figure


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
    said = []
    for row in first.to_dict("records"):
        band = (
            f"; swaps without gender {row['neutral_low']:.2f} to {row['neutral_high']:.2f}"
            if row["n_swaps"] > 0
            else ""
        )
        said.append(f"{row['unit']}, {row['model']}, layer {row['group']}: {row['gender']:.2f}{band}.")
    return f"Share of the difference along the first principal direction. {' '.join(said)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The interactive form: one panel per set and source, of all layers. table: rows of `table`."""
    found = []
    for (unit, model), rows in table.groupby(["unit", "model"], sort=False):
        if rows["gender"].notna().any():
            traces = [
                {
                    **{"x": own["component"].tolist(), "y": interactive.plain(own["gender"])},
                    **{"name": f"layer {layer}", "mode": "lines+markers", "marker": {"color": style.colour(number)}},
                }
                for number, (layer, own) in enumerate(rows.groupby("group", sort=False))
            ]
            axes = {"xaxis": {"title": {"text": "principal direction"}}, "yaxis": {"title": {"text": "share"}}}
            found.append({"title": f"{unit}: {model}", "data": traces, "layout": axes | {"height": 340}})
    return found
