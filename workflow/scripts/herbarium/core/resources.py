"""Readers of handwritten files: word lists, templates and published tables. A fault is reported with file and line."""

import codecs
import csv
import difflib
import io
import itertools
import json
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import yaml

from herbarium.core.errors import HerbariumError

SLOT = re.compile(r"\[([A-Za-z]+)\]")
# Invisible characters that no picture or page may have; tabs and line breaks are not among them.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
# Bytes of a handwritten file at most: about a million lines.
LARGEST = 100_000_000
# Of a configuration: bytes, and values and levels with all aliases written out.
LARGEST_YAML, _MOST_NODES, _DEEPEST = 5_000_000, 100_000, 50
# Columns of a table at most; pandas takes minutes for a million.
MOST_COLUMNS = 10_000
# Characters that no reader sees and every tokenizer does: format characters, fillers, variation selectors. Where they
# belong to the spelling they are let be: joiners in scripts of Asia, and of emoji; spaces of no width where words are
# written without spaces; variants of emoji and Chinese characters; flags.
_JOINING = "\u0600-\u109f\u1780-\u18af\u1a00-\u1c7f\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
_PICTURES = "\u2190-\u2bff\u3030\u303d\ufe0f\U0001f000-\U0001faff"
_CHINESE = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPELLED = (
    rf"(?<=[{_JOINING}])[\u180b-\u180f\u200c\u200d]|[\u200c\u200d](?=[{_JOINING}])",
    r"(?<=[\u0e00-\u109f\u1780-\u17ff])\u200b",
    rf"(?<=[{_PICTURES}])\u200d(?=[{_PICTURES}])|(?<=[^\sA-Za-z\u00c0-\u05ff])[\ufe00-\ufe0f]",
    rf"(?<=[{_CHINESE}])[\U000e0100-\U000e01ef]",
    r"(?<=[\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007f]",
)
_UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_MAY_BE_UNSEEN = re.compile(f"[{_UNSEEN}]")
_INVISIBLE = re.compile("|".join([*_SPELLED, f"([{_UNSEEN}])"]))
_MARK = "#"  # of a comment
# What a spreadsheet leaves in a cell that it could not compute, in English and other languages.
_NOT_COMPUTED = re.compile(r"#[^a-z\s]+[?!]|#N/?[AD]|#NV|##+|Err:\d+")
# Quotes, dashes, and Cyrillic and Greek letters, and what they look like, beyond Unicode's compatibility characters.
_LOOKS_LIKE = str.maketrans(
    "‘’‛ʼ´`′“”„‟″‐‑‒–—―−асеіјоοрѕνхуАΑВΒСЕΕНΗІΙЈКΚМΜΝОΟРΡЅТΤХΧУΥΖ",
    "'" * 7 + '"' * 5 + "-" * 7 + "aceijoopsvxyAABBCEEHHIIJKKMMNOOPPSTTXXYYZ",
)

_SEPARATORS = {";": "semicolons", "\t": "tabs"}


UTF8 = "utf-8-sig"  # some editors begin UTF-8 files with a mark


