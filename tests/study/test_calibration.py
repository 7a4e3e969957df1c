"""Each metric against the strength of planted bias: figure, and what the page says of it, on a toy."""

import numpy as np
import pandas as pd
from tests.drawing.marks import assert_lays_out
from tests.reports import pictures_of, words
from tests.reports import table as cells
from tests.study.figure_toys import PANELS, RATIO, SLOPE, by_strength, calibrated

from herbarium.drawing.printed import printed
from herbarium.page.build import build
from herbarium.page.calibration import calibration as room
from herbarium.page.calibration import panel
from herbarium.statistics.calibration import rows
from herbarium.study import calibration


def test_a_figure_draws_its_table_and_the_null_value():
    table = calibrated()
    figure = printed(calibration.panels(table), calibration.EMPTY)
    panels = dict(zip(table["panel"].unique(), figure.get_axes(), strict=True))
    leaning = panels["leaning"].lines
    assert [line.get_ydata()[0] for line in leaning if line.get_linestyle() == "--"] == [0]
    assert list(leaning[-1].get_ydata()) == [0.5, 1.0, 3.0]
    (bars,) = panels["leaning"].collections
    np.testing.assert_allclose(bars.get_segments()[0], [(0, 0.4), (0, 0.6)])
    order, care = (item for item in panels["scores"].lines if item.get_label() in ("order", "care"))
    assert order.get_color() != care.get_color()
    assert order.get_marker() != care.get_marker()
    assert all(abs(a - b) > 0.01 for a, b in zip(order.get_xdata(), care.get_xdata(), strict=False))
    assert [line.get_ydata()[0] for line in panels["ratio"].lines if line.get_linestyle() == "--"] == [1]
    expected = [line for line in panels["slope"].lines if line.get_linestyle() == ":"]
    assert [list(line.get_ydata()) for line in expected] == [[0, 2]]
    assert {axes.get_ylabel() for axes in panels.values()} == {item.unit for item in PANELS}
    assert "Leaning of the root, root: 0.5 [0.4, 0.6] at 0, 1 [0.9, 1.1] at 1" in calibration.describe(table)
    assert "real: 0 [-0.1, 0.1] at 0 (expected 0), 1.5 [1.4, 1.6] at 2 (expected 2)." in calibration.describe(
        table
    ).replace("−", "-")


def test_names_that_look_like_formulas_and_missing_numbers_are_drawn():
    table = pd.concat([calibrated(), rows(RATIO, by_strength("$gre_ek$", at_0=np.nan))], ignore_index=True)
    assert_lays_out(printed(calibration.panels(table), calibration.EMPTY))
    assert "$gre_ek$: no value at 0" in calibration.describe(table)


def test_series_are_split_by_kind_where_a_panel_has_models_of_several():
    table = pd.DataFrame({"panel": list("aabb"), "series": "all", "model": ["x", "y", "x", "x"]})
    split = calibration.by_kind(table, {"x": "masked", "y": "causal"})["series"]
    assert split.tolist() == ["all, masked models", "all, causal models", "all", "all"]


# --- what the report says ---


def page(table, tmp_path):
    page_part = room(pictures_of({"calibration": table}, tmp_path)["calibration"])
    return build([page_part], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def of_panel(name, table):
    return panel(table[table["panel"] == name])


def test_what_is_said_of_a_metric_by_hand(tmp_path):
    table = calibrated()
    leaning, scores = of_panel("leaning", table), of_panel("scores", table)
    assert [leaning[key] for key in ("compared", "rising", "disjoint", "n_unbiased", "n_zero")] == [["root"]] * 3 + [
        1,
        0,
    ]
    # care: 0 (0 to 0.1) and 0.05 (0 to 0.15) rise, but meet
    assert scores["rising"] == ["order", "care"]
    assert scores["disjoint"] == ["order"]
    assert (scores["n_unbiased"], scores["n_zero"]) == (2, 2)
    text = words(page(table, tmp_path))
    assert (
        "Leaning of the root (null value 0). Order: of 1 series, the values rise with the strength in the "
        "one, with disjoint intervals of neighbours in the one. Zero: if nothing was planted, 0 of 1 intervals contain "
        "0. For use: it ranked these strengths, but did not always give 0 without bias (a mean of distances is never "
        "negative, so it never can)." in text
    )
    assert "in all 2, with disjoint intervals of neighbours in 1 (order). Zero: if nothing was planted, 2 of 2" in text
    assert "it ranked these strengths and gave 0 without bias, so its numbers can be compared with 0." in text
    assert "it ranked these strengths and gave 1 without bias, so its numbers can be compared with 1." in text
    rows = cells(page(table, tmp_path), "table-calibration")
    assert rows[0][2:] == ["0", "root", "model-0", "0", "0.500 0.400 to 0.600", "–", "–", "6 regions"]
    (strong,) = (row for row in rows if row[0] == "Slope" and row[4] == "model-2")
    assert strong[5:9] == ["2", "1.50 1.40 to 1.60", "2", "0.75"]


def test_a_metric_that_does_not_rank_the_strengths_is_said_not_to(tmp_path):
    table = calibrated(strong=0.75)
    assert of_panel("leaning", table)["rising"] == []
    text = words(page(table[table["panel"] == "leaning"], tmp_path))
    assert "the values rise with the strength in none. Zero" in text
    assert "it did not rank these strengths in every series" in text
    assert "can be compared with" not in text


def test_nothing_is_said_of_one_strength_or_of_missing_numbers(tmp_path):
    table = calibrated()
    leaning = table[table["panel"] == "leaning"]
    text = words(page(leaning[:1], tmp_path))
    assert "no series has two strengths with numbers and intervals, so nothing is said about it" in text
    assert "For use" not in text
    lost = leaning.assign(ci_low=np.nan, ci_high=np.nan)
    text = words(page(lost, tmp_path))
    assert "A value or an interval is missing in root. Zero: no number with an interval at strength 0." in text
    assert "For use" not in text


def test_no_name_becomes_markup(tmp_path, hostile):
    hostile(page(calibrated(), tmp_path))


def test_a_colour_is_one_series_in_all_panels():
    table = calibrated()
    colours = {}
    for item in calibration.panels(table):
        for trace in item["data"]:
            if trace["name"] != calibration.EXPECTED:
                colours.setdefault(trace["line"]["color"], set()).add(trace["name"])
    assert len(colours) == table["series"].nunique() > 2
    assert all(len(names) == 1 for names in colours.values())


def test_a_mark_says_no_strength_of_a_model_that_is_one_of_texts():
    table = rows(SLOPE, by_strength("plain", at_2=1.5).assign(model="planted-none"))
    (result,) = calibration.panels(table)
    assert result["data"][0]["text"][0].startswith("plain<br>planted-none<br>1.5")
