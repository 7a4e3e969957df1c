"""What figures with a map share: the outlines of countries in the plane, and how they are drawn."""

from collections.abc import Collection

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from herbarium.drawing import style

# The colours cover this percentage of the values.
COVERED = 98


def equal_earth(degrees: np.ndarray) -> np.ndarray:
    """Longitude and latitude, (n, 2) in degrees, to the plane: Equal Earth (Šavrič, Patterson and Jenny, 2018).

    Equal area, so that the ink of a country shows only how large it is.
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
    """A ring, once for each time it appears on the map: one that crosses the 180th meridian appears at each edge.

    Parts beyond the edge are clipped by the panel.
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


def draw(panel, shapes: list[tuple[str | None, Path]], known: Collection[str]) -> PathCollection:
    """Draw all shapes of `outlines`, hatched grey except the countries `known`; returns these in order, to be coloured.

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


def shortened(names: list[str]) -> str:
    """How many names there are, and the first few."""
    more = f" and {len(names) - 6} more (see the CSV)" if len(names) > 6 else ""
    return f"{len(names)}: {', '.join(names[:6])}{more}"
