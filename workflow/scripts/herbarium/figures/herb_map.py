"""What a model says of one description around the world: one map a model (after Fig. 1 of Li et al., 2022)."""

import textwrap
from collections.abc import Collection

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from herbarium.figures import herb_likelihoods, style

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
# The colours cover so much of the values: a single outlier must not bleach the rest.
COVERED = 98
EMPTY = "No region of this hierarchy has a country code: there is no map."


def table(
    f_by_model: dict[str, pd.DataFrame], regions: pd.DataFrame, models: list[dict], description: str, countries: dict
) -> pd.DataFrame:
    """Scores of one description for every country: the regions with `iso2`.

    f_by_model: f(S) by model name (`herb_likelihoods.load`). regions: table of regions. models: model records, in any
    order. countries: GeoJSON.

    Returns one row a model (planted ones by strength) and country, with COLUMNS. In nats a token, null where the
    sentence was refused: `f`, the mean log-probability of the sentence; `f_relative`, f minus the country's mean over
    all descriptions (names differ in how likely any sentence with them is); `f_deviation`, f_relative minus the model's
    mean over countries (descriptions differ in how likely they are anywhere). `has_polygon`: whether `countries` has
    the country's shape.
    """
    shown = regions.loc[regions["iso2"].notna() & regions["parent"].notna(), ["region", "name", "iso2"]]
    polygons = {feature["properties"]["iso2"] for feature in countries["features"]}
    rows = herb_likelihoods.of_description(f_by_model, shown, models, description)
    rows["f_deviation"] = rows["f_relative"] - rows.groupby("model")["f_relative"].transform("mean")
    return rows.assign(has_polygon=rows["iso2"].isin(polygons))[COLUMNS]


def equal_earth(degrees: np.ndarray) -> np.ndarray:
    """Longitude and latitude, (n, 2) in degrees, to the plane: Equal Earth (Šavrič, Patterson and Jenny, 2018).

    Equal area, so that the ink of a country says nothing but how large it is.
    """
    longitude, latitude = np.radians(np.asarray(degrees, dtype=float)).T
    theta = np.arcsin(np.sqrt(3) / 2 * np.sin(latitude))
    a = (1.340264, -0.081106, 0.000893, 0.003796)
    slope = 9 * a[3] * theta**8 + 7 * a[2] * theta**6 + 3 * a[1] * theta**2 + a[0]
    x = 2 * np.sqrt(3) * longitude * np.cos(theta) / (3 * slope)
    y = a[3] * theta**9 + a[2] * theta**7 + a[1] * theta**3 + a[0] * theta
    return np.column_stack([x, y])


def outlines(countries: dict) -> list[tuple[str | None, Path]]:
    """`(iso2, outline)` of each feature, holes included, in the plane of the map."""
    return [
        (
            feature["properties"]["iso2"],
            Path.make_compound_path(
                *(
                    Path(equal_earth(part), closed=True)
                    for polygon in feature["geometry"]["coordinates"]
                    for ring in polygon
                    for part in _either_side(ring)
                )
            ),
        )
        for feature in countries["features"]
    ]


def _either_side(ring: list[list[float]]) -> list[np.ndarray]:
    """A ring, as often as it shows on the map: one that crosses the 180th meridian once at each edge of the map.

    Parts beyond the edge are left to the clipping of the panel.
    """
    longitude, latitude = np.array(ring, dtype=float).T
    longitude = np.unwrap(longitude, period=360)
    if abs(longitude[-1] - longitude[0]) > 180:  # around a pole: closed along it
        pole = np.copysign(90, latitude.mean())
        longitude = np.append(longitude, [longitude[-1], longitude[0], longitude[0]])
        latitude = np.append(latitude, [pole, pole, latitude[0]])
    turns = [turn for turn in (-360, 0, 360) if longitude.min() + turn < 180 and longitude.max() + turn > -180]
    return [np.column_stack([longitude + turn, latitude]) for turn in turns]


def globe() -> Path:
    """Outline of the whole map."""
    latitude = np.linspace(-90, 90, 91)
    west, east = (np.column_stack([np.full(91, edge), latitude]) for edge in (-180, 180))
    return Path(equal_earth(np.vstack([west, east[::-1], west[:1]])), closed=True)


