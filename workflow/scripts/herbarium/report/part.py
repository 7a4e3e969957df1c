"""A part of the page: what a metric says of itself, rendered, with what the rooms of the whole study take from it."""

import html
import re
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from herbarium.report.answers import Answer

_HERE = Path(__file__).parent
# How p-values are adjusted, in words.
CORRECTIONS = {"holm": "Holm", "fdr_bh": "Benjamini and Hochberg", "largest": "Westfall and Young"}


class Tested(NamedTuple):
    """How sure the numbers of a tidy `metric` are: its name in words, the section that has them, and over what, in
    words, and how its p-values are adjusted (empty without any; one of `CORRECTIONS`)."""

    metric: str
    name: str
    section: str
    family: str = ""
    correction: str = "holm"


class Part(NamedTuple):
    """
    - name: of the metric. title: a line that says what was measured. sections: (id, title), for the contents.
    - answers: what the first screen says, one for each number that it says something of.
    - lead: the figure, or little more, that the page shows of the metric before one asks for more. html: the sections,
      with all numbers. overview: one finding a sentence, with interval and null value. limits: what the numbers
      cannot say, as list items. uncertainty: paragraphs on what could have been found, and what did not converge.
    - tested: of each tidy metric of the part.
    - papers: published table of (metric, paper in words, section).
    - models: records of the models that were measured. topics: that its rows and marks are of, which the reader chooses
      from: of rows their `data-topic`, of marks the column `topic` (`drawing.panels`).

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


def render(folder: Path, template: str, facts: dict) -> str:
    """A template of a folder, filled. Everything in `facts` is escaped; macros of this room can be imported."""
    environment = Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(facts)


def heading(part: Part) -> str | None:
    """What a part's overview calls its metric, as plain text; None where it has nothing to say."""
    return _first("h3", part)


def headline(part: Part) -> str | None:
    """The first finding of a part's overview as plain text, for a screen; None where it has none."""
    title, finding = heading(part), _first("li", part)
    return f"{title}. {finding}" if title and finding else None


def _first(tag: str, part: Part) -> str | None:
    found = re.search(f"<{tag}>(.*?)</{tag}>", part.overview, re.DOTALL)
    return found and " ".join(html.unescape(re.sub(r"<[^>]*>", "", found[1])).split())


def from_record(record: dict) -> Part:
    """A part as it was written: `store.write_record(path, part._asdict(), made)`."""
    rows = {key: [tuple(of) for of in record[key]] for key in ("sections", "papers")}
    named = {"tested": Tested, "answers": Answer}
    return Part(**record | rows | {key: [kind(*of) for of in record[key]] for key, kind in named.items()})
