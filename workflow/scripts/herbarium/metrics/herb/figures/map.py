"""One description around the world: one map per model (after Fig. 1 of Li et al., 2022)."""

import textwrap

import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure
from matplotlib.path import Path

from herbarium.drawing import maps as world
from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.herb.figures import likelihoods

COLUMNS = [
    "model",
    "planted",
    "description",
    "region",
    "name",
    "iso2",
    "has_polygon",
    "f",
    "f_relative",
    "f_deviation",
]
_MOST = 100_000  # rows of the table, so that the page stays light
EMPTY = style.Empty("No region of this hierarchy has a country code: there is no map.")


def table(
    f_by_model: dict[str, pd.DataFrame], regions: pd.DataFrame, models: list[dict], description: str, countries: dict
) -> pd.DataFrame:
    """Scores of a description for every country (the regions with `iso2`), and of the others that the page offers.

    f_by_model: f(S) by model name (`likelihoods.load`). regions: table of regions. models: model records, in any
    order. countries: GeoJSON.

    Returns one row per description (of `offered`), model (planted ones by strength) and country, with COLUMNS. In nats
    per token, null if the sentence was refused: `f`, the mean log-probability of the sentence; `f_relative`, f minus
    the country's mean over all descriptions (names differ in how likely any sentence with them is); `f_deviation`,
    f_relative minus the model's mean over countries (descriptions differ in how likely they are anywhere).
    `has_polygon`: whether `countries` has the country's shape.
    """
    shown = regions.loc[regions["iso2"].notna() & regions["parent"].notna(), ["region", "name", "iso2"]]
    polygons = {feature["properties"]["iso2"] for feature in countries["features"]}
    descriptions = offered(f_by_model, shown["region"], description)
    rows = pd.concat(
        [likelihoods.of_description(f_by_model, shown, models, description) for description in descriptions],
        ignore_index=True,
    )
    means = rows.groupby(["description", "model"])["f_relative"].transform("mean")
    rows["f_deviation"] = rows["f_relative"] - means
    return rows.assign(has_polygon=rows["iso2"].isin(polygons))[COLUMNS]


def offered(f_by_model: dict[str, pd.DataFrame], countries: pd.Series, description: str) -> list[str]:
    """The description that is drawn, then, in order, as many others as the page has room for: those on which countries
    differ most, on average over models."""
    most = _MOST // max(len(f_by_model) * len(countries), 1)
    apart = [f.loc[countries].sub(f.mean(axis=1).loc[countries], axis=0).std() for f in f_by_model.values()]
    by_description = pd.concat(apart, axis=1).mean(axis=1).groupby("description", sort=False).max()
    others = by_description.drop(description)
    offered_names = others.nlargest(max(most - 1, 0)).index
    return [description, *(description for description in others.index if description in offered_names)]


def drawn(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the description that the figure draws."""
    return table[table["description"] == table["description"].iloc[0]] if len(table) else table


def figure(table: pd.DataFrame, countries_geojson: dict) -> Figure:
    """World maps of `f_deviation`, one panel per model, all on one colour scale centred on 0.

    table: rows of `table` (see there). countries_geojson: MultiPolygons with the property `iso2`.
    """
    if table.empty:
        return style.note(EMPTY)
    table = drawn(table)
    models = table[["model", "planted"]].drop_duplicates()
    scored = table.dropna(subset="f_deviation")
    shapes = world.outlines(countries_geojson)
    norm, extend = style.centred(scored["f_deviation"], world.COVERED)
    columns = 1 if len(models) <= 3 else 2
    rows = -(-len(models) // columns)
    with style.context():
        width, height = (4.8, 2.65) if columns == 1 else (style.WIDTH, 2.1)  # of the figure, and of a map
        figure = Figure(figsize=(width, 1.5 + height * rows))
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel in panels[len(models) :]:
            panel.remove()
        for panel, (model, planted) in zip(panels, models.itertuples(index=False), strict=False):
            _draw(panel, shapes, scored[scored["model"] == model].set_index("iso2")["f_deviation"], norm)
            panel.set_title(style.label(model, planted))
        bar = figure.colorbar(
            ScalarMappable(norm, style.DIVERGING),
            ax=panels[: len(models)].tolist(),
            location="bottom",
            fraction=0.04,
            aspect=int(7.5 * width),
            pad=0.02,
            extend=extend,
        )
        bar.set_label("$f(S)$ relative to the average of its country and of its description\n(nats per token)")
        bar.outline.set_visible(False)
        words = table["description"].drop_duplicates()
        figure.suptitle(f"“{', '.join(words)}”", x=0.01, ha="left", fontsize=10, parse_math=False)
        figure.supxlabel(_under_the_map(table, int(14.5 * width)), x=0.01, ha="left", fontsize=8, parse_math=False)
    return figure


def _draw(panel, shapes: list[tuple[str | None, Path]], values: pd.Series, norm: CenteredNorm) -> None:
    coloured = world.draw(panel, shapes, values.index)
    coloured.set(cmap=style.DIVERGING, norm=norm)
    coloured.set_array([values[iso2] for iso2, _ in shapes if iso2 in values.index])


def without_polygon(table: pd.DataFrame) -> list[str]:
    """Names of the countries that have a score but no shape on the map, in the order of the table."""
    table = drawn(table)
    hidden = table[table["f_deviation"].notna() & ~table["has_polygon"]]
    return hidden["name"].drop_duplicates().tolist()


def _under_the_map(table: pd.DataFrame, width: int) -> str:
    text = "Hatched grey: no score."
    hidden = without_polygon(table)
    if hidden:
        text += f" Scored but without a shape on this map, {world.shortened(hidden)}."
    return textwrap.fill(text, width)


def panels(table: pd.DataFrame) -> list[dict]:
    """The maps of `figure`, interactive (`drawing.panels`), for each description of the table."""
    values = table.groupby("description", sort=False)["f_deviation"]
    limits = {description: interactive.colour_limit(shown_values) for description, shown_values in values}
    return [
        interactive.map_(label, drawn(rows), "f_deviation", limits[rows["description"].iloc[0]], "nats per token")
        | ({"choices": interactive.choices(label, rows, "f_deviation", limits)} if len(limits) > 1 else {})
        for label, rows in interactive.by_model(table)
    ]


def describe(table: pd.DataFrame) -> str:
    """The maps in words, for those who cannot see them: one sentence per model."""
    if table.empty:
        return EMPTY
    table = drawn(table)
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        rows = rows.dropna(subset="f_deviation")
        if rows.empty:
            sentences.append(f"{style.label(model, planted)}: no score.")
            continue
        low, high = rows.loc[rows["f_deviation"].idxmin()], rows.loc[rows["f_deviation"].idxmax()]
        sentences.append(
            f"{style.label(model, planted)}: {len(rows)} countries, "
            f"from {style.text(low['f_deviation'], '+.3f')} ({low['name']}) "
            f"to {style.text(high['f_deviation'], '+.3f')} ({high['name']})."
        )
    words = ", ".join(table["description"].drop_duplicates())
    return (
        f"World maps, one per model, of the log-probability of “{words}” for a country, minus that for the average "
        f"country, in nats per token. {' '.join(sentences)}"
    )
