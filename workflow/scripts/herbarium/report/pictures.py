"""Figures as the report holds them: inside the page, with the table that each was drawn from."""

import base64
import io
from typing import NamedTuple

import pandas as pd

from herbarium.figures import style
from herbarium.report.plots import interactive

# Pixels of the page for an inch of a figure: text of 9 points comes out about as large as that of the page.
PIXELS_AN_INCH = 110


class Picture(NamedTuple):
    """A figure as it was written: the PNG, the CSV of the table that it was drawn from, and the PDF to take along."""

    png: bytes
    csv: bytes
    pdf: bytes = b""


def shown(picture: Picture, alt: str, file_name: str) -> dict:
    """What the macro `figure` needs. alt: the figure in words. file_name: of its CSV."""
    # Width and height stand in the header of every PNG.
    pixels = (int.from_bytes(picture.png[start : start + 4]) for start in (16, 20))
    width, height = (round(size * PIXELS_AN_INCH / style.RC["savefig.dpi"]) for size in pixels)
    name = file_name.removesuffix(".csv")
    return {
        "width": width,
        "height": height,
        "png": _base64(picture.png),
        "csv": _base64(picture.csv),
        "pdf": _base64(picture.pdf),
        "name": name,
        "alt": alt,
        "panels": interactive(name, read_csv(picture.csv)),
    }


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def read_csv(content: bytes) -> pd.DataFrame:
    # Only an empty cell is null ("NA" is Namibia, a model may be called "null"); names like numbers stay text.
    text = dict.fromkeys(
        ("model", "topic", "description", "region", "name", "iso2", "continent", "note", "task", "words", "series"), str
    )
    return pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""], dtype=text)
