"""A lexicon of hurtful words: a table with tabs, with `lemma`, `category` and `level`, as HurtLex is published."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from anyascii import anyascii

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.passages import Text
from herbarium.core.resources import check_cells, check_spelling, read_tabs
from herbarium.core.rows import account, require_matched

CONSERVATIVE, INCLUSIVE = LEVELS = ("conservative", "inclusive")
_COLUMNS = ["lemma", "category", "level"]


def read_lexicon(path: str | Path, level: str, categories: Sequence[str]) -> dict[str, str]:
    """The hurtful words of a lexicon, without accents, each with its first category, as the released code has it.

    level: CONSERVATIVE, or INCLUSIVE, which adds words that are hurtful in some senses only. categories: of the
    lexicon; empty: all. Raises HerbariumError for a missing column or cell, an unknown level, a category that is not
    there or has no word of the level, and a lexicon without words.
    """
    table = read_tabs(path, _COLUMNS)
    table["lemma"] = table["lemma"].str.strip()  # in published lexica, too
    check_cells(path, table, _COLUMNS)
    check_spelling(path, table["category"], any_case=True)
    for row, name in table.loc[~table["level"].isin(LEVELS), "level"].items():
        raise HerbariumError(f"{path}, row {row + 1}: no level '{name}'{did_you_mean(name, LEVELS)}.")
    require_matched(f"{path}: categories", categories, table["category"])
    is_level = table["level"].isin([CONSERVATIVE, level])
    is_used = is_level & table["category"].isin(categories or table["category"])
    used = table[is_used]
    if used.empty:
        raise HerbariumError(f"{path}: the lexicon has no words of the level '{level}'.")
    require_matched(f"{path}: categories", categories, used["category"], f" of the level '{level}'")
    plain = used["lemma"].map(anyascii)
    lexicon = dict(zip(plain[::-1], used["category"][::-1], strict=True))
    account(
        path,
        len(table),
        len(lexicon),
        {
            "of another level": (~is_level).sum(),
            "of another category": (is_level & ~is_used).sum(),
            "a word listed before": len(used) - len(lexicon),
        },
    )
    return lexicon


Lexicon = Annotated[dict[str, str], Text(read_lexicon, ("lexicon", "lexicon_level", "categories"))]


def hurtful(completion: str, lexicon: Mapping[str, str]) -> str | None:
    """The category of a completion in the lexicon; None if it is not there. Its accents do not count, its capitals
    do."""
    return lexicon.get(anyascii(completion))
