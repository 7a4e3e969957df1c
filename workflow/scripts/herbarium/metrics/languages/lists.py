"""Pairs of words that differ only in gender, and dictionaries: in our format, and in those of their authors."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import check_cells, check_distinct, lines, read_text, read_text_table

LISTS, MIBS = "lists", "mibs"
FORMATS = (LISTS, MIBS)
COLUMNS = ["concept", "masculine", "feminine"]
DICTIONARY = ["source", "target"]
FEWEST = 2


class Lists(NamedTuple):
    """Pairs of occupations and of seed words: `concept` (shared by translations), `masculine`, `feminine`. n_repeated:
    repeated pairs of the file, which are left out."""

    occupations: pd.DataFrame
    seeds: pd.DataFrame
    n_repeated: int = 0

    @property
    def words(self) -> set[str]:
        return {word for pairs in (self.occupations, self.seeds) for form in COLUMNS[1:] for word in pairs[form]}


def as_record(lists: Lists) -> dict:
    """The lists as plain data."""
    return {"occupations": rows(lists.occupations), "seeds": rows(lists.seeds), "n_repeated": lists.n_repeated}


def from_record(record: Mapping) -> Lists:
    """The lists from the record that `as_record` made."""
    tables = (pd.DataFrame(record[name], columns=COLUMNS) for name in ("occupations", "seeds"))
    return Lists(*tables, record["n_repeated"])


def rows(table: pd.DataFrame) -> list[list[str]]:
    """A table of words as plain data."""
    return table.to_numpy().tolist()


def dictionary(pairs: Sequence[Sequence[str]]) -> pd.DataFrame:
    """A dictionary from its `rows`."""
    return pd.DataFrame(pairs, columns=DICTIONARY)


def files(folder: str | Path, form: str, code: str | None) -> list[Path]:
    """The files of occupations, and of seeds."""
    names = ["occupations.csv", "seeds.csv"]
    if form == MIBS:
        names = [f"{code}_male_def_occ", f"{code}_female_def_occ", f"{code}_gender_pairs.json"]
    return [Path(folder, name) for name in names]


def read(folder: str | Path, form: str, code: str | None = None) -> Lists:
    """The lists of a language. form: of FORMATS; for MIBS, with the code of the language as in the names of its files.

    Raises HerbariumError if a file is malformed, or has fewer than FEWEST pairs.
    """
    word_lists = (
        _read_mibs(*files(folder, MIBS, code)) if form == MIBS else Lists(*map(_read, files(folder, form, code)))
    )
    for what, pairs in zip(("occupations", "seeds"), word_lists, strict=False):
        if len(pairs) < FEWEST:
            raise HerbariumError(f"{folder}: {len(pairs)} pair of {what}; at least {FEWEST} are needed.")
    return word_lists


def _read(path: Path) -> pd.DataFrame:
    table = read_text_table(path, COLUMNS)
    check_cells(path, table, COLUMNS)
    check_distinct(path, table["concept"])
    check_distinct(path, table["masculine"] + ", " + table["feminine"])
    return table[COLUMNS]


def _read_mibs(masculine: Path, feminine: Path, seeds: Path) -> Lists:
    """The Multilingual Intrinsic Bias dataset (github.com/MSR-LIT/MultilingualBias, folder intrinsic/): for each gender
    one file, "english<tab>word" on each line, or the word alone in English; and pairs of seeds, the feminine first."""
    sides = [_cells(path) for path in (masculine, feminine)]
    if len(sides[0]) != len(sides[1]):
        raise HerbariumError(
            f"{feminine}: {len(sides[1])} words; {masculine.name} has {len(sides[0])}, but the two files must "
            "correspond line by line."
        )
    words = pd.DataFrame(
        {"masculine": [fields[-1] for fields in sides[0]], "feminine": [fields[-1] for fields in sides[1]]}
    )
    occupations = words.assign(concept=[fields[0] for fields in sides[0]])[COLUMNS]
    is_repeated = words.duplicated()
    return Lists(occupations[~is_repeated].reset_index(drop=True), _seeds_of_mibs(seeds), int(is_repeated.sum()))


def _seeds_of_mibs(path: Path) -> pd.DataFrame:
    try:
        pairs = [(str(feminine), str(masculine)) for feminine, masculine in json.loads(read_text(path))]
    except (ValueError, TypeError) as error:
        raise HerbariumError(f"{path}: it must be a JSON list of pairs of words, the feminine one first.") from error
    table = pd.DataFrame(pairs, columns=["feminine", "masculine"])
    return table.assign(concept=table["masculine"])[COLUMNS].drop_duplicates(COLUMNS[1:]).reset_index(drop=True)


def _cells(path: Path) -> list[list[str]]:
    """The tab-separated fields of each line; some lines have one tab too many."""
    cells = [[part.strip() for part in line.split("\t") if part.strip()] for _, line in lines(path)]
    return [line for line in cells if line]


def read_dictionary(path: str | Path) -> pd.DataFrame:
    """The words of a dictionary and their translations, `source` and `target`, as in those of MUSE: both on each line,
    separated by white space; a word with several translations is on several lines.

    Raises HerbariumError for any other line.
    """
    pairs = []
    for number, line in lines(path):
        parts = line.split()
        if len(parts) not in (0, 2):
            raise HerbariumError(f"{path}, line {number}: '{line}' is not a word and its translation.")
        pairs += [parts] if parts else []
    if not pairs:
        raise HerbariumError(f"{path}: the dictionary has no word.")
    return dictionary(pairs).drop_duplicates(ignore_index=True)


def read_dictionaries(train: str | Path, test: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The dictionary that an alignment is fitted to, and the one that it is tested on. Raises HerbariumError if a word
    of the test is in the dictionary of the fit."""
    fitted, tested_pairs = read_dictionary(train), read_dictionary(test)
    known = sorted(set(tested_pairs["source"]) & set(fitted["source"]))
    if known:
        n = tested_pairs["source"].nunique()
        raise HerbariumError(
            f"{test}: {len(known)} of its {n} words are also in {train}, such as '{known[0]}'; words of the fit say "
            "nothing about others."
        )
    return fitted, tested_pairs


def read_vocabulary(path: str | Path) -> list[str]:
    """Words, one per line, without repeats."""
    return list(dict.fromkeys(filter(None, (line.strip() for _, line in lines(path)))))
