"""Tables of sentences with other columns than ours, as their authors publish them: what is where in them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import UTF8, invisible, look_alike, read_tabs, read_text_table, unseen
from herbarium.core.rows import named, require_matched

TABS = ".tsv"


def laid_out(path: str | Path, columns: Mapping[str, Any]) -> pd.DataFrame:
    """The sentences of a file in the columns of our own tables, every cell as text: `id`, `set`, `side`, `text`,
    `group` and the covariates. Index: the rows of the file, from 0. path: of a CSV, or of a table with tabs (.tsv), in
    which quotes mean nothing. columns: of `columns.Columns`, as plain data.

    Raises HerbariumError, with path and row, for a column that is missing, a cell of other parts, and a value that
    `only` or `values` names and no row has.
    """
    table = _with_parts(path, columns)
    table = table[_is_chosen(path, table, columns["only"])]
    rows = pd.concat(_sides(path, table, columns)).sort_index(kind="stable")
    for role, column in columns["marks"].items():
        words = _column(path, rows, column)
        rows["_text"] = [_marked(text, role, word) for text, word in zip(rows["_text"], words, strict=True)]
    for column, replacements in columns["values"].items():
        cells = _column(path, rows, column)
        is_in_part = columns["partial"] and cells.isin(list(replacements)).all()
        asked = [value for value in replacements if value in set(cells)] if is_in_part else replacements
        require_matched(f"{path}: columns.values.{column}", asked, cells)
        rows[column] = cells.replace(replacements)
    if columns["side"]:
        rows["_side"] = rows[columns["side"]]
    names = [_column(path, rows, name) for name in columns["set"]]
    sets = named(names, "/") if names else pd.Series((rows.index + 1).astype(str), rows.index)
    group = _column(path, rows, columns["group"]) if columns["group"] else ""
    ids = named([sets, rows["_side"]], "/")
    ours = {"id": ids, "set": sets, "side": rows["_side"], "text": rows["_text"]}
    kept = {name: _column(path, rows, name) for name in columns["keep"]}
    return pd.DataFrame({**ours, "group": group, **kept})


def not_chosen(path: str | Path, columns: Mapping[str, Any]) -> dict[int, str]:
    """Rows of the file that `only` leaves out, from 0 -> the column of the value. Arguments as of `laid_out`."""
    table, why = _with_parts(path, columns), {}
    for column, values in columns["only"].items():
        for row in table.index[~table[column].isin(values)]:
            why.setdefault(row, column)
    return why


def faulty_sets(table: pd.DataFrame) -> dict[str, tuple[int, str]]:
    """Sets of `laid_out` that cannot be compared -> a row of the file, from 0, and what is wrong with it. One such set
    among thousands of somebody else's is left out; in a table of ours it is an error."""
    faulty = {}
    for name, texts in table.groupby("set", sort=False)["text"]:
        if (unmarked := texts.isna()).any():
            faulty[name] = (
                unmarked.idxmax(),
                "the words to mark are not once in the sentence, in these capitals",
            )
        elif (empty := texts == "").any():
            faulty[name] = empty.idxmax(), "a sentence is empty"
        elif (unseen_in := texts.map(invisible).dropna()).size:
            faulty[name] = unseen_in.index[0], f"a sentence has the invisible character {unseen(unseen_in.iloc[0])}"
        elif texts.duplicated().any():
            faulty[name] = texts.index[-1], "the same sentence twice"
    whole = table[~table["set"].isin(faulty)]
    for place, _, alike in looking_alike(whole):
        faulty[whole["set"].iloc[place]] = whole.index[place], f"{alike} look alike, but are different characters"
    return faulty


def looking_alike(table: pd.DataFrame) -> Iterator[tuple[int, int, str]]:
    """Sentences with words that differ from those of the first of their set in characters that look alike alone: the
    places of both in the table, from 0, and the words. table: with set and text."""
    firsts: dict[str, tuple[int, str]] = {}
    for place, (name, text) in enumerate(zip(table["set"], table["text"], strict=True)):
        first, first_text = firsts.setdefault(name, (place, text))
        if alike := look_alike(text, first_text):
            yield place, first, alike


def _read(path: str | Path, encoding: str) -> pd.DataFrame:
    read = read_tabs if Path(path).suffix == TABS else read_text_table
    return read(path, [], UTF8 if encoding == "utf-8" else encoding)


def _with_parts(path: str | Path, columns: Mapping[str, Any]) -> pd.DataFrame:
    table = _read(path, columns["encoding"])
    for column, pattern in columns["parts"].items():
        parts = _parts(path, _column(path, table, column), pattern)
        if twice := set(parts) & set(table):
            raise HerbariumError(f"{path}: `parts` name a column that is there already: '{min(twice)}'.")
        table = table.join(parts)
    return table


def _is_chosen(path: str | Path, table: pd.DataFrame, only: Mapping[str, list[str]]) -> pd.Series:
    """(n,) of bool: which rows have the values that `only` names, each of which must be in one of them."""
    is_chosen = pd.Series(True, table.index)
    for column, values in only.items():
        require_matched(f"{path}: columns.only.{column}", values, _column(path, table, column))
        is_chosen &= table[column].isin(values)
    for column, values in only.items():
        place, cells = f"{path}: columns.only.{column}", table.loc[is_chosen, column]
        require_matched(place, values, cells, " that the other columns of `only` leave")
    return is_chosen


def _sides(path: str | Path, table: pd.DataFrame, columns: Mapping[str, Any]) -> Iterator[pd.DataFrame]:
    """The rows of each side, with `_side` and `_text`."""
    if isinstance(columns["text"], str):
        texts = _column(path, table, columns["text"]).str.strip()
        yield table.assign(_side=_column(path, table, columns["side"]), _text=texts)
    else:
        for side, column in columns["text"].items():
            yield table.assign(_side=side, _text=_column(path, table, column).str.strip())


def _marked(text: str | None, role: str, word: str) -> str | None:
    """The text with a word marked; None if it does not have it once."""
    if pd.isna(text) or not word.strip() or len(pieces := re.split(rf"(?<!\w){re.escape(word)}(?!\w)", text)) != 2:
        return None
    return f"{pieces[0]}[{role}: {word}]{pieces[1]}"


def _column(path: str | Path, table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table:
        raise HerbariumError(f"{path}: it has no column '{name}'{did_you_mean(name, list(table))}.")
    return table[name]


def _parts(path: str | Path, cells: pd.Series, pattern: str) -> pd.DataFrame:
    matches = [re.fullmatch(pattern, cell) for cell in cells]
    if None in matches:
        row = matches.index(None)
        raise HerbariumError(f"{path}, row {row + 1}, column '{cells.name}': '{cells.iloc[row]}' is not '{pattern}'.")
    return pd.DataFrame([match.groupdict("") for match in matches], cells.index)
