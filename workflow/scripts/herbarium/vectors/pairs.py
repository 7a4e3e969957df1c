"""Pairs of words with a gender by definition: the seed words of GN-GloVe, and the words that hard debiasing
equalises."""

from collections.abc import Sequence
from pathlib import Path

from herbarium.core import resources
from herbarium.core.errors import HerbariumError

Pair = tuple[str, str]  # a masculine and a feminine word


def read(files: Sequence[str | Path]) -> list[Pair]:
    """The pairs of a table with the columns `male` and `female`, or of two lists of equal length, masculine and
    feminine words, as in Zhao et al. (2018) (`male_word_file.txt`, `female_word_file.txt`); in lower case, each pair
    once.

    Raises HerbariumError for a file that cannot be read, an empty cell, and lists of unequal length.
    """
    if len(files) == 1:
        (path,) = files
        table = resources.read_text_table(path, ["male", "female"])
        resources.check_cells(path, table, ["male", "female"])
        masculine, feminine = table["male"], table["female"]
    else:
        masculine, feminine = (resources.read_words(path, repeats=True) for path in files)
        if len(masculine) != len(feminine):
            raise HerbariumError(
                f"{files[0]} has {len(masculine)} words and {files[1]} {len(feminine)}: line by line, they must be "
                "the masculine and feminine words of the same pairs."
            )
    return list(dict.fromkeys((m.lower(), f.lower()) for m, f in zip(masculine, feminine, strict=True)))


def of_one_gender(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs without words that are masculine in one pair and feminine in another."""
    both = {m for m, _ in pairs} & {f for _, f in pairs}
    return [pair for pair in pairs if not both & set(pair)]


def disjoint(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, but of those that share a word only the first."""
    met, disjoint_pairs = set(), []
    for pair in pairs:
        if not met & set(pair):
            disjoint_pairs.append(pair)
            met |= set(pair)
    return disjoint_pairs
