"""A part of the page, in a line."""

import pandas as pd
import pytest

from herbarium.report.answers import answer
from herbarium.report.part import Part, headline, unable

OVERVIEW = """
<h3><a href="#herb">HERB</a></h3>
<p>How far regions lie apart.</p>
<ul>
<li><strong>a &amp; b</strong>: 1.20
<span>(1.0 to 1.4)</span>, p&nbsp;&lt;&nbsp;0.001.</li>
<li>second</li>
</ul>
"""


def part(overview):
    return Part("herb", "title", [], "", overview, "", [], [])


def test_its_headline_is_the_first_finding_as_text():
    assert headline(part(OVERVIEW)) == "HERB. a & b: 1.20 (1.0 to 1.4), p < 0.001."


def test_models_that_do_not_do_the_task_are_named_but_for_planted_ones():
    rows = pd.DataFrame({"model": ["mine", "other", "planted"], "unable": ["it guesses", None, "it guesses"]})
    given = answer("Answers", "", "nats", "answers", rows.assign(estimate=1.0), {"planted": 2.0})
    (line,) = unable(part(OVERVIEW)._replace(answers=[given]))
    assert all(fact in line for fact in ("Answers", "mine", "it guesses"))


@pytest.mark.parametrize("overview", ["", "<h3>HERB</h3><p>No intervals were computed.</p>"])
def test_a_part_that_found_nothing_has_none(overview):
    assert headline(part(overview)) is None
