"""No panel has more colours than can be told apart."""

import numpy as np
import pandas as pd
import pytest

from herbarium.drawing import panels, style
from herbarium.drawing.facets import MOST, told_apart
from herbarium.drawing.printed import printed


def rows(n_series, n_lines=3):
    places = pd.MultiIndex.from_product([range(n_lines), range(n_series)], names=["place", "of"]).to_frame(index=False)
    estimate = np.linspace(-1, 1, len(places))
    rows = places.assign(line="line " + places["place"].astype(str), series="model " + places["of"].astype(str))
    return rows.assign(x=1.0 * rows["place"], estimate=estimate, ci_low=estimate - 0.1, ci_high=estimate + 0.1)


def forest(n):
    return panels.forest("title", rows(n), "axis")


def lines(n):
    return panels.lines("title", rows(n), ("x", "y"), style.looks(rows(n)["series"]), null=0.0)


def colours(panel):
    return {trace["marker"]["color"] for trace in panel["data"]}


@pytest.mark.parametrize("make", [forest, lines])
@pytest.mark.parametrize("n", [1, MOST, MOST + 1, 17, 20])
def test_every_mark_is_in_one_panel_of_few_colours(make, n):
    whole = make(n)
    parts = told_apart([whole])
    assert len(parts) == -(-n // MOST)
    assert all(len(colours(part)) <= MOST for part in parts)
    assert [trace["name"] for part in parts for trace in part["data"]] == [trace["name"] for trace in whole["data"]]
    axis = "x" if make is forest else "y"
    values = [value for part in parts for trace in part["data"] for value in trace[axis]]
    assert sorted(values) == sorted(value for trace in whole["data"] for value in trace[axis])
    if n <= MOST:
        assert parts == [whole]
        return
    assert [part["title"] for part in parts] == [f"title ({i + 1} of {len(parts)})" for i in range(len(parts))]
    ranges = {tuple(part["layout"][f"{name}axis"]["range"]) for part in parts for name in axis}
    assert len(ranges) == 1  # can be compared by eye
    assert all(part["layout"]["shapes"] == whole["layout"]["shapes"] for part in parts)


def test_a_part_of_a_forest_has_no_room_for_series_of_the_others():
    for part in told_apart([forest(12)]):
        beside = np.array([trace["y"][0] for trace in part["data"]])
        assert beside == pytest.approx(0.8 * ((np.arange(6) + 0.5) / 6 - 0.5), abs=1e-6)
        assert part["layout"]["height"] < forest(12)["layout"]["height"]


def test_an_arrow_and_a_ring_stay_with_the_series_that_they_are_of():
    far = rows(9).assign(converged=True, model="m", planted=1.0)
    far.loc[0, "ci_low"] = -20_000.0  # of the first series
    far.loc[len(far) - 1, "converged"] = False  # of the last
    first, second = told_apart([panels.forest("", far, "axis")])
    arrows = [trace for trace in first["data"] if trace["marker"]["symbol"] == ["triangle-left"]]
    assert len(arrows) == 1
    assert not [trace for trace in second["data"] if trace["marker"]["symbol"] == ["triangle-left"]]
    assert "did not converge" in [trace.get("name") for trace in second["data"]]
    assert "did not converge" not in [trace.get("name") for trace in first["data"]]


def test_greys_are_in_every_part():
    panel = lines(9)
    panel["data"].append(panels.stroke(pd.Series([0.0, 2.0]), pd.Series([0.0, 1.0]), "expected", "dot"))
    assert all(part["data"][-1]["name"] == "expected" for part in told_apart([panel]))


def test_print_has_no_panel_of_more_colours():
    figure = printed([lines(12)], "nothing")
    assert len(figure.axes) == 2
