"""A model's representations of country names, next to the real map (after Fig. 3 of Li et al., 2022)."""

import contextlib
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from threadpoolctl import threadpool_limits

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.drawing import maps, style
from herbarium.metrics.herb import space
from herbarium.regions import levels

# One row per model and country: see `table`.
PLANE = schema(
    "herb_plane",
    ("model", pa.string()),
    ("planted", pa.float64()),
    ("region", pa.string()),
    ("name", pa.string()),
    ("iso2", pa.string()),
    ("continent", pa.string()),
    ("continent_name", pa.string()),
    ("has_polygon", pa.bool_()),
    ("n_tokens", pa.int32()),
    ("x", pa.float64()),
    ("y", pa.float64()),
    ("note", pa.string()),
    nullable=("planted", "iso2", "n_tokens", "x", "y", "note"),
)
COLUMNS = PLANE.fields.names
# UMAP's number of neighbours (its default).
NEIGHBOURS = 15
TOO_FEW = f"UMAP needs more than {NEIGHBOURS} countries: no plane."
NO_PLANE = style.Empty(
    f"UMAP needs more than {NEIGHBOURS} countries, so there is no figure of them; the numbers about their names are in "
    "summary.csv."
)
EMPTY = style.Empty("This hierarchy has no countries: there is nothing to show.")


def table(
    embeddings_by_model: dict[str, pd.DataFrame], regions: pd.DataFrame, models: list[dict], countries: dict, seed: int
) -> pd.DataFrame:
    """The place of each country on the plane that UMAP computes from a model's representations of the countries' names.

    embeddings_by_model: tables "embeddings" by model name. regions: table of regions. models: model records, in any
    order. countries: GeoJSON. seed: the study's.

    Returns one row per model (planted ones by strength) and country (`levels.countries`), of the schema PLANE. `x`
    and `y` have no unit; they are null if the name has no representation (`note`), and everywhere if a model has no
    more than NEIGHBOURS representations. `has_polygon`: whether `countries` has the country's shape.
    """
    shown = levels.countries(regions)
    shown["continent_name"] = shown["continent"].map(regions.set_index("region")["name"])
    polygons = {feature["properties"]["iso2"] for feature in countries["features"]}
    shown["has_polygon"] = shown["iso2"].isin(polygons)
    parts = []
    for model in tracked(style.by_strength(models), len(models), "models", "Planes"):
        embeddings = embeddings_by_model[model["name"]]
        place = plane(space.matrix(embeddings, shown["region"]), stream(seed, "umap", "herb_space", model["name"]))
        rows = shown.assign(x=place[:, 0], y=place[:, 1])
        rows = rows.merge(embeddings[["region", "n_tokens", "note"]], how="left", on="region", validate="one_to_one")
        planted = np.nan if model["planted"] is None else float(model["planted"])
        parts.append(rows.assign(model=model["name"], planted=planted)[COLUMNS])
    return pd.concat(parts, ignore_index=True)


