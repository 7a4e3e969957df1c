"""Readers of the lists of this metric. Errors name file and line."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import check_cells, check_distinct, lines, read_text_table
from herbarium.core.rows import named
from herbarium.metrics.word_associations import sembias
from herbarium.metrics.word_associations.sembias import COLUMNS, DEFINITION, NONE, STEREOTYPE, Instances

GENDERS = ("masculine", "feminine")
# Of pairs that a direction is made of: as those of hard debiasing (`vectors.pairs`), but with their case kept.
PAIR = ("male", "female")
ROLES = ("X", "Y", "A", "B")
SLOT = "[word]"
OCCUPATION = "occupation"
# Files of a folder of SemBias lists, and their columns.
FOLDER = {DEFINITION: (*GENDERS, "held_out"), STEREOTYPE: GENDERS, NONE: ("one", "other")}
# In the authors' file, this number of last rows, of this total, have definition pairs that were held out of training.
HELD_OUT, PUBLISHED = 40, 440
_YES = ("", "yes")


def sembias_files(path: Path) -> list[Path]:
    """The source files of instances."""
    return [path / f"{name}.csv" for name in FOLDER] if path.is_dir() else [path]


def read_sembias(path: Path) -> Instances:
    """Instances, of the authors' file (one per line, four pairs `a:b` between tabs), or the product of the lists in a
    folder. Raises HerbariumError."""
    return _product(path) if path.is_dir() else _published(path)


def _published(path: Path) -> Instances:
    pairs: dict[tuple[str, str], int] = {}
    rows, category = [], {}
    for number, line in _lines(path):
        cells = [tuple(cell.split(":")) for cell in line.split("\t")]
        if [len(cell) for cell in cells] != [2] * len(COLUMNS) or not all(all(cell) for cell in cells):
            raise HerbariumError(
                f"{path}, line {number}: '{line}' does not have {len(COLUMNS)} pairs 'a:b' separated by tabs "
                "(definition, none, none, stereotype)."
            )
        for pair, name in zip(cells, COLUMNS, strict=True):
            if category.setdefault(pair, name) != name:
                raise HerbariumError(
                    f"{path}, line {number}: '{':'.join(pair)}' counts as {name} here and as {category[pair]} above."
                )
        rows.append([pairs.setdefault(pair, len(pairs)) for pair in cells])
    in_subset = np.arange(len(rows)) >= (len(rows) - HELD_OUT if len(rows) == PUBLISHED else len(rows))
    return Instances(list(pairs), np.array(rows), in_subset)


def _product(folder: Path) -> Instances:
    tables = {}
    for name, columns in FOLDER.items():
        path = folder / f"{name}.csv"
        tables[name] = table = read_text_table(path, columns)
        check_cells(path, table, columns[:2])
        check_distinct(path, named([table[column] for column in columns[:2]], ":"))
    if len(tables[NONE]) < 2:
        raise HerbariumError(f"{folder / NONE}.csv: it has only one pair; each instance needs two.")
    definition = tables[DEFINITION]
    odd = ~definition["held_out"].isin(_YES)
    if odd.any():
        row = odd.idxmax()
        raise HerbariumError(
            f"{folder / DEFINITION}.csv, row {row + 1}: '{definition.loc[row, 'held_out']}' in the column 'held_out'; "
            "valid: yes, or nothing."
        )
    lists = [_pairs(tables[name].iloc[:, :2]) for name in (DEFINITION, STEREOTYPE, NONE)]
    if twice := {tuple(sorted(pair)) for pair in lists[0]} & {tuple(sorted(pair)) for pair in lists[1] + lists[2]}:
        raise HerbariumError(f"{folder}: '{':'.join(min(twice))}' is a definition pair and is in another list too.")
    return sembias.product(*lists, held_out=_pairs(definition.loc[definition["held_out"] == "yes", list(GENDERS)]))


def _pairs(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(table.itertuples(index=False, name=None))


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Pairs of gendered words, masculine first. Raises HerbariumError."""
    table = read_text_table(path, PAIR)
    check_cells(path, table, PAIR)
    check_distinct(path, named([table[column] for column in PAIR], ":"))
    if (same := table[PAIR[0]] == table[PAIR[1]]).any():
        row = same.idxmax()
        raise HerbariumError(f"{path}, row {row + 1}: both words of the pair are '{table.loc[row, PAIR[0]]}'.")
    return _pairs(table[list(PAIR)])


