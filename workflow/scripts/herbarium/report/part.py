"""A part of the page: what a metric says about its numbers, rendered, and what the rooms on the whole study need."""

import html
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from herbarium.report.answers import Answer

_HERE = Path(__file__).parent
# How p-values are adjusted, in words.
CORRECTIONS = {"holm": "Holm", "fdr_bh": "Benjamini and Hochberg", "largest": "Westfall and Young"}


class Tested(NamedTuple):
    """How the numbers of a tidy `metric` are tested: its name in words, the section that has them, the family over
    which its p-values are adjusted, in words (empty without any), and how (one of `CORRECTIONS`)."""

    metric: str
    name: str
    section: str
    family: str = ""
    correction: str = "holm"


class Part(NamedTuple):
    """
    - name: of the metric. title: a line that says what was measured. sections: (id, title), for the contents.
    - answers: what the first screen says, one for each number that it reports.
    - lead: the figure, with little more, that the page shows before the reader asks for more. html: the sections, with
      all numbers. overview: one finding per sentence, with interval and null value. limits: what the numbers cannot
      say, as list items. uncertainty: paragraphs on what could have been found, and what did not converge.
    - tested: one for each tidy metric of the part.
    - papers: those with published numbers, as (metric, paper in words, section).
    - models: records of the models that were measured. topics: those of its rows and marks, from which the reader can
      choose: `data-topic` of rows, the column `topic` of marks (`drawing.panels`).

    All texts are HTML, escaped.
    """

    name: str
    title: str
    sections: list[tuple[str, str]]
    html: str
    overview: str
    limits: str
    tested: list[Tested]
    models: list[dict]
    papers: list[tuple[str, str, str]] = []  # noqa: RUF012 (nobody changes it)
    uncertainty: str = ""
    answers: list[Answer] = []  # noqa: RUF012
    lead: str = ""
    topics: list[str] = []  # noqa: RUF012


@cache
def _environment(folder: Path) -> Environment:
    """What compiles the templates of a folder, each once."""
    return Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(folder: Path, template: str, facts: dict) -> str:
    """A template of a folder, filled in. Everything in `facts` is escaped; macros of this room can be imported."""
    return _environment(folder).get_template(template).render(facts)


def heading(part: Part) -> str | None:
    """What a part's overview calls its metric, as plain text; None if the overview is empty."""
    match = re.search("<h3>(.*?)</h3>", part.overview, re.DOTALL)
    return match and " ".join(html.unescape(re.sub(r"<[^>]*>", "", match[1])).split())


def from_record(record: dict) -> Part:
    """A part from the record that `store.write_record(path, part._asdict(), made)` wrote."""
    rows = {key: [tuple(entry) for entry in record[key]] for key in ("sections", "papers")}
    named = {"tested": Tested, "answers": Answer}
    return Part(**record | rows | {key: [kind(*entry) for entry in record[key]] for key, kind in named.items()})
