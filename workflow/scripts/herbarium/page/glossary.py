"""The terms of the page and what they mean: as tooltips where a block first uses them, and in a room of their own."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import escape

# Elements whose text is marked, and those in it whose text is not.
_MARKED = {"p", "li", "figcaption", "caption"}
_LEFT = {"a", "code", "button", "summary", "label", "script", "pre"}
_TAG = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"<(/?)(\w+)")


class Term(NamedTuple):
    """is_marked: whether the page links it, as it is no everyday word."""

    term: str
    meaning: str
    is_marked: bool

    @property
    def id(self) -> str:
        return "term-" + re.sub(r"\W+", "-", self.term.casefold()).strip("-")


@cache
def terms() -> Sequence[Term]:
    """In alphabetical order."""
    with Path(__file__).with_name("glossary.csv").open(encoding="utf-8", newline="") as file:
        return [Term(row["term"], row["meaning"], row["is_marked"] == "yes") for row in csv.DictReader(file)]


def with_tooltips(*pages: str) -> list[str]:
    """Consecutive HTML with the first use of each term as a link to its meaning, which is its tooltip, too."""
    known = {term.term.casefold(): term for term in terms() if term.is_marked}
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)({names})s?(?!\w)", re.IGNORECASE)

    def linked(match: re.Match) -> str:
        term = known.pop(match[1].casefold(), None)
        return f'<a class="term" href="#{term.id}" title="{escape(term.meaning)}">{match[0]}</a>' if term else match[0]

    return ["".join(_replaced(_TAG.split(page), pattern, linked)) for page in pages]


def _replaced(pieces: Sequence[str], pattern: re.Pattern, linked: Callable[[re.Match], str]) -> Iterator[str]:
    """pieces: texts and tags in turn."""
    inside = left = 0
    for piece in pieces:
        if tag := _NAME.match(piece):
            step = -1 if tag[1] else 1
            inside += step * (tag[2] in _MARKED)
            left += step * (tag[2] in _LEFT)
        yield pattern.sub(linked, piece) if inside and not left and not tag else piece