def read_occupations(path: Path, women: str | None) -> tuple[list[str], np.ndarray | None]:
    """Occupations and, if a column has it, the share of women in them, (n,), in any unit. Raises HerbariumError."""
    table = read_text_table(path, [OCCUPATION, women] if women else [OCCUPATION])
    check_cells(path, table, [OCCUPATION])
    check_distinct(path, table[OCCUPATION])
    words = table[OCCUPATION].tolist()
    if not women:
        return words, None
    shares = pd.to_numeric(table[women], errors="coerce")
    if not np.isfinite(shares).all():
        row = (~np.isfinite(shares)).idxmax()
        raise HerbariumError(
            f"{path}, row {row + 1}: '{table.loc[row, women]}' in the column '{women}' is not a number."
        )
    return words, shares.to_numpy(float)


def read_test(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The words of an association test by role, and the names of its four sets. Raises HerbariumError."""
    columns = ("role", "set", "word")
    table = read_text_table(path, columns)
    check_cells(path, table, columns)
    check_distinct(path, table["word"])
    names = {}
    for role in ROLES:
        ids = table.loc[table["role"] == role, "set"].unique()
        if len(ids) != 1:
            raise HerbariumError(
                f"{path}: {len(ids)} sets have the role {role}; needed are targets X and Y and attributes A and B, one "
                "set each."
            )
        names[role] = str(ids[0])
    if odd := sorted(set(table["role"]) - set(ROLES)):
        raise HerbariumError(f"{path}: the role '{odd[0]}' is not one of {', '.join(ROLES)}.")
    words = {role: table.loc[table["role"] == role, "word"].tolist() for role in ROLES}
    for role, ids in words.items():
        if len(ids) < 2:
            raise HerbariumError(f"{path}: the set {role}, {names[role]}, has one word; at least two are needed.")
    return words, names


def read_similarities(path: Path) -> tuple[list[tuple[str, str]], np.ndarray]:
    """Pairs of words, and human scores of their similarity, (n,): lines `word1<TAB>word2<TAB>score`, after an optional
    header. Raises HerbariumError."""
    pairs, scores = [], []
    for place, (number, line) in enumerate(_lines(path)):
        cells = line.split("\t")
        try:
            one, other, score = cells[0], cells[1], float(cells[2])
        except (IndexError, ValueError):
            if place == 0 and len(cells) > 2:
                continue  # a header
            raise HerbariumError(
                f"{path}, line {number}: '{line}' is not word, word and score separated by tabs."
            ) from None
        pairs.append((one, other))
        scores.append(score)
    if not pairs:
        raise HerbariumError(f"{path}: it has no pair of words.")
    return pairs, np.array(scores)


def read_analogies(path: Path) -> tuple[list[tuple[str, str, str, str]], list[str]]:
    """Questions "A is to B as C is to D" and the section of each: lines `a b c d` under lines `: section`, as in
    Google's file. Raises HerbariumError."""
    questions, sections, section = [], [], ""
    for number, line in _lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        words = tuple(line.split())
        if len(words) != 4:
            raise HerbariumError(f"{path}, line {number}: '{line}' has {len(words)} words; a question has 4.")
        if words[3] in words[:3]:
            raise HerbariumError(
                f"{path}, line {number}: the answer '{words[3]}' is a word of the question, which is never given."
            )
        questions.append(words)
        sections.append(section)
    if not questions:
        raise HerbariumError(f"{path}: it has no question.")
    return questions, sections


def check_templates(templates: Sequence[str]) -> None:
    """Raise HerbariumError unless a template has one slot."""
    for template in templates:
        if template.count(SLOT) != 1:
            raise HerbariumError(f"the template '{template}' must have the slot {SLOT} once.")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines, without empty ones and comments."""
    return ((number, line.strip("\r\n")) for number, line in lines(path) if line.strip())