def read_text(path: str | Path, encoding: str = UTF8) -> str:
    """The text of a file. Raises HerbariumError when it does not exist, is not a text file, is larger than any
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
    return text_of(content, path, encoding)


def text_of(content: bytes, place: str | Path, encoding: str = UTF8) -> str:
    """The text of bytes, in which \\n ends a line. place: where they are from, for messages.

    Raises HerbariumError as `read_text`.
    """
    if len(content) > LARGEST:
        raise HerbariumError(f"{place}: it has more than {LARGEST / 1e6:,.0f} MB, the most that is read.")
    try:
        text = io.TextIOWrapper(io.BytesIO(content), encoding=encoding).read()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        fault = not_utf8(error) if encoding == UTF8 else f"it is not encoded in {encoding}"
        raise HerbariumError(f"{place}, line {line}: {fault}.") from None
    if "\0" in text:
        raise HerbariumError(f"{place}: it has zero bytes, as UTF-16 text has; save it as UTF-8.")
    if match := CONTROL.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise HerbariumError(f"{place}, line {line}: it has the control character {unseen(match[0])}; remove it.")
    return text


def read_yaml(path: str | Path) -> yaml.Node | None:
    """The nodes of a YAML file, none of them built; None if it is empty.

    Raises HerbariumError, with the line, for a file that is not YAML, and for one whose aliases or depth would take all
    time and memory of a program that builds it, as Snakemake does.
    """
    text = read_text(path)
    require_regular(path, LARGEST_YAML)
    try:
        node = yaml.compose(text.replace("\t", " ") if Path(path).suffix == ".json" else text)
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark or error.context_mark).line + 1
        fault = "it has a tab; YAML is indented with spaces" if "\\t" in error.problem else error.problem
        raise HerbariumError(f"{path} is not valid YAML, line {line}: {fault}.") from None
    except yaml.YAMLError as error:
        raise HerbariumError(f"{path} is not valid YAML: {error}") from error
    except RecursionError:
        raise HerbariumError(f"{path}: it has more than {_DEEPEST} levels.") from None
    if node is not None:
        _measure(node, path, {}, set())
    return node


def _measure(node: yaml.Node, path: str | Path, known: dict[int, tuple[int, int]], above: set[int]) -> tuple[int, int]:
    """How many nodes there are with all aliases written out, and in how many levels. known: those of other nodes, by
    `id`; above: nodes that it is in."""
    if id(node) not in known:
        where = f"{path}, line {node.start_mark.line + 1}"
        if id(node) in above:
            raise HerbariumError(f"{where}: it contains itself, by an alias (*).")
        if len(above) > _DEEPEST:
            raise HerbariumError(f"{where}: it has more than {_DEEPEST} levels.")
        inner = itertools.chain(*node.value) if isinstance(node, yaml.MappingNode) else node.value
        sizes = (
            [(0, 0)]
            if isinstance(node, yaml.ScalarNode)
            else [(0, 0)] + [_measure(item, path, known, above | {id(node)}) for item in inner]
        )
        known[id(node)] = 1 + sum(size for size, _ in sizes), 1 + max(levels for _, levels in sizes)
        if known[id(node)][0] > _MOST_NODES:
            raise HerbariumError(f"{where}: with its aliases (*) written out, it has more than {_MOST_NODES:,} values.")
        if known[id(node)][1] > _DEEPEST:
            raise HerbariumError(f"{where}: it has more than {_DEEPEST} levels.")
    return known[id(node)]


def require_regular(path: str | Path, largest: int) -> None:
    """Raise HerbariumError for a file that is a device or a pipe, which may never end, or is larger than `largest`
    bytes.

    A missing file, or a folder, is left to its reader.
    """
    if not os.path.exists(path) or os.path.isdir(path):  # noqa: PTH110, PTH112 - Path's raise for a name that is too long
        return
    status = os.stat(path)  # noqa: PTH116
    if not stat.S_ISREG(status.st_mode):
        raise HerbariumError(f"{path}: this is a device or a pipe; it should be a file.")
    if status.st_size > largest:
        raise HerbariumError(
            f"{path}: it has {status.st_size / 1e6:,.0f} MB; at most {largest / 1e6:,.0f} MB are read."
        )


def unseen(character: str) -> str:
    """The name of an invisible character in messages."""
    return f"U+{ord(character):04X}"


def invisible(text: str) -> str | None:
    """The first character of a text that nobody sees, such as a soft hyphen, a space of no width or a mark of
    direction, and that does not belong to the spelling; None if there is none."""
    if text.isascii() or not _MAY_BE_UNSEEN.search(text):  # most texts: quickly
        return None
    return next((match[1] for match in _INVISIBLE.finditer(text) if match[1]), None)


def with_unseen(texts: Iterable[str]) -> dict[str, int]:
    """What is noted of texts by others, which are read as they are -> how many of them it is true of: those with an
    invisible character; nothing if none has one."""
    signs = list(filter(None, map(invisible, texts)))
    return {f"with an invisible character, the first {unseen(signs[0])}": len(signs)} if signs else {}


def refuse_invisible(path: str | Path, place: str, text: str) -> None:
    """Raise HerbariumError, with the place in a file, if a text has an invisible character that no comment of the file
    names, as a file by others may do that is kept as it is (U+200B)."""
    sign = invisible(text)
    if sign is None or (os.path.isfile(path) and any(unseen(sign) in line for _, line in comments(path))):  # noqa: PTH113
        return
    shown = text.replace(sign, f"<{unseen(sign)}>")
    raise HerbariumError(
        f"{path}, {place}: '{shown}' has the invisible character {unseen(sign)}, which would be scored; remove it. If "
        "it is meant, say so in a comment that names it."
    )


def comments(path: str | Path) -> list[tuple[int, str]]:
    """The numbered comments of a text file."""
    return [(number, line) for number, line in numbered(path) if line.startswith(f"{_MARK} ")]


def sameness(word: str) -> str:
    """A key that words that look alike share: two words with the same key are one word.

    Compatibility characters are folded (NFKC: a ligature, a full-width letter, a no-break space), as many tokenizers
    do, to which such words are the same input; and invisible characters are removed.
    """
    seen = _INVISIBLE.sub(lambda match: "" if match[1] else match[0], word) if invisible(word) else word
    return unicodedata.normalize("NFKC", seen).strip()


def not_utf8(error: UnicodeDecodeError) -> str:
    """What a file is instead of UTF-8, and what to do."""
    is_utf16 = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"{'this is UTF-16' if is_utf16 else 'not UTF-8'} text; save it as UTF-8"


def look_alike(one: str, other: str) -> str | None:
    """The first words of two texts that are the same to the eye, but not in their characters, as `'a' (U+0430) and 'a'
    (U+0061)`; None if there are none.

    They differ in a no-break space, a soft hyphen, a typographic apostrophe, a letter of another script or the like. A
    word comes with the white space before it.
    """
    texts = [re.findall(r"\s*\S+", text) for text in (one, other)]
    shown = [list(map(as_seen, words)) for words in texts]
    if one == other or texts == shown:
        return None
    for a, b, size in difflib.SequenceMatcher(None, *shown, autojunk=False).get_matching_blocks():
        for first, second in zip(texts[0][a : a + size], texts[1][b : b + size], strict=True):
            if first != second:
                return f"{_spelled(first, second)} and {_spelled(second, first)}"
    return None


def _spelled(word: str, other: str) -> str:
    """A word with the characters that another, which looks like it, does not have."""
    codes = ", ".join(unseen(sign) for sign in dict.fromkeys(word) if sign not in other)
    return f"'{word.strip()}'{codes and f' ({codes})'}"


def as_seen(word: str) -> str:
    """A key that words share if a reader cannot tell them apart."""
    folded = unicodedata.normalize("NFKC", word.translate(_LOOKS_LIKE))
    return re.sub(r"\s+", " ", "".join(sign for sign in folded if unicodedata.category(sign) != "Cf"))


def numbered(path: str | Path, encoding: str = UTF8) -> list[tuple[int, str]]:
    """The numbered lines of a text file. Only a line feed ends one: a text may have other characters that break
    lines, such as U+2028."""
    text = read_text(path, encoding)
    return list(enumerate(text.removesuffix("\n").split("\n"), start=1)) if text else []


def lines(path: str | Path) -> list[tuple[int, str]]:
    """The numbered lines of a UTF-8 text file without its comments: `#` alone, or with a space after it. Raises
    HerbariumError for another line that begins with #, which could be a comment or a word, and for invisible
    characters."""
    without_comments = [(number, line) for number, line in numbered(path) if not _is_comment(path, number, line)]
    for number, line in without_comments:
        refuse_invisible(path, f"line {number}", line)
    return without_comments


def _is_comment(path: str | Path, number: int, line: str) -> bool:
    if line.startswith(_MARK) and line.lstrip(_MARK)[:1].strip():
        raise HerbariumError(
            f"{path}, line {number}: '{line[:20]}' begins with # and no space: a comment begins with '# ', the first "
            'cell of a row is in quotes if it begins with #, as in "#1", and a word of a list cannot begin with it.'
        )
    return line.startswith(_MARK)


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
    for number, word in lines(path):
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
    slots_in = slots(template)
    for choice in [*([slot] for slot in sorted(wanted)), *([list(one_of)] if one_of else [])]:
        times = sum(slots_in.count(slot) for slot in choice)
        if times != 1:
            raise HerbariumError(
                f"{path}, line {number}: the slot {' or '.join(f'[{slot}]' for slot in choice)} must occur once in "
                f"'{template}'; it occurs {times} times."
            )
    known = {*wanted, *one_of}
    unknown = sorted(set(slots_in) - known)
    if unknown:
        raise HerbariumError(
            f"{path}, line {number}: unknown slot [{unknown[0]}] in '{template}'; known: {', '.join(sorted(known))}."
        )
    return template


def read_table(path: str | Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """The table in a CSV, with empty cells as empty texts. Lines that begin with # and a space are comments.

    columns: the required ones, as text. Raises HerbariumError when one is missing, the file cannot be read, a line may
    be a comment or a row, or a cell has what a spreadsheet could not compute.
    """
    return _table(path, columns, dict.fromkeys(columns, str))


def _table(
    path: str | Path, columns: Sequence[str], types: type | dict[str, type], encoding: str = UTF8
) -> pd.DataFrame:
    try:
        rows = _rows(path, encoding)
        header = next(rows, None)
        if header is None:
            raise HerbariumError(
                f"{path}: the file is empty; it should be a table with the columns {','.join(columns)}."
            )
        refuse_separator(path, header.cells, columns)
        texts = [header.text]
        for number, row in enumerate(rows, start=1):
            if len(row.cells) > len(header.cells):  # pandas takes the first for an index
                raise HerbariumError(
                    f"{path}, row {number}: a row has more cells than the header has columns; put a cell that has a "
                    "comma in quotes."
                )
            _require_whole(path, number, header.cells, len(row.cells), columns)
            texts.append(row.text)
        # keep_default_na=False: the code NA is a place, not a missing value
        table = pd.read_csv(io.StringIO("\n".join(texts)), keep_default_na=False, dtype=types)
    except (ValueError, csv.Error) as error:
        raise HerbariumError(f"{path}: not a readable CSV ({error}).") from error
    for column in columns:
        if column not in table.columns:
            raise HerbariumError(f"{path}: the column '{column}' is missing; required: {','.join(columns)}.")
    return table


def _require_whole(path: str | Path, row: int, header: Sequence[str], n_cells: int, columns: Iterable[str]) -> None:
    """Raise HerbariumError if a row of a table, from 1, ends before the cell of a required column."""
    for column in header[n_cells:]:
        if column in columns:
            raise HerbariumError(
                f"{path}, row {row}: it has {n_cells} cells, and the header {len(header)}; that of '{column}' is "
                "missing."
            )


class _Row(NamedTuple):
    cells: list[str]
    text: str


def _rows(path: str | Path, encoding: str) -> Iterator[_Row]:
    """The rows of a CSV, its header first, without comments and empty lines.

    Raises HerbariumError, with the line, for a comment that may be a row, as it has as many cells as the header or
    spans lines, and for a cell that a spreadsheet could not compute.
    """
    of_file, begins, width = numbered(path, encoding), 0, None
    reader = csv.reader(f"{line}\n" for _, line in of_file)
    for cells in reader:
        number, first = of_file[begins]
        text = "\n".join(line for _, line in of_file[begins : reader.line_num])
        begins = reader.line_num
        if faulty := next(filter(_NOT_COMPUTED.fullmatch, cells), None):
            raise HerbariumError(f"{path}, line {number}: '{faulty}' is what a spreadsheet leaves of a failed formula.")
        if _is_comment(path, number, first):
            if len(cells) == width or text != first:
                raise HerbariumError(
                    f"{path}, line {number}: '{first[:20]}' begins with # and looks like a row: put its first cell in "
                    "quotes, or remove it; comments are best above the header."
                )
        elif cells:
            width = width or len(cells)
            yield _Row(cells, text)


def read_text_table(path: str | Path, columns: Sequence[str], encoding: str = UTF8) -> pd.DataFrame:
    """As `read_table`, every cell as text; raises HerbariumError for a table without rows, too."""
    table = _table(path, columns, str, encoding)
    if table.empty:
        raise HerbariumError(f"{path}: the table has no rows.")
    return table


def read_tabs(path: str | Path, columns: Sequence[str], encoding: str = UTF8) -> pd.DataFrame:
    """The table in a file whose cells are separated by tabs, in which quotes mean nothing, every cell as text. Raises
    HerbariumError when a required column is missing, the file cannot be read or it has no rows."""
    try:
        text = io.StringIO(read_text(path, encoding))
        table = pd.read_csv(text, sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE)
    except ValueError as error:
        raise HerbariumError(f"{path}: not a readable table with tabs ({error}).") from error
    for column in columns:
        if column not in table.columns:
            raise HerbariumError(
                f"{path}: the column '{column}' is missing; required, with tabs between them: {', '.join(columns)}."
            )
    if table.empty:
        raise HerbariumError(f"{path}: the table has no rows.")
    filled = [line.split("\t") for line in text.getvalue().split("\n") if line]
    for row, cells in enumerate(filled[1:], start=1):
        _require_whole(path, row, filled[0], len(cells), columns)
    return table


def json_line(path: str | Path, number: int, text: str, cells: Iterable[str], what: str) -> dict:
    """The object in a line of a .jsonl file. A number is a text, as it is written, so that no key is rounded; what is
    named by `cells` is a text, true and false among them.

    what: a line should be, for messages. Raises HerbariumError, with the line, for anything else than an object, a key
    that is given twice, and a cell that is missing, null, a list or an object.
    """
    place, as_text = f"{path}, line {number}", {"parse_int": str, "parse_float": str, "parse_constant": _no_number}
    try:
        line = json.loads(text, **as_text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise HerbariumError(f"{place}: this is no {what} in JSON ({error}).") from None
    for name in cells:
        cell = line.get(name) if isinstance(line, dict) else None
        if not isinstance(cell, str | bool):
            kind = {list: "a list", dict: "an object"}.get(type(cell), "missing, or null")
            raise HerbariumError(f"{place}: this is no {what}: '{name}' is {kind}; it should be a text or a number.")
        line[name] = str(cell).lower() if isinstance(cell, bool) else cell
    return line


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _once_each(pairs: list[tuple[str, object]]) -> dict:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"the key '{next(name for name in names if names.count(name) > 1)}' is given twice")
    return dict(pairs)


def as_record(tables: Mapping[str, pd.DataFrame]) -> dict[str, dict]:
    """Tables of text as plain data, by their names; columns in their order."""
    return {name: {"columns": list(table), "rows": table.to_numpy().tolist()} for name, table in tables.items()}


def tables_from(record: Mapping[str, Mapping]) -> dict[str, pd.DataFrame]:
    """The tables of text that `as_record` made plain."""
    return {name: pd.DataFrame(table["rows"], columns=table["columns"], dtype=str) for name, table in record.items()}


def refuse_separator(path: str | Path, header: Sequence[str], columns: Iterable[str]) -> None:
    """Raise HerbariumError when something other than commas separates the cells of a table, or there are too many.

    header: the texts between the commas of its first line. columns: those that the table must have.
    """
    if len(header) > MOST_COLUMNS:
        raise HerbariumError(f"{path}: it has {len(header):,} columns; at most {MOST_COLUMNS:,} are read.")
    for separator, name in _SEPARATORS.items():
        if separator in header[0] and not set(columns) <= set(header):
            raise HerbariumError(
                f"{path}: its cells are separated by {name}; separate them with commas (in a spreadsheet, save it as "
                "CSV with commas, in UTF-8)."
            )


def check_cells(path: str | Path, table: pd.DataFrame, columns: Iterable[str], may_be_empty: bool = False) -> None:
    """Raise HerbariumError, with the row, if a cell of some columns is empty, or has white space around it or invisible
    characters."""
    for column in columns:
        for row, word in table[column].items():
            if pd.isna(word) or word.strip() != word or not (word or may_be_empty):
                raise HerbariumError(
                    f"{path}, row {row + 1}: '{word}' in the column '{column}' is empty, or has white space around it "
                    "that would be scored."
                )
            refuse_invisible(path, f"row {row + 1}, column '{column}'", word)


def check_distinct(path: str | Path, keys: pd.Series) -> None:
    """Raise HerbariumError, with both rows, if a key occurs a second time."""
    check_spelling(path, keys)
    twice = keys.duplicated()
    if twice.any():
        row = twice.idxmax()
        first = (keys == keys[row]).idxmax()
        raise HerbariumError(f"{path}, row {row + 1}: '{keys[row]}' is listed twice, first in row {first + 1}.")


def shares(path: str | Path, cells: pd.Series) -> pd.Series:
    """A column of a table as shares. Raises HerbariumError, with row and column, for anything but a number from 0 to
    1."""
    numbers = pd.to_numeric(cells, errors="coerce")
    wrong = ~numbers.between(0, 1)
    if wrong.any():
        row = wrong.idxmax()
        percent = f"; write {numbers[row] / 100:g} for {cells[row]} %" if 1 < numbers[row] <= 100 else ""
        raise HerbariumError(
            f"{path}, row {row + 1}, column '{cells.name}': '{cells[row]}' is not a number from 0 to 1{percent}."
        )
    return numbers.astype(float)


def check_spelling(path: str | Path, words: pd.Series, any_case: bool = False) -> None:
    """Raise HerbariumError, with both rows, if two words differ in nothing visible (`sameness`). any_case: or only in
    capitals."""
    spellings: dict[str, tuple[int, str]] = {}
    for row, word in words.drop_duplicates().items():
        key = sameness(word)
        first, spelled = spellings.setdefault(key.casefold() if any_case else key, (row, word))
        if first != row:
            raise HerbariumError(
                f"{path}, row {row + 1}: '{word}' and '{spelled}' in row {first + 1} look alike, but have different "
                "characters; use the same ones."
            )


def slots(template: str) -> list[str]:
    """The names of a template's slots, in their order."""
    return SLOT.findall(template)


def fill(template: str, **fillers: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """The template with its slots filled, and each filler's character span (start, end exclusive) in the result."""
    text, spans, position = "", {}, 0
    for match in SLOT.finditer(template):
        text += template[position : match.start()]
        filler = fillers[match[1]]
        spans[match[1]] = (len(text), len(text) + len(filler))
        text += filler
        position = match.end()
    return text + template[position:], spans


def place(data: dict) -> str:
    """Where the texts come from, for messages. data: as in the configuration."""
    return data["path"] or f"{data['hub'] or data['git']} at {data['revision'][:12]}"
