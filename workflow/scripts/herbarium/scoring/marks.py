"""Marks in sentences: the role of words in quantities of masked slots, `The nurse said that [asked: she] was late.`"""

import re
import unicodedata
from typing import NamedTuple

from herbarium.core.errors import did_you_mean
from herbarium.scoring.quantities import ASKED, ROLES

_BRACKET = re.compile(r"[\[\]]")
# What looks like the beginning of a mark, such as one with full-width brackets.
_BEGINNING = re.compile(r"([^\w\s])\s*(\w+)\s*([:：])")
_QUOTED = 20  # characters of a sentence in a message


class Span(NamedTuple):
    """Marked words: their role (of quantities.ROLES), and their characters in the sentence without marks, end
    exclusive."""

    role: str
    start: int
    end: int


def unmark(marked: str) -> tuple[str, list[Span]]:
    """A sentence without its marks, and the marked spans, in order.

    A mark is `[role: words]`; white space around the words does not count. Raises ValueError, with what would be right,
    for a bracket that is not closed or is inside another, an unknown role, a mark without role or words, and one with
    other brackets or another colon.
    """
    for beginning in _BEGINNING.finditer(marked):
        bracket, role, colon = beginning.groups()
        is_bracket = unicodedata.category(bracket) == "Ps" and bracket != "("  # (hidden: …) may be meant as it stands
        if is_bracket and (bracket, colon) != ("[", ":") and unicodedata.normalize("NFKC", role).lower() in ROLES:
            raise ValueError(
                f"'{beginning[0]}' does not begin a mark; a mark is [{ASKED}: words], in these very characters"
            )
    text, spans, position = "", [], 0
    while (opening := _BRACKET.search(marked, position)) is not None:
        quoted = marked[opening.start() :][:_QUOTED]
        if opening[0] == "]":
            raise ValueError(f"the bracket after '{marked[: opening.start()][-_QUOTED:]}' has no opening one")
        closing = _BRACKET.search(marked, opening.end())
        if closing is None or closing[0] == "[":
            raise ValueError(f"the bracket '{quoted}' is not closed; a mark is [{ASKED}: words]")
        role, colon, words = marked[opening.end() : closing.start()].partition(":")
        role, words = role.strip(), words.strip()
        if not colon:
            raise ValueError(f"the mark '[{role}]' has no role; write [{ASKED}: {role}]")
        if role not in ROLES:
            raise ValueError(f"'{role}' is not a role{did_you_mean(role, ROLES)}")
        if not words:
            raise ValueError(f"'[{role}:]' marks no word")
        text += marked[position : opening.start()]
        spans.append(Span(role, len(text), len(text) + len(words)))
        text += words
        position = closing.end()
    return text + marked[position:], spans
