"""What holds of every figure, on a toy of it.

In the folder of tests that mirrors the figure's package, `figure_toys.TOYS` has for its module what gives the arguments
of `panels`, or of its own `figure` if it has one, the table first; and `figure_toys.MARKS`, for a figure with a mark
for every row that has a value, what `assert_shows` is told of it.
"""

import inspect
import json
import re
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.conftest import mostly_nightly
from tests.drawing.marks import BOUNDS, assert_shows

import herbarium
from herbarium.drawing import style
from herbarium.drawing.printed import printed

PACKAGE = Path(herbarium.__file__).parent
SHARED = PACKAGE / "drawing"  # draws for figures of other packages


def figures():
    """The names of all modules that have a figure and say it in words, without a slow import of the others."""
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if SHARED not in file.parents]
    defined = {file: set(re.findall(r"^def (\w+)\(", file.read_text(), re.MULTILINE)) for file in files}
    drawing = [file for file, names in defined.items() if "describe" in names and {"figure", "panels"} & names]
    return [".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in drawing]


def toys_of(name):
    """The file with the figure's toy, and the name that the toy has there."""
    *folders, module = (part for part in name.split(".") if part != "figures")
    return Path("tests", *folders, "figure_toys.py"), module


def known_of(name, what):
    """What the module with the figure's toy has for it."""
    file, module = toys_of(name)
    toys = import_module(".".join(file.with_suffix("").parts)) if file.is_file() else None
    return getattr(toys, what, {}).get(module)


def marked():
    """The figures that have marks in MARKS, without an import of their toys."""
    places = {name: toys_of(name) for name in figures()}
    texts = {name: file.read_text() if file.is_file() else "" for name, (file, _) in places.items()}
    return [name for name, (_, module) in places.items() if f'"{module}": (' in texts[name].partition("\nMARKS = ")[2]]


# of the figures that are drawn four times and more
FEW = ("metrics.herb.figures.map", "metrics.categorical_bias.figures.distributions", "page.answers")


@cache
def toy_of(name):
    """The arguments of a figure, by name."""
    toy, drawing = known_of(name, "TOYS"), module_of(name)
    assert toy, f"{name} has no toy: add it to TOYS in the figure_toys.py of its folder of tests"
    return inspect.signature(getattr(drawing, "figure", None) or drawing.panels).bind(*toy()).arguments


def module_of(name):
    return import_module(f"herbarium.{name}")


def drawn(module, toy):
    """The printed figure: the module's own, or its panels."""
    return module.figure(**toy) if hasattr(module, "figure") else printed(module.panels(**toy), module.EMPTY)


def called(function, arguments):
    """What a function gives for those of the figure's arguments that it takes."""
    return function(**{name: arguments[name] for name in inspect.signature(function).parameters})


@pytest.mark.parametrize("name", mostly_nightly(figures(), *FEW))
@pytest.mark.slow
def test_a_figure_is_the_same_each_time_fits_a_page_and_says_what_it_shows(name, tmp_path, monkeypatch):
    # whole fonts and many pixels take most of the time, and are the same for every figure: test_style.py has them
    monkeypatch.setattr(style, "RC", style.RC | {"pdf.fonttype": 3, "savefig.dpi": 50})
    module, toy = module_of(name), toy_of(name)
    first, second = ([tmp_path / f"{turn}.{suffix}" for suffix in ("svg", "pdf", "png")] for turn in (1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout without room, of a sign that the font lacks
        for files in (first, second):
            figure = drawn(module, toy)
            assert figure.axes, "the toy shows nothing"
            assert figure.get_figwidth() <= style.WIDTH, "wider than a page: printed smaller, it cannot be read"
            style.save(figure, files)
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), f"drawn twice, two different files: {one.suffix}"
    words = called(module.describe, toy)
    assert words, "no words for those who cannot see the figure"
    assert not isinstance(words, style.Empty), "drawn, but said to be empty"
    if hasattr(module, "panels"):
        assert called(module.panels, toy), "the interactive form has no panel"


def of_many(table):
    """The table with four languages or models in the place of each, as in a full study."""
    column = "language" if "language" in table else "model"
    return pd.concat([table.assign(**{column: table[column] + "*" * n}) for n in range(4)], ignore_index=True)


@pytest.mark.parametrize("name", mostly_nightly([name for name in figures() if name.startswith("metrics")], *FEW))
@pytest.mark.slow
def test_a_figure_of_many_models_fits_a_page(name):
    """What is printed smaller than it is drawn cannot be read."""
    module, toy = module_of(name), toy_of(name)
    table, *more = toy
    many = toy | {table: of_many(toy[table])}
    many |= {key: of_many(toy[key]) for key in more if isinstance(toy[key], pd.DataFrame)}
    assert drawn(module, many).get_figwidth() <= style.WIDTH


@pytest.mark.slow
@pytest.mark.parametrize("name", figures())
def test_a_figure_of_no_rows_says_why_there_is_nothing(name):
    module, toy = module_of(name), toy_of(name)
    table = next(iter(toy))
    nothing = toy | {table: toy[table].iloc[:0]}
    words, figure = called(module.describe, nothing), drawn(module, nothing)
    assert isinstance(words, style.Empty), "words, but no EMPTY"
    assert figure.axes == [], "axes with nothing in them"
    assert [text.get_text() for text in figure.texts] == [words]


@pytest.mark.parametrize("name", marked())
@pytest.mark.slow
def test_every_row_is_a_mark_and_where_no_number_has_a_value_nothing_is_drawn(name):
    module, toy = module_of(name), toy_of(name)
    table, (column, *marks) = next(iter(toy)), known_of(name, "MARKS")
    assert_shows(called(module.panels, toy), toy[table], column, *marks)
    lost = toy | {table: toy[table].assign(**dict.fromkeys({column, *BOUNDS} & set(toy[table]), np.nan))}
    assert isinstance(called(module.describe, lost), style.Empty)
    assert not drawn(module, lost).axes
    json.dumps(called(module.panels, lost), allow_nan=False)  # a browser reads no NaN
