"""Tables of a paper, as its text has them."""

import itertools
import re
from collections.abc import Iterator

NUMBER = r"(?<![\w.,-])-?\d+(?:\.\d+)?(?: ?\*)?(?![\w.,-])"
RANGE = r"\[([\d.E-]+), ?([\d.E-]+)\]"


def printed(paper: list[str], number: int) -> list[str]:
    """The lines of a table: those above its caption, after empty ones, up to an empty one or another's caption."""
    end = next(n for n, line in enumerate(paper) if line.startswith(f"Table {number}: "))
    upwards = itertools.dropwhile(lambda line: not line, reversed(paper[:end]))
    above = itertools.takewhile(lambda line: line and not line.startswith("Table "), upwards)
    return list(above)[::-1]


def numbers(paper: list[str], number: int) -> Iterator[str]:
    """The numbers of a table in the text of the paper, line by line."""
    for line in printed(paper, number):
        if line.startswith("Method"):
            continue
        if number == 13:
            matches = re.findall(r" (\d+) \d+±", line)[:1] + [
                n for cell in re.findall(r"(\d+)±(\d+)plus", line) for n in cell
            ]
        elif line.startswith("Effect Size"):
            matches = [end for ends in re.findall(RANGE, line) for end in ends]
        else:
            matches = re.findall(NUMBER, line.removeprefix("104 "))
        yield from (value.replace(" ", "") for value in matches)
