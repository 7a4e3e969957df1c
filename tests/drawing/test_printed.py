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
    handles = {handle.get_label(): handle for handle in figure.legends[0].legend_handles}
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


def test_every_series_of_a_panel_is_drawn():
    rows = CALM.assign(low=CALM["estimate"] - 0.1, high=CALM["estimate"] + 0.1)
    panel = lines(CALM, null=0.0)
    panel["data"] += [
        panels.area(rows["x"], rows["low"], rows["high"], "between"),
        panels.stroke(rows["x"], rows["estimate"], "expected", "dot"),
    ]
    figure = printed([panel], "nothing")
    (axes,) = figure.axes
    drawn = {(*line.get_xdata(), *line.get_ydata()) for line in axes.lines}
    for trace in panel["data"]:
        if trace["mode"] != "none":
            assert any(set(trace["y"]) <= set(values) for values in drawn), trace["name"]
    assert len(axes.patches) == 1
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["a", "$b$", "between", "expected", panels.NULL, f"filled: {panels.SIGNIFICANT}"]


def test_what_several_series_have_is_named_once_in_grey():
    panel = lines(CALM)
    strokes = [panels.stroke(CALM["x"], CALM["estimate"], "expected", "dot", look.colour) for look in LOOKS.values()]
    figure = printed([panel | {"data": panel["data"] + strokes}] * 2, "nothing")
    handles = {handle.get_label(): handle for handle in figure.legends[0].legend_handles}
    assert list(handles) == ["a", "$b$", "expected", f"filled: {panels.SIGNIFICANT}"]
    assert [handles[name].get_color() for name in LOOKS] == [look.colour for look in LOOKS.values()]
    assert handles["expected"].get_color() not in [look.colour for look in LOOKS.values()]
    assert len(figure.legends[0].get_texts()) == len(handles)


def test_an_axis_of_a_single_value_begins_at_0():
    lone = CALM.head(1).assign(x=2.0, estimate=3.0, ci_low=np.nan, ci_high=np.nan)
    (axes,) = printed([lines(lone)], "nothing").axes
    for name, value in (("x", 2), ("y", 3)):
        low, high = getattr(axes, f"get_{name}lim")()
        assert low == 0
        assert value < high < 2 * value


def test_a_line_without_a_value_says_so_and_a_lost_fit_has_a_ring():
    rows = pd.DataFrame({"line": ["one", "one", "two"], "series": ["a", "$b$", "a"], "estimate": [0.1, np.nan, np.nan]})
    panel = forest(rows.assign(converged=[False, True, False], model="m", planted=1.0))
    assert panel["layout"]["yaxis"]["ticktext"] == ["one (1 without<br>value)", "two (no value)"]
    rings = panel["data"][0]
    assert (rings["name"], rings["x"]) == ("did not converge", [0.1])
    (axes,) = printed([panel], "nothing").axes
    assert max(line.get_markersize() for line in axes.lines) > 8
    assert "did not converge" not in [trace["name"] for trace in forest(rows.assign(converged=True))["data"]]


def test_the_outermost_marks_have_names_that_do_not_cover_one_another():
    random = np.random.default_rng(1)
    rows = pd.DataFrame({"x": random.normal(size=60), "estimate": random.normal(size=60)})
    rows = rows.assign(name=[f"country {place}" for place in range(60)], model="m", planted=1.0)
    panel = panels.scatter("", rows, "x", "y", rows, named=2)
    figure = printed([panel] * 2, "nothing")
    assert_lays_out(figure)
    for axes in figure.axes:
        names = {text.get_text() for text in axes.texts}
        assert rows.loc[rows["estimate"].idxmin(), "name"] in names
        assert 4 <= len(names) <= 8
        boxes = [text.get_window_extent() for text in axes.texts]
        assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :])


def test_a_mark_beyond_an_end_is_not_drawn_outside_the_panel():
    panel = lines(CALM)
    panel["layout"]["yaxis"]["range"] = [0.0, 0.25]  # by hand: one mark is at 0.3
    (axes,) = printed([panel], "nothing").axes
    for marks_ in axes.lines:
        is_beyond = (np.asarray(marks_.get_ydata(), dtype=float) > 0.25).any()
        assert marks_.get_clip_on() or not is_beyond
    assert any((np.asarray(of.get_ydata(), dtype=float) > 0.25).any() for of in axes.lines)


@pytest.mark.slow
def test_panels_with_a_heading_are_a_block_and_small_ones_are_side_by_side():
    small = [lines(CALM) | {"heading": heading, "abreast": 4} for heading in ["first"] * 4 + ["second"] * 2]
    figure = printed(small, "nothing")
    assert [part.get_suptitle() for part in figure.subfigs] == ["first", "second"]
    assert [len(part.axes) for part in figure.subfigs] == [4, 2]
    assert figure.get_figwidth() == style.WIDTH
    assert_lays_out(figure)
    assert len({round(axes.get_position().y0, 3) for axes in figure.subfigs[0].axes}) == 1


def test_long_labels_along_an_axis_are_slanted():
    for text, angle in (("long name of a place", 35), ("l", 0)):
        ticks = {place: f"{text} {place:g}" for place in (1.0, 2.0, 3.0)}
        (axes,) = printed([lines(CALM, ticks=ticks)], "nothing").axes
        assert {label.get_rotation() for label in axes.get_xticklabels()} == {angle}


def test_a_panel_without_any_value_has_no_numbers_at_its_axis():
    (axes,) = printed([forest(CALM.assign(estimate=np.nan, ci_low=np.nan, ci_high=np.nan))], "nothing").axes
    assert list(axes.get_xticks()) == []
    assert len(axes.get_yticks()) == 5


def test_a_band_of_its_own_is_named():
    panel = panels.shaded(forest(CALM[CALM["series"] == "a"]), "x", 0.1, 0.2, "between")
    panel["data"][0]["name"] = ""
    names = [text.get_text() for text in printed([panel], "nothing").legends[0].get_texts()]
    assert names == ["between", f"filled: {panels.SIGNIFICANT}"]
