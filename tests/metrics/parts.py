"""What holds of the part of the page of any metric."""

import html
import json
import re

import pandas as pd
from tests.metrics.cards import cards, pattern

from herbarium.report.part import Part, from_record


def assert_part(part: Part, metric: str) -> Part:
    """The part can be written and read, and the page can rely on what it says. Returns it as it is read."""
    read = from_record(json.loads(json.dumps(part._asdict())))
    assert read.name == metric
    assert read.title
    sections = [section for section, _ in read.sections]
    assert len(set(sections)) == len(sections)
    for section in sections:
        assert f'<section aria-labelledby="{section}">' in read.html
        assert f'id="{section}"' in read.html
    assert read.html.count("<section") == read.html.count("</section>")
    assert all(tested.section in sections for tested in read.tested)
    assert all(section in sections for _, _, section in read.papers)
    known = [pattern(name, {}) for name in cards(metric)["metric"].unique()]
    for tested in read.tested:
        assert any(name.fullmatch(tested.metric) for name in known), f"{tested.metric} has no card"
    assert all(f'id="{link}"' in read.html for link in re.findall(r'href="#([\w-]+)"', read.overview))
    assert all(answer.section in sections for answer in read.answers)
    for panels in re.findall(r'<script type="application/json">(.*?)</script>', read.lead + read.html, re.DOTALL):
        json.loads(panels, parse_constant=_refused)
    assert not any(
        pd.isna(value) for answer in read.answers for row in answer.rows for value in row.values() if value is not None
    )
    of_rows = set(map(html.unescape, re.findall(r'data-topic="(.*?)"', read.html + read.lead)))
    assert all(row_text.startswith(tuple(read.topics)) for row_text in of_rows)  # `hostile` adds to them
    items = read.limits.strip()
    assert items.startswith("<li>")
    assert items.endswith("</li>")
    assert all({"name", "planted"} <= model.keys() for model in read.models)
    return read


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON: a browser draws nothing")
