"""Descriptive vectors compared: which descriptions a model gives to which regions more than to the others."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from herbarium.drawing import heat_maps, style
from herbarium.metrics.herb import score as herb

# Two topics are drawn side by side if all models together have no more columns than this.
_BESIDE = 24
EMPTY = style.Empty("Fewer than two continents have a descriptive vector: there is nothing to compare.")


def vectors(f: pd.DataFrame) -> pd.DataFrame:
    """v (Eq. 2) of every region, in the shape of f, of one model (`likelihoods.load`).

    As in HERB, a description for which no region has a score is not a dimension; a region that lacks any other has no
    v.
    """
    dimensions = f.loc[:, f.notna().any()]
    whole = dimensions[dimensions.notna().all(axis=1)]
    v = pd.DataFrame(herb.descriptive_vectors(whole.to_numpy()), whole.index, whole.columns)
    return v.reindex(index=f.index, columns=f.columns)


def table(f_by_model: dict[str, pd.DataFrame], shown: pd.DataFrame, models: list[dict]) -> pd.DataFrame:
    """Descriptive vectors of the regions shown, and the difference of each from their mean.

    f_by_model: f(S) by model name (`likelihoods.load`). shown: rows of table "regions". models: model records,
    in any order.

    Returns one row per model (planted ones by strength), region and description: `model, planted, level, region, name,
    topic, description, v, deviation`, without unit. v is negative, like log-probabilities: of two regions, the one with
    the higher v is the likelier to be described so. `deviation` is v minus the mean of v over the regions shown. Null
    if a sentence of the region was refused, or the description has no score anywhere.
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
    """Heat maps of `deviation`, one panel per topic: one row per description, regions of each model side by side.

    table: rows of `table` (see there), of a handful of regions. All panels have one colour scale, centred on 0.
    It has no panels: the page shows this picture.
    """
    if _is_empty(table):
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    descriptions = table[["topic", "description"]].drop_duplicates()
    names = table.drop_duplicates("region")["name"].tolist()
    norm, extend = style.centred(table["deviation"], heat_maps.COVERED)
    values = table["deviation"].to_numpy().reshape(-1, len(descriptions)).T  # one column per model and region
    by_topic = [rows for _, rows in descriptions.reset_index(drop=True).groupby("topic", sort=False)]
    beside = values.shape[1] <= _BESIDE
    columns = 2 if beside and len(by_topic) > 1 else 1
    width = style.WIDTH / 2 * columns if beside else style.WIDTH
    with style.context():
        figure, panels = heat_maps.panels(list(map(len, by_topic)), columns, width, around=0.9, rest=1.1)
        for panel, rows in zip(panels, by_topic, strict=True):
            # hatched and not only grey: the middle of the colour scale is pale too
            panel.patch.set(facecolor=style.NO_DATA, hatch="//////", edgecolor="#777777")
            mesh = np.ma.masked_invalid(values[rows.index])
            heat_maps.draw(panel, mesh, rows["description"], names * len(models), norm, size=6.5)
            panel.set_title(rows["topic"].iloc[0], pad=30, parse_math=False)
            _mark_models(panel, models, len(names))
        bar = figure.colorbar(
            ScalarMappable(norm, style.DIVERGING),
            ax=panels,
            location="bottom",
            shrink=min(1, 4 / width),
            aspect=40,
            pad=0.02,
            extend=extend,
        )
        bar.set_label(
            "$v$ minus its mean over the regions shown (no unit)\norange: likelier for the region than for the others"
        )
        bar.outline.set_visible(False)
    return figure


def _is_empty(table: pd.DataFrame) -> bool:
    """Whether there is nothing to compare: a single region equals the mean."""
    return table.dropna(subset="deviation")["region"].nunique() < 2


def _mark_models(panel, models: pd.DataFrame, n_regions: int) -> None:
    """A gap between models, and their names above the panel."""
    for place, (model, planted) in enumerate(models.itertuples(index=False)):
        if place:
            panel.axvline(place * n_regions, color="white", linewidth=3)
        panel.annotate(
            textwrap.fill(style.label(model, planted), 13),
            ((place + 0.5) * n_regions, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=6.5,
            parse_math=False,
        )


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the largest deviation of each model."""
    if _is_empty(table):
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        rows = rows.dropna(subset="deviation")
        if rows.empty:
            sentences.append(f"{style.label(model, planted)}: no vector.")
            continue
        ends = [rows.loc[rows["deviation"].idxmin()], rows.loc[rows["deviation"].idxmax()]]
        low, high = (f"{style.text(row['deviation'], '+.4f')} ({row['name']}, {row['description']})" for row in ends)
        sentences.append(f"{style.label(model, planted)}: from {low} to {high}.")
    return f"Heat maps of descriptive vectors by region and description, minus their mean. {' '.join(sentences)}"
