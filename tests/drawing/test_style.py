"""One style for all figures, and the same bytes from the same table."""

import logging
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import figure as matplotlib_figure

from herbarium.core.console import log
from herbarium.core.files import figure_at
from herbarium.drawing import heat_maps, maps, style

MODELS = [
    {"name": "hub", "planted": None},
    {"name": "strong", "planted": 2.0},
    {"name": "none", "planted": 0.0},
]
SQUARE = {
    "features": [
        {
            "properties": {"iso2": "XX"},
            "geometry": {"coordinates": [[[[0, 0], [40, 0], [40, 40], [0, 40], [0, 0]]]]},
        }
    ]
}


def world():
    """Has clip paths, whose names matplotlib leaves to chance."""
    with style.context():
        figure = mpl.figure.Figure(figsize=(4, 2))
        coloured = maps.draw(figure.subplots(), maps.outlines(SQUARE), {"XX"})
        coloured.set_array([0.5])
        figure.colorbar(coloured)
    return figure


def cells():
    with style.context():
        figure, (panel,) = heat_maps.panels([2], 1, width=3, around=0.9, rest=1.1)
        heat_maps.draw(panel, np.array([[1.0, -1], [0, 2]]), ["a", "b"], ["c", "d"], mpl.colors.CenteredNorm(0), 7)
    return figure


def test_planted_models_come_first_by_strength():
    assert [model["name"] for model in style.by_strength(MODELS)] == ["none", "strong", "hub"]
    assert style.label("a", 0.5) == "a (planted, strength 0.5)"
    assert style.label("a", float("nan")) == style.label("a", None) == "a"


@pytest.mark.slow
def test_same_table_gives_same_bytes(tmp_path, monkeypatch):
    for folder, moment in ("first", "1000000000"), ("second", "1500000000"):
        # what a tool would take for the time of day, were it asked
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        (tmp_path / folder).mkdir()
        for name, figure in (("map", world()), ("cells", cells())):
            style.save(figure, [tmp_path / folder / f"{name}.{suffix}" for suffix in ("svg", "pdf", "png")])
    names = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert len(names) == 2 * 3
    for name in names:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name


def test_users_own_style_changes_nothing(tmp_path):
    style.save(cells(), [tmp_path / "a.png"])
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "savefig.dpi": 50}):
        style.save(cells(), [tmp_path / "b.png"])
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    ("estimate", "low", "high", "message"),
    [(-0.5, -1, 0.25, "−0.50 [−1.00, 0.25]"), (0.5, None, None, "0.50"), (float("nan"), 0, 1, "no value")],
)
def test_a_number_is_said_with_the_bounds_it_has(estimate, low, high, message):
    assert style.with_interval(estimate, low, high) == message


def test_no_look_comes_twice():
    looks = style.looks(f"model {i}" for i in range(21))
    assert len({look.colour for look in looks.values()}) == 21
    assert len(set(style.looks(range(49)).values())) == 49
    assert list(style.looks(["b", "a", "b"])) == ["b", "a"]
    assert style.looks("ab") == {name: style.looks("abc")[name] for name in "ab"}


@pytest.fixture
def in_order():
    yield style.order
    style.order([])


def test_a_model_of_a_study_has_one_look_whatever_stands_beside_it(in_order):
    names = [f"model {i}" for i in range(9)]
    alone = style.looks(names)
    in_order(names)
    assert style.looks(names) == alone
    assert style.looks(["model 7"]) == {"model 7": alone["model 7"]}
    assert style.looks(["model 8", "model 1"]) == {name: alone[name] for name in ("model 8", "model 1")}


def test_what_is_no_model_of_the_study_has_a_look_that_none_of_them_has(in_order):
    in_order(["a", "b"])
    looks = style.looks(["x", "b", "y"])
    assert list(looks) == ["x", "b", "y"]
    assert looks == {"x": style.looks("abxy")["x"], "b": style.looks("ab")["b"], "y": style.looks("abxy")["y"]}
    assert style.looks("xy") == dict(zip("xy", style.looks("ab").values(), strict=True))  # a figure of something else


def test_a_figure_that_is_written_says_so(tmp_path, caplog):
    files = figure_at(str(tmp_path / "herb_map"))
    with caplog.at_level(logging.INFO, logger=log.name):
        style.keep(files, pd.DataFrame({"a": [1]}), style.note("nothing"), {})
    assert all(Path(file).is_file() for file in files)
    assert "herb_map: drawn." in caplog.text


@pytest.mark.slow
def test_places_do_not_depend_on_the_last_bits_of_the_layout(tmp_path):
    def draw():
        with style.context():
            figure = matplotlib_figure.Figure(figsize=(4, 3))
            for part in figure.subfigures(2, 1):
                part.suptitle("one")
                for panel in part.subplots(1, 3):
                    panel.plot([1, 2], [1, 3])
            return figure

    figure = draw()
    style.save(figure, [tmp_path / "figure.pdf"])
    for part in [*figure.axes, *figure.subfigs]:
        points = (
            part.get_position(original=True).get_points() if part in figure.axes else part.bbox_relative.get_points()
        )
        np.testing.assert_array_equal(points, points.round(9))
