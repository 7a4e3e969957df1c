"""What becomes of the rows of a table: which a filter, mapping or join matches, which are used, and what names them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path

import pandas as pd

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.places import named as named_file

# Of the step that runs: what `account` says of each table.
_OF_STEP: ContextVar[dict[str, dict] | None] = ContextVar("rows", default=None)


def begin() -> dict[str, dict]:
    """Begin a step. Returns what will become of the rows of the tables that it reads, by their names: `read`, `used`,
    and `left_out`, reason -> number; it is filled as they are read."""
    _OF_STEP.set({})
    return _OF_STEP.get()


def require_matched(place: str, asked: Iterable[str], cells: Iterable[str], among: str = "") -> None:
    """Raise HerbariumError, with the nearest that exists, if a value that a filter, mapping or join asks for is in no
    cell. place: the file and the key. among: which rows are meant, if not all."""
    numbers = pd.Series(list(cells), dtype=str).value_counts(sort=False)
    for value in asked:
        if value not in numbers.index:
            instead = did_you_mean(value, numbers.index) if len(numbers) else ""
            raise HerbariumError(f"{place}: no row{among} has '{value}'{instead}.")
        log.info("%s: '%s' in %d rows%s.", place, value, numbers[value], among)


def account(place: str | Path, n_read: int, n_used: int, left_out: Mapping[str, int]) -> None:
    """Log what becomes of the rows of a table, and keep it for the records of a step. left_out: reason -> number of
    rows.

    Raises HerbariumError if rows are neither used nor left out for a reason, or are used twice.
    """
    reasons = [f"{n} left out ({why})" for why, n in left_out.items() if n]
    counts = ", ".join([f"{n_read} rows read", f"{n_used} used", *reasons])
    if n_read != n_used + sum(left_out.values()):
        raise HerbariumError(f"{place}: {counts}: this does not add up; please report it.")
    log.info("%s: %s.", place, counts)
    if (of_step := _OF_STEP.get()) is not None:
        numbers = {why: int(n) for why, n in left_out.items() if n}
        of_step[named_file(str(place))] = {"read": int(n_read), "used": int(n_used), "left_out": numbers}


def named(columns: Sequence[pd.Series], separator: str) -> pd.Series:
    """One text for the cells of each row, which differs wherever one of the cells does: joined by the separator or, if
    two rows with other cells would then be the same, each cell in quotes."""
    first, *others = columns
    joined = first.str.cat(others, sep=separator) if others else first
    whole = pd.concat([joined, *columns], axis="columns", ignore_index=True).drop_duplicates()
    if whole[0].is_unique:
        return joined
    quoted = [column.map(lambda cell: json.dumps(cell, ensure_ascii=False)) for column in columns]
    return quoted[0].str.cat(quoted[1:], sep=separator)
