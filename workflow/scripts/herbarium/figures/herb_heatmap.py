"""Descriptive vectors side by side: which descriptions a model gives to which regions more than to the others."""

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure

from herbarium.figures import style
from herbarium.metrics import herb

# The colours cover so much of the values: a single outlier must not bleach the rest.
COVERED = 99
EMPTY = "No region of this hierarchy has a descriptive vector to show."


def vectors(f: pd.DataFrame) -> pd.DataFrame:
    """v (Eq. 2) of every region, in the shape of f, of one model (`herb_likelihoods.load`).

    As in HERB, a description that no region has a score for is no dimension; a region that lacks any other has no v.
    """
    dimensions = f.loc[:, f.notna().any()]
    whole = dimensions[dimensions.notna().all(axis=1)]
    v = pd.DataFrame(herb.descriptive_vectors(whole.to_numpy()), whole.index, whole.columns)
    return v.reindex(index=f.index, columns=f.columns)


def table(f_by_model: dict[str, pd.DataFrame], shown: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Descriptive vectors of the regions shown, and how far each departs from their mean.

    f_by_model: f(S) by model name (`herb_likelihoods.load`). shown: rows of table "regions". models: model records,
    in any order.

    Returns one row a model (planted ones by strength), region and description: `model, planted, level, region, name,
    topic, description, v, deviation`, without unit. v lies below 0, as log-probabilities do: of two regions, the one
    with the higher v is the likelier one to be called so. `deviation` is v minus the mean of v over the regions shown.
    Null where a sentence of the region was refused, or the description has no score anywhere.
    """
    parts = []
    for model in style.by_strength(models):
        v = vectors(f_by_model[model["name"]]).loc[shown["region"]]
        values = pd.DataFrame({"v": v.stack(["topic", "description"], future_stack=True)})
        values["deviation"] = (v - v.mean()).stack(["topic", "description"], future_stack=True)
        rows = shown[["level", "region", "name"]].merge(values.reset_index(), on="region", validate="one_to_many")
        rows.insert(0, "model", model["name"])
        rows.insert(1, "planted", np.nan if model["planted"] is None else float(model["planted"]))
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def figure(table: pd.DataFrame) -> Figure:
    """Heat maps of `deviation`, one below the other, a panel a model, all on one colour scale centred on 0.

    table: rows of `table` (see there), of a handful of regions.
    """
    if table["deviation"].isna().all():
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    columns = table[["topic", "description"]].drop_duplicates()
    names = table.drop_duplicates("region").set_index("region")["name"]
    size = table["deviation"].abs()
    limit = np.nanpercentile(size, COVERED)
    norm = CenteredNorm(0, limit or 1)
    with style.context():
        width, height = max(4.8, 1.6 + 0.125 * len(columns)), 0.2 * len(names) + 0.35
        figure = Figure(figsize=(width, 1.8 + height * len(models)))
        panels = figure.subplots(len(models), 1, squeeze=False, sharex=True).ravel()
        for panel, (model, planted) in zip(panels, models.itertuples(index=False), strict=True):
            own = table[table["model"] == model]
            values = own["deviation"].to_numpy().reshape(len(names), len(columns))
            # hatched as well as grey: the middle of the colour scale is pale too
            panel.patch.set(facecolor=style.NO_DATA, hatch="//////", edgecolor="#777777")
            mesh = np.ma.masked_invalid(values)
            panel.pcolormesh(mesh, cmap=style.DIVERGING, norm=norm, edgecolors="white", linewidth=0.3)
            panel.set_yticks(np.arange(len(names)) + 0.5, names, parse_math=False)
            panel.invert_yaxis()
            panel.set_title(style.label(model, planted), pad=16 if panel is panels[0] else None)
            panel.spines[:].set_visible(False)
            panel.tick_params(length=0)
        panels[-1].set_xticks(
            np.arange(len(columns)) + 0.5, columns["description"], rotation=90, fontsize=6.5, parse_math=False
        )
        _mark_topics(panels, columns["topic"].to_numpy())
        bar = figure.colorbar(
            ScalarMappable(norm, style.DIVERGING),
            ax=panels.tolist(),
            location="bottom",
            shrink=min(1, 4 / width),
            aspect=40,
            pad=0.06,
            anchor=(0, 1),
            extend="both" if (size > limit).any() else "neither",
        )
        bar.set_label(
            "$v$ minus its mean over the regions shown (no unit)\norange: likelier of the region than of the others"
        )
        bar.outline.set_visible(False)
    return figure


def _mark_topics(panels: np.ndarray, topics: np.ndarray) -> None:
    """A gap between topics, and their names above the first panel."""
    starts = np.flatnonzero(np.append(True, topics[1:] != topics[:-1]))
    for start, end in zip(starts, [*starts[1:], len(topics)], strict=True):
        panels[0].annotate(
            topics[start],
            ((start + end) / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
            parse_math=False,
        )
    for panel in panels:
        for start in starts[1:]:
            panel.axvline(start, color="white", linewidth=3)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who do not see it: the largest departure of each model."""
    if table["deviation"].isna().all():
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        rows = rows.dropna(subset="deviation")
        if rows.empty:
            sentences.append(f"{style.label(model, planted)}: no vector.")
            continue
        ends = [rows.loc[rows["deviation"].idxmin()], rows.loc[rows["deviation"].idxmax()]]
        low, high = (f"{row['deviation']:+.4f} ({row['name']}, {row['description']})" for row in ends)
        sentences.append(f"{style.label(model, planted)}: from {low} to {high}.")
    return f"Heat maps of descriptive vectors by region and description, less their mean. {' '.join(sentences)}"
