"""Repairs of published files: a list of words in a line and their replacements.

A benchmark with repairs is another benchmark: nothing is repaired unless the configuration names a list.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import check_cells, read_text_table


class Repair(NamedTuple):
    """file: its name. line: from 1. wrong: words that occur there once. right: their replacement, or nothing."""

    file: str
    line: int
    wrong: str
    right: str


def read(path: str | Path) -> list[Repair]:
    """The repairs of a CSV with the columns of `Repair`, and any others. Raises HerbariumError, with row and column."""
    table = read_text_table(path, Repair._fields)
    check_cells(path, table, ["file", "line"])
    for row, (line, wrong) in enumerate(zip(table["line"], table["wrong"], strict=True), start=1):
        if not line.isdecimal() or int(line) == 0:
            raise HerbariumError(f"{path}, row {row}, column 'line': '{line}' is not a line number, from 1.")
        if not wrong:
            raise HerbariumError(
                f"{path}, row {row}, column 'wrong': the cell is empty; give the words that are wrong."
            )
    table["line"] = table["line"].astype(int)
    return [Repair(*row) for row in table[list(Repair._fields)].itertuples(index=False)]


def repaired(path: str | Path, lines: Sequence[str], repairs: Sequence[Repair]) -> list[str]:
    """The lines of a file after its repairs. Raises HerbariumError, with file and line, if a line does not have the
    words of a repair exactly once."""
    lines = list(lines)
    for repair in repairs:
        if repair.file == Path(path).name:
            line = lines[repair.line - 1] if repair.line <= len(lines) else ""
            if line.count(repair.wrong) != 1:
                raise HerbariumError(
                    f"{path}, line {repair.line}: a repair expects '{repair.wrong}' exactly once; it was made for "
                    "other files."
                )
            lines[repair.line - 1] = line.replace(repair.wrong, repair.right)
    return lines