def plane(representation: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """UMAP (McInnes, Healy and Melville, 2018) of representations (n, hidden) to (n, 2), by cosine distance.

    nan without a representation, and everywhere with no more than NEIGHBOURS of them. One thread and one seed: equal
    input gives equal output.
    """
    known = np.isfinite(representation).all(axis=1)
    place = np.full((len(representation), 2), np.nan)
    if known.sum() > NEIGHBOURS:
        from umap import UMAP  # takes seconds

        _keep_compiled()
        seed = int(random.integers(2**31))
        umap = UMAP(n_neighbors=NEIGHBOURS, metric="cosine", random_state=seed, n_jobs=1)
        with threadpool_limits(1):
            place[known] = umap.fit_transform(representation[known])
    return place


def _keep_compiled() -> None:
    """Have numba keep on disk what it compiles of UMAP, which would take ten seconds in each study."""
    from umap import umap_, utils

    slow = (umap_.smooth_knn_dist, umap_.compute_membership_strengths, utils.fast_knn_indices)
    with contextlib.suppress(RuntimeError):  # there is no folder that numba may write to
        for function in slow:
            function.enable_caching()


def figure(table: pd.DataFrame, numbers: pd.DataFrame, countries_geojson: dict) -> Figure:
    """The real map and, one panel per model, the plane of its representations, with continents in the same colours.

    It has no panels: the page shows this picture.

    table: rows of `table` (see there). numbers: tidy rows of metric "herb_space", for the lines under the titles.
    countries_geojson: MultiPolygons with the property `iso2`.
    """
    if table.empty:
        return style.note(EMPTY)
    if table["x"].isna().all():
        return style.note(NO_PLANE)
    models = table[["model", "planted"]].drop_duplicates()
    continents = table.drop_duplicates("continent").set_index("continent")["continent_name"].sort_index()
    colours, markers = style.colours(continents.index), style.markers(continents.index)
    columns = 2
    rows = -(-(1 + len(models)) // columns)
    with style.context():
        figure = Figure(figsize=(style.WIDTH, 0.6 + 3.1 * rows))
        panels = figure.subplots(rows, columns).ravel()
        for panel in panels[1 + len(models) :]:
            panel.remove()
        _draw_map(panels[0], table.drop_duplicates("region"), colours, countries_geojson)
        for panel, (model, planted) in zip(panels[1:], models.itertuples(index=False), strict=False):
            _draw_plane(panel, table[table["model"] == model], colours, markers)
            measured = _measured(numbers[numbers["model"] == model])
            panel.set_title(f"{style.label(model, planted)}\n{measured}", parse_math=False)
        handles = [
            Line2D([], [], linestyle="", marker=markers[region], color=colours[region], markersize=5, label=name)
            for region, name in continents.items()
        ]
        figure.legend(handles=handles, loc="outside lower left", ncols=min(len(handles), 6), handletextpad=0.1)
    return figure


def _draw_map(panel, places: pd.DataFrame, colours: dict[str, str], countries_geojson: dict) -> None:
    continent = places.dropna(subset="iso2").set_index("iso2")["continent"]
    shapes = maps.outlines(countries_geojson)
    coloured = maps.draw(panel, shapes, continent.index)
    coloured.set_facecolors([colours[continent[iso2]] for iso2, _ in shapes if iso2 in continent.index])
    panel.set_title("The real map")
    hidden = places.loc[~places["has_polygon"], "name"].tolist()
    if hidden:
        text = textwrap.fill(f"Without a shape on this map, {maps.shortened(hidden)}.", 58)
        panel.text(0, -0.03, text, transform=panel.transAxes, va="top", fontsize=7.5, parse_math=False)


def _draw_plane(panel, points: pd.DataFrame, colours: dict[str, str], markers: dict[str, str]) -> None:
    panel.set(xticks=[], yticks=[])
    drawn = points.dropna(subset="x")
    if drawn.empty:
        panel.set_axis_off()
        panel.text(0.02, 0.5, TOO_FEW, transform=panel.transAxes)
        return
    for continent, rows in drawn.groupby("continent", sort=False):
        look = {"c": colours[continent], "marker": markers[continent]}
        panel.scatter(rows["x"], rows["y"], s=16, linewidths=0.3, edgecolors="white", **look)
    panel.set(xlabel="UMAP 1 (no unit)", ylabel="UMAP 2")


def _measured(numbers: pd.DataFrame) -> str:
    """Both numbers of one model compared with chance, as a line. numbers: its tidy rows."""
    value = numbers.set_index("variant")
    parts = []
    for variant, name in (("silhouette", "silhouette"), ("knn_purity", "kNN purity")):
        row, chance = value.loc[variant], value.loc[f"{variant}_null", "estimate"]
        if pd.isna(row["estimate"]):
            return "silhouette and kNN purity not measured"
        ours, of_chance = (style.text(value, ".2f") for value in (row["estimate"], chance))
        parts.append(f"{name} {ours} (chance {of_chance}, p = {row['p_value']:.3f})")
    return "\n".join(parts)


def describe(table: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per model. Arguments as for `figure`."""
    if table.empty:
        return EMPTY
    if table["x"].isna().all():
        return NO_PLANE
    sentences = []
    for (model, planted), rows in table.groupby(["model", "planted"], sort=False, dropna=False):
        measured = _measured(numbers[numbers["model"] == model])
        drawn = f"{rows['x'].notna().sum()} countries" if rows["x"].notna().any() else TOO_FEW.rstrip(".")
        sentences.append(f"{style.label(model, planted)}: {drawn}; {', '.join(measured.splitlines())}.")
    return (
        "World map with continents in colour and, for each model, countries placed by its representations of their "
        f"names, in the same colours. {' '.join(sentences)}"
    )
