"""The first figure: a line a number, from no bias to planted bias, filled where something was found."""

import numpy as np
import pandas as pd
import pytest
from tests.page.figure_toys import PLANTED, ROWS, drawn, with_published

from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.page import answers
from herbarium.report.answers import answer, table


def test_places_have_a_gap_between_numbers():
    assert np.diff(answers.places(drawn())).round(6).tolist() == [1, 1, 1.8, 1]


def test_the_band_is_the_interval_of_the_unbiased_reference():
    (_, rows), _ = answers.blocks(drawn())
    assert answers.band(rows) == (-0.05, 0.05)
    assert answers.band(rows[~rows["is_reference"]]) is None
    turned = rows.rename(columns={"scaled_low": "scaled_high", "scaled_high": "scaled_low"})
    assert answers.band(turned) == (-0.05, 0.05)  # a planted bias below the null value turns the axis


def test_numbers_without_a_scale_are_not_placed():
    assert set(drawn()["title"]) == {"Lean", "Share <b>"}
    assert set(answers.placed(drawn())["title"]) == {"Lean"}


def test_panels_fill_what_was_found_and_end_where_the_axis_does():
    (panel,) = answers.panels(drawn())
    by_model = {trace["models"]: trace for trace in panel["data"]}
    assert list(by_model) == ["none", "strong", "$mine$"]
    assert by_model["none"]["marker"]["symbol"] == ["circle-open"]
    assert by_model["strong"]["marker"]["symbol"] == ["square"]
    assert by_model["$mine$"]["marker"]["symbol"] == ["triangle-right"]  # an arrow beyond the end
    assert by_model["$mine$"]["x"] == [answers.PLANTED.ends[1]]  # 25 times what was planted
    assert "50 [40, 60]" in by_model["$mine$"]["text"][0]  # the number itself
    assert "Different from 0" in by_model["$mine$"]["text"][0]
    assert panel["layout"]["yaxis"]["ticktext"] == ["Lean"]


def test_where_nothing_is_planted_numbers_stand_in_standard_errors_on_an_axis_of_their_own():
    """One model alone is not at the end of a scale that it makes itself; without a reference, no band is drawn."""
    rows = pd.DataFrame([("mine", 1.0, 0.6, 1.4), ("other", -30.0, -30.4, -29.6)], columns=ROWS.columns)
    alone = answer("Alone", "How far.", "nats", "alone", rows, {})
    (panel,) = answers.panels(table([alone]))
    near, far = panel["data"]
    assert near["x"] == [pytest.approx(2.5 * 1.96, rel=1e-3)]
    assert near["error_x"]["array"] == [pytest.approx(1.96, rel=1e-3)]
    assert (far["x"], far["marker"]["symbol"][0]) == ([answers.ERRORS.ends[0]], "triangle-left-open")
    assert len(panel["layout"]["shapes"]) == 1  # the line at 0
    assert not answers.has_band(table([alone]))
    assert answers.has_band(drawn())
    beside = answer("Lean", "How far.", "nats", "lean", ROWS, PLANTED)
    titles = [panel["layout"]["xaxis"]["title"]["text"] for panel in answers.panels(table([alone, beside]))]
    assert titles == [answers.PLANTED.axis, answers.ERRORS.axis]


def test_words_count_what_was_distinguished():
    assert "Lean: 2 of 3 different" in answers.describe(drawn())


def test_a_model_has_its_look_in_figure_and_panels():
    style.order(["other", "$mine$", "strong", "none"])
    try:
        looks = style.looks(["none", "strong", "$mine$"])
        (panel,) = answers.panels(drawn())
        figure = printed([panel], answers.EMPTY)
    finally:
        style.order([])
    wanted = {model: look.colour for model, look in looks.items()}
    assert {trace["models"]: trace["marker"]["color"] for trace in panel["data"]} == wanted
    of_legend = {
        legend.get_label().partition(" ")[0]: legend.get_color() for legend in figure.legends[0].legend_handles
    }
    assert of_legend.items() >= wanted.items()
    assert wanted["$mine$"] == style.COLOURS[1]


def test_a_published_number_is_a_star_beside_its_model():
    (panel,) = answers.panels(with_published())
    stars = panel["data"][-1]
    assert stars["name"] == answers.PUBLISHED
    assert stars["models"] == ["strong", "$mine$"]
    assert stars["x"] == [0.5, answers.PLANTED.ends[1]]
    rows = {trace["models"]: trace["y"] for trace in panel["data"][:-1]}
    assert stars["y"] == [*rows["strong"], *rows["$mine$"]]
    assert stars["text"][0] == "Lean<br>strong (planted, strength 2), Ours et al., Table 1<br>1"
    assert set(stars["marker"]["symbol"]) == {"star-open"}
    figure = printed(answers.panels(with_published()), answers.EMPTY)
    assert answers.PUBLISHED in [text.get_text() for text in figure.legends[0].get_texts()]
    drawn_stars = [axe.get_xdata().tolist() for axe in figure.axes[0].lines if axe.get_marker() == "*"]
    assert drawn_stars == [[0.5, answers.PLANTED.ends[1]]]
    assert "2 with a published number" in answers.describe(with_published())


def test_without_published_numbers_nothing_speaks_of_them():
    assert not answers.has_published(drawn())
    assert answers.PUBLISHED not in [trace["name"] for trace in answers.panels(drawn())[0]["data"]]
    assert "published" not in answers.describe(drawn())


def test_without_answers_the_figure_says_so():
    assert answers.describe(table([])) == answers.EMPTY
    assert answers.panels(table([])) == []
