"""Counts of gendered words in a corpus, and of occupations in the same sentence (Zhao 2021, Table 3.4)."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import check_cells, check_distinct, finder, read_text_table

KINDS = (MASCULINE, FEMININE) = ("masculine", "feminine")
# Section 3.2.2.1: "male pronouns (he, his and him) and female pronouns (she and her)".
PRONOUNS = {MASCULINE: ("he", "his", "him"), FEMININE: ("she", "her")}
COLUMNS = ["corpus", "pronouns", "n_sentences", "n_pronouns", "n_masculine_occupations", "n_feminine_occupations"]
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def sentences(texts: Iterable[str]) -> list[str]:
    """Texts cut at full stops, question and exclamation marks before white space, and at ends of lines."""
    return [sentence for text in texts for sentence in _SENTENCE.split(text) if sentence.strip()]


def read_occupations(path: str | Path) -> dict[str, str]:
    """Occupation, in lower case -> `MASCULINE` or `FEMININE`, by stereotype. Raises HerbariumError with the row."""
    table = read_text_table(path, ["occupation", "stereotype"])
    check_cells(path, table, ["occupation", "stereotype"])
    check_distinct(path, table["occupation"].str.lower())
    for row, kind in enumerate(table["stereotype"], start=1):
        if kind not in KINDS:
            raise HerbariumError(
                f"{path}, row {row}: the stereotype is '{kind}'; it must be one of {', '.join(KINDS)}."
            )
    return dict(zip(table["occupation"].str.lower(), table["stereotype"], strict=True))


def count(corpus: str, texts: Iterable[str], occupations: dict[str, str]) -> pd.DataFrame:
    """Rows of COLUMNS, one per kind of pronoun: the number of pronouns, and of sentences with one of them and an
    occupation that stereotypes assign to men, or to women.

    Words are compared in lower case; plurals of occupations are other words.
    """
    wanted = finder([*occupations, *PRONOUNS[MASCULINE], *PRONOUNS[FEMININE]])
    n_sentences, counters = 0, {kind: Counter() for kind in KINDS}
    for sentence in map(str.lower, sentences(texts)):
        n_sentences += 1
        words_found = wanted.findall(sentence)
        kinds = {occupations[word] for word in words_found if word in occupations}
        for kind, pronouns in PRONOUNS.items():
            if n := sum(word in pronouns for word in words_found):
                counters[kind]["pronouns"] += n
                counters[kind].update(kinds)
    return pd.DataFrame(
        [
            (corpus, kind, n_sentences, counter["pronouns"], counter[MASCULINE], counter[FEMININE])
            for kind, counter in counters.items()
        ],
        columns=COLUMNS,
    )
