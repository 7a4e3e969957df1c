"""What a test says of an error: where the fault lies, and which facts it names; never how it is worded."""

import re
from contextlib import contextmanager

import pytest

from herbarium.core.errors import HerbariumError


@contextmanager
def refused(place, *facts, kind=HerbariumError):
    """The block must raise an error that tells these facts. kind: its class. place, facts: of `tells`."""
    with pytest.raises(kind) as caught:
        yield caught
    assert tells(str(caught.value), place, *facts), f"not {facts} at {place}: {caught.value}"


def tells(message, place, *facts):
    """Whether a line of a message has this place and names these facts.

    place: the file, row, line or key at which the fault lies, as the message has it at its beginning or after a `: `; a
    file without its folder; None if the code knows none of them. facts: names, values and numbers, as whole words, that
    tell this fault from others there.
    """
    here = [line for line in message.splitlines() if place is None or is_at(str(place), line)]
    return any(all(names(line, str(fact)) for fact in facts) for line in here)


def is_at(place, line):
    """Whether a line of a message has this place."""
    ends = re.compile(rf"(.*/)?{re.escape(place)}(?![\w.-])")
    return any(ends.match(part) for part in line.removeprefix("  - ").split(": "))


def names(line, fact):
    """Whether a line of a message names a fact: not as a part of a longer word or number."""
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(fact)}(?!\w|[.,]\d)", line) is not None
