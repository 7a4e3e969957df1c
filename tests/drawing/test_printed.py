"""The printed form of a figure has the marks of its panels, and room for them."""

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import assert_lays_out

from herbarium.drawing import panels, style
from herbarium.drawing.printed import printed

ROWS = pd.DataFrame(
    {
        "line": [f"line {i}" for i in range(6)],
        "series": ["a", "$b$"] * 3,
        "x": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
        "estimate": [0.1, 0.2, 0.3, 0.2, 0.1, 0.15],
        "ci_low": [0.0, 0.1, 0.2, 0.1, 0.0, -20_000.0],
        "ci_high": [0.2, 0.3, 0.4, 0.3, 0.2, 20_000.0],
        "p_adjusted": [0.01, 0.2, 0.01, 0.2, 0.01, 0.9],
    }
)
CALM = ROWS[:5]
LOOKS = style.looks(["a", "$b$"])


def forest(rows, **options):
    return panels.forest("title", rows, "axis", LOOKS, **options)


def lines(rows, **options):
    return panels.lines("title", rows, ("x", "y"), LOOKS, **options)


def marks(figure):
    return sorted(x for line in figure.axes[0].lines if not line.get_label().startswith("_") for x in line.get_xdata())


def test_each_mark_is_printed_and_the_legend_names_what_is_used():
    figure = printed([forest(CALM)], "nothing")
    assert marks(figure) == pytest.approx(sorted(CALM["estimate"]))
    handles = {of.get_label(): of for of in figure.legends[0].legend_handles}
    assert list(handles) == ["a", "$b$", f"filled: {panels.SIGNIFICANT}"]
    assert [handles[name].get_marker() for name in LOOKS] == [look.marker for look in LOOKS.values()]
    assert_lays_out(figure)


@pytest.mark.parametrize(("panel", "axis", "arrows"), [(forest, "x", "<>"), (lines, "y", "v^")])
def test_a_bar_of_absurd_length_is_cut_with_an_arrow_at_either_end(panel, axis, arrows):
    made = panel(ROWS)
    low, high = made["layout"][f"{axis}axis"]["range"]
    assert -1 < low < 0 < 0.4 < high < 2
    (axes,) = printed([made], "nothing").axes
    ends = {
        line.get_marker(): getattr(line, f"get_{axis}data")()[0] for line in axes.lines if line.get_marker() in arrows
    }
    assert [ends[arrow] for arrow in arrows] == pytest.approx([low, high])
    assert "range" not in panel(CALM)["layout"]["xaxis" if axis == "x" else "yaxis"]
    texts = [text for trace in made["data"] if "text" in trace for text in trace["text"]]
    assert any("2e+04" in text for text in texts)  # the number itself


def test_a_mark_far_off_is_an_arrow_and_keeps_its_number():
    far = ROWS.assign(estimate=[0.1, 0.2, 0.3, 0.2, 0.1, 5000.0], ci_low=np.nan, ci_high=np.nan, planted=1.0, model="m")
    made = panels.scatter("", far, "x", "y", far)
    (trace,) = made["data"]
    assert trace["marker"]["symbol"][-1] == "arrow-up-open"
    assert trace["y"][-1] == pytest.approx(made["layout"]["yaxis"]["range"][1])
    assert trace["y"][-1] < 10
    assert "5e+03" in trace["text"][-1]


@pytest.mark.parametrize(("panel", "axis"), [(forest, "x"), (lines, "y")])
def test_an_axis_of_shares_goes_from_0_to_1(panel, axis):
    (axes,) = printed([panel(CALM.assign(ci_high=1.2), bounds=(0, 1))], "nothing").axes
    assert getattr(axes, f"get_{axis}lim")() == (0, 1)


def test_panels_are_side_by_side_on_a_page_and_none_is_a_sentence():
    figure = printed([forest(CALM)] * 3, "nothing")
    assert len(figure.axes) == 3
    assert figure.get_figwidth() == style.WIDTH
    empty = printed([], "There is nothing.")
    assert not empty.axes
    assert [text.get_text() for text in empty.texts] == ["There is nothing."]
