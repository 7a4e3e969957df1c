"""The effect of naming a country before a text in a task, around the world (after Fig. 4 of Li et al., 2022)."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure
from matplotlib.path import Path

from herbarium.drawing import maps as world
from herbarium.drawing import style, tasks
from herbarium.drawing.panels import by_model, colour_limit, map_
from herbarium.metrics.downstream.figures import shared

COLUMNS = [
    *(*tasks.PLACE, "region", "name", "iso2", "has_polygon"),
    *("n", "excess", "ci_low", "ci_high", "p_adjusted", "is_found"),
]
EMPTY = style.Empty("No country of these tasks has a country code: there is no map.")
_HEIGHT = {1: 2.6, 2: 2.1}  # inches of a map, by the number of maps in a row
_BAR = 0.4  # of the colour scale


def table(
    numbers: pd.DataFrame, prefixes: Mapping[str, pd.DataFrame], where: pd.DataFrame, countries: dict
) -> pd.DataFrame:
    """The effect of every country with a code beyond made-up names.

    numbers, prefixes, where: as for `shared.effects`. countries: GeoJSON.

    Returns one row per task, model and country, with COLUMNS: `excess` is the effect of the country's name on the
    log-odds of the positive class minus the average effect of made-up names, over `n` test texts and the training sets;
    `p_adjusted` is against made-up names, and `is_found` whether it is below `style.ALPHA`. `has_polygon`: whether
    `countries` has the country's shape.
    """
    rows = shared.effects(numbers, prefixes, where, [shared.COUNTRY])
    rows = rows[rows["iso2"].notna()].reset_index(drop=True)
    polygons = {feature["properties"]["iso2"] for feature in countries["features"]}
    return rows.assign(has_polygon=rows["iso2"].isin(polygons), is_found=shared.is_found(rows))[COLUMNS]


def figure(table: pd.DataFrame, countries_geojson: dict) -> Figure:
    """World maps of the excess, one block per task, with one colour scale centred on 0, one panel per model.

    table: rows of `table` (see there). countries_geojson: MultiPolygons with the property `iso2`.
    """
    if table.empty:
        return style.note(EMPTY)
    shapes = world.outlines(countries_geojson)
    by_task = tasks.by_task(table)
    blocks = {_title(task, rows): list(rows["model"].unique()) for task, rows in by_task.items()}
    columns = min(2, max(map(len, blocks.values())))
    heights = {title: _HEIGHT[columns] + _BAR / -(-len(models) // columns) for title, models in blocks.items()}
    with style.context():
        figure, parts = tasks.panels(blocks, heights)
        for (part, panels), rows in zip(parts.values(), by_task.values(), strict=True):
            norm, extend = style.centred(rows["excess"], world.COVERED)
            for (_, model, label), model_rows in tasks.by_model(rows):
                _draw(panels[model], shapes, model_rows.dropna(subset="excess").set_index("iso2"), norm)
                panels[model].set_title(f"{label}\n{_counted(model_rows)}", parse_math=False)
            bar = part.colorbar(
                ScalarMappable(norm, style.DIVERGING),
                ax=list(panels.values()),
                location="bottom",
                shrink=0.7,
                aspect=40,
                pad=0.02,
                extend=extend,
            )
            bar.outline.set_visible(False)
        tasks.caption(figure, f"Colour: {shared.EFFECT}.", _reading(table))
    return figure


def _title(task: str, rows: pd.DataFrame) -> str:
    return f"{task}, {shared.texts(rows)}"


def _counted(rows: pd.DataFrame) -> str:
    return f"adjusted p < {style.ALPHA:g}: {rows['is_found'].sum()} of {rows['excess'].notna().sum()} countries"


def _draw(panel, shapes: list[tuple[str | None, Path]], known: pd.DataFrame, norm: CenteredNorm) -> None:
    """known: rows of the countries with an excess, by iso2."""
    coloured = world.draw(panel, shapes, known.index)
    coloured.set(cmap=style.DIVERGING, norm=norm)
    coloured.set_array([known.loc[iso2, "excess"] for iso2, _ in shapes if iso2 in known.index])
    lost = known.index[~known["is_found"]]
    dots = PathCollection(
        [shape for iso2, shape in shapes if iso2 in lost],
        facecolors="none",
        edgecolors="#555555",
        linewidths=0,
        hatch="." * 5,
        clip_path=(panel.patches[0].get_path(), panel.transData),
    )
    panel.add_collection(dots)


def without_polygon(table: pd.DataFrame) -> list[str]:
    """Names of the countries that have one but no shape on the map, in the order of the table."""
    return table.loc[table["excess"].notna() & ~table["has_polygon"], "name"].drop_duplicates().tolist()


def _reading(table: pd.DataFrame) -> str:
    text = f"Dotted: adjusted p not below {style.ALPHA:g}. Hatched grey: no value."
    hidden = without_polygon(table)
    return text + (f" With a value but without a shape on this map, {world.shortened(hidden)}." if hidden else "")


def describe(table: pd.DataFrame) -> str:
    """The maps in words, for those who cannot see them: one sentence per task and model."""
    if table.empty:
        return EMPTY
    sentences = []
    for (task, _, label), rows in tasks.by_model(table):
        known = rows.dropna(subset="excess")
        summary = f"{shared.extremes(known)}; {_counted(rows)}" if len(known) else "no value"
        sentences.append(f"{task}, {label}: {summary}.")
    return f"World maps by task and model of the {shared.EFFECT}, country by country. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """The maps, interactive, one panel per task and model."""
    return [
        map_(f"{task}, {label}", rows, "excess", colour_limit(of_task["excess"]), "log-odds")
        for task, of_task in table.groupby("task", sort=False)
        for label, rows in by_model(of_task)
    ]
