"""A lexicon of hurtful words: a table with tabs, with `lemma`, `category` and `level`, as HurtLex is published."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from anyascii import anyascii

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import read_tabs

CONSERVATIVE, INCLUSIVE = LEVELS = ("conservative", "inclusive")
_COLUMNS = ["lemma", "category", "level"]


def read_lexicon(path: str | Path, level: str, categories: Sequence[str]) -> dict[str, str]:
    """The hurtful words of a lexicon, without accents, each with its first category, as the released code has it.

    level: CONSERVATIVE, or INCLUSIVE, which adds words that are hurtful in some senses only. categories: of the
    lexicon; empty: all. Raises HerbariumError for a missing column, a category that is not there, and a lexicon without
    words.
    """
    table = read_tabs(path, _COLUMNS)
    known = list(table["category"].unique())
    for name in categories:
        if name not in known:
            raise HerbariumError(f"{path}: no category '{name}'{did_you_mean(name, known)}.")
    is_used = table["level"].isin([CONSERVATIVE, level]) & table["category"].isin(categories or known)
    used = table[is_used & (table["lemma"] != "")]
    if used.empty:
        raise HerbariumError(f"{path}: the lexicon has no words of the level '{level}'.")
    plain = used["lemma"].map(anyascii)
    return dict(zip(plain[::-1], used["category"][::-1], strict=True))


def hurtful(completion: str, lexicon: Mapping[str, str]) -> str | None:
    """The category of a completion in the lexicon; None if it is not there. Its accents do not count, its capitals
    do."""
    return lexicon.get(anyascii(completion))
