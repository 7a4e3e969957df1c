"""Figures as the report holds them: inside the page, with the table that each was drawn from."""

import base64
import io
from typing import NamedTuple

import pandas as pd

from herbarium.figures import style

# Pixels of the page for an inch of a figure: text of 9 points comes out about as large as that of the page.
PIXELS_AN_INCH = 110


class Picture(NamedTuple):
    """A figure as it was written: the PNG and the CSV of the table that it was drawn from."""

    png: bytes
    csv: bytes


def shown(picture: Picture, alt: str, file_name: str) -> dict[str, str | int]:
    """What the macro `figure` needs. alt: the figure in words."""
    # Width and height stand in the header of every PNG.
    pixels = (int.from_bytes(picture.png[start : start + 4]) for start in (16, 20))
    width, height = (round(size * PIXELS_AN_INCH / style.RC["savefig.dpi"]) for size in pixels)
    return {
        "width": width,
        "height": height,
        "png": base64.b64encode(picture.png).decode(),
        "csv": base64.b64encode(picture.csv).decode(),
        "file_name": file_name,
        "alt": alt,
    }


def read_csv(content: bytes) -> pd.DataFrame:
    # Only an empty cell is null ("NA" is Namibia, a model may be called "null"); names like numbers stay text.
    text = dict.fromkeys(
        ("model", "topic", "description", "region", "name", "iso2", "continent", "note", "task", "words"), str
    )
    return pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""], dtype=text)
