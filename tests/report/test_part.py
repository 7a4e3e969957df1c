"""A part of the page."""

import pytest

from herbarium.report.part import Part, heading

OVERVIEW = """
<h3><a href="#herb">HERB &amp;
its null</a></h3>
<p>How far regions lie apart.</p>
"""


@pytest.mark.parametrize(("overview", "expected"), [(OVERVIEW, "HERB & its null"), ("", None)])
def test_its_heading_is_plain_text(overview, expected):
    assert heading(Part("herb", "title", [], "", overview, "", [], [])) == expected
