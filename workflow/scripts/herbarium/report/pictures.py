"""Figures as the report contains them: inside the page, with the table that each was drawn from."""

import base64
import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
from PIL import Image

from herbarium.core import store
from herbarium.drawing import style
from herbarium.drawing.facets import told_apart

# Pixels of the page per inch of a figure: text of 9 points comes out about as large as the text of the page.
PIXELS_AN_INCH = 110
_WEBP_SIDE = 16383  # pixels: the most that the format allows
_LARGEST_CSV = 100_000  # bytes: a page with twenty figures stays small enough to send


@dataclass(frozen=True)
class Picture:
    """A figure as it was written: the PNG, and the CSV of the table that it was drawn from."""

    png: bytes
    csv: bytes

    @cached_property
    def table(self) -> pd.DataFrame:
        return read_csv(self.csv)


def read(files: Iterable[str]) -> dict[str, Picture]:
    """Figures by name. files: all files of the figures (`core.targets.figure_files`)."""
    pngs = [Path(file) for file in files if file.endswith(".png")]
    return {png.stem: Picture(png.read_bytes(), png.with_suffix(".csv").read_bytes()) for png in pngs}


def shown(picture: Picture, alt: str, name: str, panels: Iterable[dict] = ()) -> dict:
    """What the macro `figure` needs; `csv` is None if it is too large.

    alt: the figure in words; if it is a `style.Empty`, the page has this sentence instead of the figure. name: of its
    files. panels: its interactive form, as `drawing.panels` makes them.
    """
    width, height, kind, image = _image(picture.png)
    scale = PIXELS_AN_INCH / style.RC["savefig.dpi"]
    return {
        "width": round(width * scale),
        "height": round(height * scale),
        "kind": kind,
        "image": _base64(image),
        "csv": _base64(picture.csv) if len(picture.csv) <= _LARGEST_CSV else None,
        "name": name,
        "alt": alt,
        "is_empty": isinstance(alt, style.Empty),
        "panels": [] if picture.table.empty else told_apart(panels),
    }


def _image(png: bytes) -> tuple[int, int, str, bytes]:
    """Width, height, kind and bytes of a picture: the same pixels as WebP, which takes a third of the bytes."""
    image = Image.open(io.BytesIO(png))
    if max(image.size) > _WEBP_SIDE:
        return *image.size, "png", png
    webp = io.BytesIO()
    image.save(webp, "WEBP", lossless=True)
    return *image.size, "webp", webp.getvalue()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def read_csv(content: bytes) -> pd.DataFrame:
    # Only an empty cell is null ("NA" is Namibia, a model may be called "null"); names that look like numbers are text.
    names = ("model", "topic", "description", "region", "name", "iso2", "continent", "note", "task", "words", "series")
    of_sentences = ("stimuli", "group", "side", "first", "second", "further", "training", "checkpoint")
    of_answers = ("title", "label", "of", "source")
    text = dict.fromkeys((*names, *of_sentences, *of_answers), str)
    return store.read_csv(content, keep_default_na=False, na_values=[""], dtype=text)
