"""Readers of handwritten files: word lists, templates and published tables. A fault is reported with file and line."""

import codecs
import csv
import io
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError

_SLOT = re.compile(r"\[([A-Za-z]+)\]")
# Invisible characters that no picture or page may have; tabs and line breaks are not among them.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
# Bytes of a handwritten file at most: about a million lines.
LARGEST = 100_000_000
_UNSEEN = " \u200b\u2060\ufeff"  # at the ends of a word, in addition to white space


_SEPARATORS = {";": "semicolons", "\t": "tabs"}


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file. Raises HerbariumError when it does not exist, is not a text file, is larger than any
    handwritten file, or has control characters, with the line."""
    try:
        require_regular(path, LARGEST)
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise HerbariumError(f"{path}: no such file.") from None
    except IsADirectoryError:
        raise HerbariumError(f"{path}: this is a folder; it should be a file.") from None
    except (OSError, ValueError) as error:  # a character that no path can have, for example
        raise HerbariumError(f"{path}: it cannot be read ({error}).") from None
    return text_of(content, path)


def text_of(content: bytes, place: str | Path) -> str:
    """The text of UTF-8 bytes, in which \\n ends a line. place: where they are from, for messages.

    Raises HerbariumError as `read_text`.
    """
    if len(content) > LARGEST:
        raise HerbariumError(f"{place}: it has more than {LARGEST / 1e6:,.0f} MB, the most that is read.")
    try:
        # some editors begin UTF-8 files with a mark
        text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").read()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise HerbariumError(f"{place}, line {line}: {not_utf8(error)}.") from None
    if "\0" in text:
        raise HerbariumError(f"{place}: it has zero bytes, as UTF-16 text has; save it as UTF-8.")
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise HerbariumError(f"{place}, line {line}: it has the control character {unseen(found[0])}; remove it.")
    return text


def require_regular(path: str | Path, largest: int) -> None:
    """Raise HerbariumError for a file that is a device or a pipe, which may never end, or is larger than `largest`
    bytes.

    A missing file, or a folder, is left to its reader.
    """
    if not os.path.exists(path) or os.path.isdir(path):  # noqa: PTH110, PTH112 - Path's raise for a name that is too long
        return
    found = os.stat(path)  # noqa: PTH116
    if not stat.S_ISREG(found.st_mode):
        raise HerbariumError(f"{path}: this is a device or a pipe; it should be a file.")
    if found.st_size > largest:
        raise HerbariumError(f"{path}: it has {found.st_size / 1e6:,.0f} MB; at most {largest / 1e6:,.0f} MB are read.")


def unseen(character: str) -> str:
    """The name of an invisible character in messages."""
    return f"U+{ord(character):04X}"


def sameness(word: str) -> str:
    """A key that words that look alike share: two words with the same key are one word.

    Compatibility characters are folded (NFKC: a ligature, a full-width letter, a no-break space), as many tokenizers
    do, to which such words are the same input; and invisible characters at the ends are removed.
    """
    return unicodedata.normalize("NFKC", word).strip().strip(_UNSEEN)


def not_utf8(error: UnicodeDecodeError) -> str:
    """What a file is instead of UTF-8, and what to do."""
    is_utf16 = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"{'this is UTF-16' if is_utf16 else 'not UTF-8'} text; save it as UTF-8"


def lines(path: str | Path) -> list[tuple[int, str]]:
    """The numbered lines of a UTF-8 text file without its comments (lines that begin with #)."""
    return [(n, line) for n, line in enumerate(read_text(path).split("\n"), start=1) if not line.startswith("#")]


def finder(words: Iterable[str], flags: int = 0) -> re.Pattern:
    """A pattern that finds any of some words in a text: the longest of those with the same beginning, and none within
    another word. flags: of `re`."""
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", flags)


def read_words(path: str | Path, repeats: bool = False) -> list[str]:
    """The words of a list, one per line, in their order.

    repeats: a word may occur more than once.
    Raises HerbariumError on an empty list, an empty line, white space around a word, or another duplicate.
    """
    words, first_seen = [], {}
    of_file = lines(path)
    if of_file and not of_file[-1][1]:  # after the last line break
        of_file.pop()
    for number, word in of_file:
        if not word.strip():
            raise HerbariumError(f"{path}, line {number}: the line is empty; remove it.")
        if word != word.strip():
            raise HerbariumError(
                f"{path}, line {number}: white space around '{word.strip()}' would be scored; remove it."
            )
        first, spelled = first_seen.setdefault(sameness(word), (number, word))
        if first != number and (spelled != word or not repeats):
            how = "" if spelled == word else ", in characters that only look alike"
            raise HerbariumError(f"{path}, line {number}: '{word}' is already in line {first}{how}.")
        words.append(word)
    if not words:
        raise HerbariumError(f"{path}: the list has no words.")
    return words


def read_template(path: str | Path, wanted: set[str], one_of: Collection[str] = ()) -> str:
    """The only template in a file, with each of the named [slots] exactly once, and one slot of those in `one_of`.

    Raises HerbariumError when a slot is missing, repeated or unknown, or the file does not hold exactly one template.
    """
    filled = [(number, line) for number, line in lines(path) if line.strip()]
    if len(filled) != 1:
        raise HerbariumError(f"{path}: it should have one template, but has {len(filled)}.")
    number, template = filled[0]
    found = slots(template)
    for choice in [*([slot] for slot in sorted(wanted)), *([list(one_of)] if one_of else [])]:
        times = sum(found.count(slot) for slot in choice)
        if times != 1:
            raise HerbariumError(
                f"{path}, line {number}: the slot {' or '.join(f'[{slot}]' for slot in choice)} must occur once in "
                f"'{template}'; it occurs {times} times."
            )
    known = {*wanted, *one_of}
    unknown = sorted(set(found) - known)
    if unknown:
        raise HerbariumError(
            f"{path}, line {number}: unknown slot [{unknown[0]}] in '{template}'; known: {', '.join(sorted(known))}."
        )
    return template


def read_table(path: str | Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """The table in a CSV, with empty cells as empty texts. Lines that begin with # are comments.

    columns: the required ones, as text. Raises HerbariumError when one is missing or the file cannot be read.
    """
    return _table(path, columns, dict.fromkeys(columns, str))


def _table(path: str | Path, columns: Sequence[str], types: type | dict[str, type]) -> pd.DataFrame:
    text = "\n".join(line for _, line in lines(path))
    try:
        # if rows have more cells than the header, pandas takes the first for an index
        rows = filter(None, csv.reader(io.StringIO(text)))
        header = next(rows, None)
        if header is None:
            raise HerbariumError(
                f"{path}: the file is empty; it should be a table with the columns {','.join(columns)}."
            )
        refuse_separator(path, header, columns)
        width = len(header)
        wide = next((number for number, row in enumerate(rows, start=1) if len(row) > width), None)
        if wide is not None:
            raise HerbariumError(
                f"{path}, row {wide}: a row has more cells than the header has columns; put a cell that has a comma in "
                "quotes."
            )
        # keep_default_na=False: the code NA is a place, not a missing value
        table = pd.read_csv(io.StringIO(text), keep_default_na=False, dtype=types)
    except (ValueError, csv.Error) as error:
        raise HerbariumError(f"{path}: not a readable CSV ({error}).") from error
    for column in columns:
        if column not in table.columns:
            raise HerbariumError(f"{path}: the column '{column}' is missing; required: {','.join(columns)}.")
    return table


def read_text_table(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    """As `read_table`, every cell as text; raises HerbariumError for a table without rows, too."""
    table = _table(path, columns, str)
    if table.empty:
        raise HerbariumError(f"{path}: the table has no rows.")
    return table


def refuse_separator(path: str | Path, header: Sequence[str], columns: Iterable[str]) -> None:
    """Raise HerbariumError when something other than commas separates the cells of a table.

    header: the texts between the commas of its first line. columns: those that the table must have.
    """
    for separator, name in _SEPARATORS.items():
        if separator in header[0] and not set(columns) <= set(header):
            raise HerbariumError(
                f"{path}: its cells are separated by {name}; separate them with commas (in a spreadsheet, save it as "
                "CSV with commas, in UTF-8)."
            )


def check_cells(path: str | Path, table: pd.DataFrame, columns: Iterable[str], may_be_empty: bool = False) -> None:
    """Raise HerbariumError, with the row, if a cell of some columns is empty or has white space around it."""
    for column in columns:
        words = table[column]
        faulty = (words.str.strip() != words) | ((words == "") & (not may_be_empty))
        if faulty.any():
            row = faulty.idxmax()
            raise HerbariumError(
                f"{path}, row {row + 1}: '{words[row]}' in the column '{column}' is empty, or has white space around "
                "it that would be scored."
            )


def check_distinct(path: str | Path, keys: pd.Series) -> None:
    """Raise HerbariumError, with both rows, if a key occurs a second time."""
    check_spelling(path, keys)
    twice = keys.duplicated()
    if twice.any():
        row = twice.idxmax()
        first = (keys == keys[row]).idxmax()
        raise HerbariumError(f"{path}, row {row + 1}: '{keys[row]}' is listed twice, first in row {first + 1}.")


def check_spelling(path: str | Path, words: pd.Series) -> None:
    """Raise HerbariumError, with both rows, if two words differ in nothing visible (`sameness`)."""
    distinct = words.drop_duplicates()
    alike = distinct.map(sameness)
    twice = alike.duplicated()
    if twice.any():
        row = twice.idxmax()
        first = (alike == alike[row]).idxmax()
        raise HerbariumError(
            f"{path}, row {row + 1}: '{words[row]}' and '{words[first]}' in row {first + 1} look alike, but have "
            "different characters; use the same ones."
        )


def slots(template: str) -> list[str]:
    """The names of a template's slots, in their order."""
    return _SLOT.findall(template)


def fill(template: str, **fillers: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """The template with its slots filled, and each filler's character span (start, end exclusive) in the result."""
    text, spans, position = "", {}, 0
    for match in _SLOT.finditer(template):
        text += template[position : match.start()]
        filler = fillers[match[1]]
        spans[match[1]] = (len(text), len(text) + len(filler))
        text += filler
        position = match.end()
    return text + template[position:], spans


def place(data: dict) -> str:
    """Where the texts come from, for messages. data: as in the configuration."""
    return data["path"] or f"{data['hub'] or data['git']} at {data['revision'][:12]}"
