"""Where countries lie: points on the unit sphere, from the outlines of a map."""

import numpy as np
import pandas as pd


def positions(countries: dict) -> pd.DataFrame:
    """Unit vectors `x`, `y`, `z` by ISO 3166 two-letter code: the centroid of a country's largest polygon.

    countries: GeoJSON of MultiPolygons with the property `iso2`, longitude and latitude in degrees.
    """
    coded = [feature for feature in countries["features"] if feature["properties"]["iso2"]]
    centroids = {feature["properties"]["iso2"]: _centroid(feature["geometry"]["coordinates"]) for feature in coded}
    return pd.DataFrame.from_dict(centroids, orient="index", columns=["x", "y", "z"]).rename_axis("iso2")


def _centroid(polygons: list) -> np.ndarray:
    """The integral of the normal over a region of the sphere is half that of r × dr along its outline, with the sign of
    the outline's direction. Its length is nearly the area."""
    largest = np.zeros(3)
    for outline, *_ in polygons:
        longitude, latitude = np.radians(np.array(outline, dtype=float)).T
        r = np.column_stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
        )
        area = np.cross(r[:-1], r[1:]).sum(axis=0) / 2
        if area @ area > largest @ largest:
            largest = area * np.sign(area @ r.sum(axis=0))
    return largest / np.linalg.norm(largest)
