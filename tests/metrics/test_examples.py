"""What holds of the numbers and of the part of the page of every metric, on its example."""

import html
import re

import pytest
from tests.metrics.cards import assert_cards
from tests.metrics.examples import METRICS, example, in_lines, part_of
from tests.metrics.parts import assert_part

from herbarium.drawing import style
from herbarium.page import build

pytestmark = pytest.mark.parametrize("metric", METRICS)


@pytest.mark.slow
def test_every_number_has_a_card_and_every_card_a_number(metric):
    given = example(metric)
    assert_cards(metric, given.written(), getattr(given, "NAMES", {}))


@pytest.mark.slow
def test_its_part_is_sound(metric):
    assert_part(part_of(metric), metric)


@pytest.mark.slow
def test_its_part_is_sound_where_no_number_has_a_value_and_figures_say_so(metric):
    part = assert_part(example(metric).lost_part(), metric)
    drawn = re.findall(r'<img\b[^>]*\balt="([^"]*)"', part.lead + part.html)
    assert all(re.search(r"\bno (value|score)\b", words) for words in drawn)
    assert "nan" not in " ".join([part.overview, part.lead, part.html]).split()


def test_its_part_says_what_it_said(metric, text_snapshot):
    assert in_lines(part_of(metric)) == text_snapshot


def test_models_have_their_labels_and_no_name_is_markup(metric):
    part = part_of(metric)
    shown = html.unescape(part.lead + part.html)
    for model in example(metric).MODELS:
        assert style.label(model["name"], model["planted"]) in shown
    assert "<b>real" not in part.lead + part.html + part.overview


@pytest.mark.slow
def test_no_text_becomes_markup(metric, hostile):
    part = example(metric).part()
    hostile(build.build([part], part.models, {"seed": 1}, {"libraries": {"numpy": "2.9"}}))
