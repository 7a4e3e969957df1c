"""Groups of texts that columns of the data name: `groups` of a task, by attribute, as plain data in all functions."""

import numpy as np
import pandas as pd

from herbarium.core import resources
from herbarium.core.errors import HerbariumError


def columns(attributes: dict[str, dict]) -> list[str]:
    """The columns of the data that groups need."""
    return [column for entry in attributes.values() for column in entry["columns"] or [entry["column"]]]


def of(cells: pd.DataFrame, attributes: dict[str, dict], where: str) -> pd.Series:
    """The group of each row by attribute, as items of `core.attributes.GROUPS`; null without attributes.

    cells: `columns`, as text. where: the file or data set. Raises HerbariumError, with the row, for what is not a
    number.
    """
    if not attributes:
        return pd.Series(None, cells.index, dtype=object)
    names = pd.DataFrame({attribute: _group_of(cells, entry, where) for attribute, entry in attributes.items()})
    items = [[item for item in row.items() if isinstance(item[1], str)] for row in names.to_dict("records")]
    return pd.Series(items, dtype=object)


def _group_of(cells: pd.DataFrame, entry: dict, where: str) -> pd.Series:
    """The group of each row by one attribute; null if it is in none."""
    if entry["column"]:
        values = cells[entry["column"]]
        return values.where(values.isin(entry["values"]))
    is_in = np.stack([_numbers(cells[column], where) >= entry["at_least"] for column in entry["columns"]], axis=1)
    names = np.array(entry["columns"], dtype=object)[is_in.argmax(axis=1)]
    return pd.Series(names).where(is_in.sum(axis=1) == 1)


def _numbers(cells: pd.Series, where: str) -> pd.Series:
    """Cells as numbers from 0 to 1; nan if empty."""
    try:
        return resources.shares(where, cells[cells != ""]).reindex(cells.index)
    except HerbariumError as error:
        raise HerbariumError(
            f"{error} If groups are values of this column, name it under 'column', with its 'values'."
        ) from error


def require_texts(by_text: pd.Series, attributes: dict[str, dict], where: str) -> None:
    """Raise HerbariumError for a group without a text. by_text: of `of`, for the rows that are used."""
    for attribute, entry in attributes.items():
        known = {dict(items).get(attribute) for items in by_text}
        for name in entry["values"] or entry["columns"]:
            if name not in known:
                place = f"in the column '{entry['column'] or name}'"
                what = f"'{name}' {place}" if entry["column"] else f"{entry['at_least']:g} or more {place} alone"
                raise HerbariumError(f"{where}: no row has {what}; it is a group of '{attribute}' (groups).")
