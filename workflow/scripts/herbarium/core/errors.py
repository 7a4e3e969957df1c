"""The one exception that people are meant to read."""

import difflib
from collections.abc import Iterable


class HerbariumError(Exception):
    """Something the user can fix: the message says what is wrong, where, and what would be right."""


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """The end of a message about a name that is not valid: the nearest valid one, or all of them."""
    valid = list(valid)
    near = difflib.get_close_matches(name, valid, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; valid: {', '.join(valid)}"
