"""A metric that declares itself: its figure and its part, from a card and tidy numbers."""

import io

import pytest
from PIL import Image
from tests.report.declared.figure_toys import MODELS, tidy_rows

from herbarium.core.targets import Card, Targets
from herbarium.report.declared import numbers
from herbarium.report.declared.part import part
from herbarium.report.pictures import Picture
from herbarium.statistics.inference import Mean, t_interval

CARD = Card(
    metric="mine",
    numbers=["a.parquet"],
    models=["m.json"],
    measures="What it <measures>.",
    unit="nats",
    limits="Little.",
)


def written(rows, card=CARD):
    png = io.BytesIO()
    Image.new("RGB", (2, 2)).save(png, "PNG")
    csv = numbers.table(rows, MODELS, card.title).to_csv(index=False).encode()
    return part(card.words(), rows, MODELS, Picture(png.getvalue(), csv))


def test_a_card_adds_its_numbers_figure_and_part_to_a_study_or_nothing():
    asked = CARD.targets()
    assert (asked.numbers, asked.figures, asked.parts) == (["a.parquet"], ["mine_numbers"], ["<work>/parts/mine.json"])
    assert Card("mine", [], [], "", "", "").targets() == Targets()


def test_numbers_of_a_model_are_named_by_what_tells_them_apart():
    rows = tidy_rows()
    assert numbers.names(rows, "Mine").tolist() == ["work", "mind"] * 3
    assert set(numbers.names(rows[rows["variant"] == "work"], "Mine")) == {"Mine"}
    both = rows.assign(group=["a", "b"] * 3)
    assert numbers.names(both, "Mine").tolist()[:2] == ["work, a", "mind, b"]


def test_the_table_has_planted_models_first_by_strength():
    table = numbers.table(tidy_rows(), MODELS, "Mine")
    assert table["model"].tolist() == ["none", "none", "strong", "strong", "real", "real"]
    assert table["planted"].tolist()[:4] == [0, 0, 2, 2]


def test_the_first_screen_has_the_surest_number_with_an_interval_for_all():
    (answer,) = written(tidy_rows()).answers
    found = {row["model"]: row for row in answer.rows}
    assert {model: row["of"] for model, row in found.items()} == {"real": "mind", "strong": "work", "none": "work"}
    low, high = t_interval(Mean(-0.4, 0.01, 19), 1 - 0.05 / 2)
    assert (found["real"]["ci_low"], found["real"]["ci_high"]) == pytest.approx((low, high))


def test_one_number_a_model_is_shown_as_it_is():
    rows = tidy_rows()
    (answer,) = written(rows[rows["variant"] == "work"]).answers
    (real,) = [row for row in answer.rows if row["model"] == "real"]
    assert (real["of"], real["ci_low"], real["ci_high"]) == ("", 0.0, 0.4)


def test_a_part_shows_every_number_and_escapes_what_the_card_says():
    found = written(tidy_rows())
    assert found.html.count('<tr><th scope="row">') == len(tidy_rows())
    assert "too few words" in found.html
    assert "What it &lt;measures&gt;." in found.html
    assert found.tested[0].family == CARD.family


def test_without_tests_no_family_of_them_is_named():
    untested = tidy_rows().assign(p_value=float("nan"), p_adjusted=float("nan"))
    assert written(untested).tested[0].family == ""


def test_where_nothing_could_be_measured_a_part_says_so():
    lost = ["estimate", "ci_low", "ci_high", "p_value", "p_adjusted"]
    empty = tidy_rows().assign(**dict.fromkeys(lost, float("nan")))
    found = written(empty)
    assert numbers.EMPTY in found.lead
    assert found.answers[0].rows == []