def figure(table: pd.DataFrame, countries_geojson: dict) -> Figure:
    """World maps of `f_deviation`, one panel a model, all on one colour scale centred on 0.

    table: rows of `table` (see there). countries_geojson: MultiPolygons with the property `iso2`.
    """
    if table.empty:
        return style.note(EMPTY)
    models = table[["model", "planted"]].drop_duplicates()
    scored = table.dropna(subset="f_deviation")
    shapes = outlines(countries_geojson)
    limit = np.percentile(scored["f_deviation"].abs(), COVERED) if len(scored) else 0
    norm = CenteredNorm(0, limit or 1)
    columns = 1 if len(models) <= 3 else 2
    rows = -(-len(models) // columns)
    with style.context():
        figure = Figure(figsize=(4.8 * columns, 1.5 + 2.65 * rows))
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
            aspect=36 * columns,
            pad=0.02,
            extend="both" if (scored["f_deviation"].abs() > limit).any() else "neither",
        )
        bar.set_label("$f(S)$ relative to the average of its country and of its description\n(nats per token)")
        bar.outline.set_visible(False)
        words = table["description"].drop_duplicates()
        figure.suptitle(f"“{', '.join(words)}”", x=0.01, ha="left", fontsize=10, parse_math=False)
        figure.supxlabel(_under_the_map(table, 70 * columns), x=0.01, ha="left", fontsize=8, parse_math=False)
    return figure


def _draw(panel, shapes: list[tuple[str | None, Path]], values: pd.Series, norm: CenteredNorm) -> None:
    coloured = draw_world(panel, shapes, values.index)
    coloured.set(cmap=style.DIVERGING, norm=norm)
    coloured.set_array([values[iso2] for iso2, _ in shapes if iso2 in values.index])


def draw_world(panel, shapes: list[tuple[str | None, Path]], known: Collection[str]) -> PathCollection:
    """Draw all shapes of `outlines`, hatched grey but for the countries `known`; gives those, to be coloured, in order.

    known: ISO 3166 two-letter codes.
    """
    line = {"edgecolors": "#777777", "linewidths": 0.25}
    unknown = [shape for iso2, shape in shapes if iso2 not in known]
    # Hatched as well as grey: the middle of the colour scale is pale too.
    panel.add_collection(PathCollection(unknown, facecolors=style.NO_DATA, hatch="//////", **line))
    coloured = PathCollection([shape for iso2, shape in shapes if iso2 in known], **line)
    panel.add_collection(coloured)
    edge = PathPatch(globe(), facecolor="none", edgecolor="#999999", linewidth=0.4)
    panel.add_patch(edge)
    for collection in panel.collections:
        collection.set_clip_path(edge)
    (left, bottom), (right, top) = globe().get_extents().get_points()
    panel.set(xlim=(left, right), ylim=(bottom, top), aspect="equal", anchor="N")
    panel.set_axis_off()
    return coloured


def without_polygon(table: pd.DataFrame) -> list[str]:
    """Names of the countries that have a score but no shape on the map, in the order of the table."""
    hidden = table[table["f_deviation"].notna() & ~table["has_polygon"]]
    return hidden["name"].drop_duplicates().tolist()


def _under_the_map(table: pd.DataFrame, width: int) -> str:
    text = "Hatched grey: no score."
    hidden = without_polygon(table)
    if hidden:
        text += f" Scored but without a shape on this map, {shortened(hidden)}."
    return textwrap.fill(text, width)


def shortened(names: list[str]) -> str:
    """How many names there are, and the first of them."""
    more = f" and {len(names) - 6} more (see the CSV)" if len(names) > 6 else ""
    return f"{len(names)}: {', '.join(names[:6])}{more}"


def describe(table: pd.DataFrame) -> str:
    """The maps in words, for those who do not see them: a sentence a model."""
    if table.empty:
        return EMPTY
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        rows = rows.dropna(subset="f_deviation")
        if rows.empty:
            sentences.append(f"{style.label(model, planted)}: no score.")
            continue
        low, high = rows.loc[rows["f_deviation"].idxmin()], rows.loc[rows["f_deviation"].idxmax()]
        sentences.append(
            f"{style.label(model, planted)}: {len(rows)} countries, from {low['f_deviation']:+.3f} ({low['name']}) "
            f"to {high['f_deviation']:+.3f} ({high['name']})."
        )
    words = ", ".join(table["description"].drop_duplicates())
    return (
        f"World maps, one a model, of how far the log-probability of “{words}” said of a country departs from that of "
        f"the average country, in nats per token. {' '.join(sentences)}"
    )
