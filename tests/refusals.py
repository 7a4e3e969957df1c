"""What a test says of an error: where the fault lies, and which facts it names; never how it is worded."""

import re
from contextlib import contextmanager

import pytest

from herbarium.core.errors import HerbariumError


@contextmanager
def refused(place, *facts):
    """The block must raise a HerbariumError, a line of which has this place and names these facts.

    place: the file, row, line or key at which the fault lies, as the message has it at its beginning or after a `: `; a
    file without its folder. facts: names, values and numbers, as whole words, that tell this fault from others there.
    """
    with pytest.raises(HerbariumError) as caught:
        yield caught
    here = [line for line in str(caught.value).splitlines() if is_at(str(place), line)]
    assert here, f"no fault at {place}: {caught.value}"
    assert any(all(names(line, str(fact)) for fact in facts) for line in here), f"not {facts}: {caught.value}"


def is_at(place, line):
    """Whether a line of a message has this place."""
    ends = re.compile(rf"(.*/)?{re.escape(place)}(?![\w.-])")
    return any(ends.match(part) for part in line.removeprefix("  - ").split(": "))


def names(line, fact):
    """Whether a line of a message names a fact: not as a part of a longer word or number."""
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(fact)}(?!\w|[.,]\d)", line) is not None
