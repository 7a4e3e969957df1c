"""External numbers about the subjects of sentences, such as the share of women in an occupation."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import check_cells, check_distinct, read_text_table

# The things, what is known about them, the number and its error.
COLUMNS = (THING, BESIDE, KNOWN, ERROR) = ("thing", "beside", "known", "std_error")


def read(path: str | Path, column: str) -> pd.DataFrame:
    """COLUMNS, one row per value of `column`: what is known (the name of its column), and an error of 0 if it has none.

    The table has `column`, one column of numbers, whatever its name, and, if wanted, `std_error`. Raises HerbariumError
    with path, row and column.
    """
    table = read_text_table(path, [column])
    numbers = [name for name in table if name not in (column, ERROR)]
    if len(numbers) != 1:
        has = ", ".join(map(str, table))
        raise HerbariumError(
            f"{path}: apart from '{column}' and '{ERROR}' it must have one column, of numbers; it has {has}."
        )
    check_cells(path, table, [column])
    check_distinct(path, table[column])
    errors = _numbers(path, table, ERROR) if ERROR in table else 0.0
    known = _numbers(path, table, numbers[0])
    return pd.DataFrame({THING: table[column], BESIDE: numbers[0], KNOWN: known, ERROR: errors})


def read_all(
    names: Iterable[str], paths: Iterable[str | Path], entries: Mapping[str, Mapping]
) -> dict[str, pd.DataFrame]:
    """`read` of several sets of sentences, by their names. entries: `sentence_sets` of the configuration."""
    return {name: read(path, entries[name]["each"]) for name, path in zip(names, paths, strict=True)}


def check(path: str | Path, column: str, things: pd.Series) -> None:
    """Raise HerbariumError unless a table has a number for each thing that sentences are about."""
    known = set(read(path, column)[THING])
    for thing in things:
        if thing not in known:
            raise HerbariumError(f"{path}: it has no row with the {column} '{thing}'{did_you_mean(thing, known)}.")


def _numbers(path: str | Path, table: pd.DataFrame, column: str) -> pd.Series:
    values = pd.to_numeric(table[column], errors="coerce")
    if values.isna().any():
        row = values.isna().idxmax()
        raise HerbariumError(f"{path}, row {row + 1}, column '{column}': '{table[column][row]}' is not a number.")
    return values.astype(float)
