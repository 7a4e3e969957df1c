"""Figures inside the page: the same pixels in fewer bytes, and no table that would be most of it."""

import base64
import io
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader
from PIL import Image

from herbarium import report
from herbarium.drawing import style
from herbarium.report.pictures import Picture, shown

TABLE = b"model,region\nbert,NA\n"


def decoded(result):
    image = Image.open(io.BytesIO(base64.b64decode(result["image"])))
    return image.format.lower(), np.asarray(image.convert("RGBA"))


def test_a_picture_keeps_every_pixel_in_fewer_bytes(tmp_path):
    figure = style.note("a figure")
    figure.add_subplot().plot(np.random.default_rng(1).normal(size=200))
    style.save(figure, [tmp_path / "a.png"])
    png = (tmp_path / "a.png").read_bytes()
    result = shown(Picture(png, TABLE), "a figure", "herb_words")
    kind, pixels = decoded(result)
    assert kind == result["kind"] == "webp"
    assert np.array_equal(pixels, np.asarray(Image.open(io.BytesIO(png)).convert("RGBA")))
    assert len(base64.b64decode(result["image"])) < 0.8 * len(png)
    height, width, _ = pixels.shape
    assert (result["width"], result["height"]) == (round(0.55 * width), round(0.55 * height))


def test_a_picture_that_webp_cannot_hold_stays_as_it_is():
    png = io.BytesIO()
    Image.new("RGB", (3, 16384), "red").save(png, "PNG")
    result = shown(Picture(png.getvalue(), TABLE), "a figure", "herb_words")
    assert result["kind"] == "png"
    assert base64.b64decode(result["image"]) == png.getvalue()


def test_a_table_comes_along_unless_it_is_large():
    png = io.BytesIO()
    Image.new("RGB", (3, 3)).save(png, "PNG")
    assert base64.b64decode(shown(Picture(png.getvalue(), TABLE), "", "herb_words")["csv"]) == TABLE
    large = pd.DataFrame({"model": ["bert"] * 30_000}).to_csv(index=False).encode()
    assert shown(Picture(png.getvalue(), large), "", "herb_words")["csv"] is None


def test_an_empty_figure_is_one_sentence():
    template = '{% from "macros.html.j2" import figure %}{% call figure(of, "Title") %}A long caption.{% endcall %}'
    environment = Environment(loader=FileSystemLoader(Path(report.__file__).parent), autoescape=True)
    png = io.BytesIO()
    Image.new("RGB", (3, 3)).save(png, "PNG")
    picture = Picture(png.getvalue(), TABLE)
    empty, drawn = (
        environment.from_string(template).render(of=shown(picture, alt, "herb_words"))
        for alt in (style.Empty("There is nothing to show."), "There is nothing to show.")
    )
    assert empty.strip() == "<p>There is nothing to show.</p>"
    assert "A long caption." in drawn
    assert "<img" in drawn
