"""Peculiarities of the lists of Categorical Bias, for people to check. Everything that can be read is measured."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

import pandas as pd

from herbarium.core import resources
from herbarium.metrics.categorical_bias.stimuli import FORMS, Lists

COLUMNS = ["language", "list", "table", "key", "remark"]
WORDS = {"templates": ["text"], "targets": ["target"], "attributes": FORMS}


def remarks(lists: Mapping[tuple[str, str], Lists]) -> pd.DataFrame:
    """One row per remark, with COLUMNS; `key` is empty if it concerns a whole table.

    lists: by language and name. Remarks are about keys of the other lists that this one lacks (templates: meanings),
    words used for two keys, letters of another script than most of the list's, invisible characters, and characters in
    a word that are not letters.
    """
    rows = [
        {"language": language, "list": name, "table": table, "key": key, "remark": remark}
        for (language, name), language_lists in lists.items()
        for table, key, remark in [
            *_unpaired(language_lists, lists.values()),
            *_twice(language_lists),
            *_odd_characters(language_lists),
        ]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


Remarks = Iterator[tuple[str, str, str]]  # table, key, remark


def _unpaired(word_lists: Lists, others: list[Lists]) -> Remarks:
    for table in WORDS:
        known = keys(getattr(word_lists, table))
        lacking = dict.fromkeys(key for other in others for key in keys(getattr(other, table)) if key not in known)
        if lacking:
            yield table, "", f"{len(known)} keys; missing from other lists: {', '.join(lacking)}"


def keys(table: pd.DataFrame) -> list[str]:
    """The keys of a table; for templates, each meaning separately."""
    return [key for of_row in table["key"] for key in (of_row.split() if "text" in table else [of_row])]


def _twice(word_lists: Lists) -> Remarks:
    for table, columns in WORDS.items():
        rows = getattr(word_lists, table)
        for column in rows.columns.intersection(columns):
            for word, same in rows[rows[column] != ""].groupby(column, sort=False)["key"]:
                if len(same) > 1:
                    yield table, same.iloc[-1], f"{column}: '{word}' is already used for {same.iloc[0]}"


def _odd_characters(word_lists: Lists) -> Remarks:
    texts = [
        (table, row["key"], column, row[column])
        for table, columns in WORDS.items()
        for row in getattr(word_lists, table).to_dict("records")
        for column in columns
        if column in row
    ]
    # the names of slots are not words of the language
    texts = [(*place, _without_slots(text)) for *place, text in texts]
    script, _ = Counter(_script(c) for *_, text in texts for c in text if c.isalpha()).most_common(1)[0]
    for table, key, column, text in texts:
        other = sorted({c for c in text if c.isalpha() and _script(c) != script})
        unseen = sorted({f"U+{ord(c):04X}" for c in text if unicodedata.category(c) in ("Cf", "Cc", "Zl", "Zp")})
        signs = sorted({c for c in text if unicodedata.category(c)[0] in "PSN" and c not in "-'’"})
        if other:
            yield table, key, f"{column}: not in {script.title()} letters: {' '.join(other)}"
        if unseen:
            yield table, key, f"{column}: invisible characters: {' '.join(unseen)}"
        if signs and table != "templates":
            yield table, key, f"{column}: characters in the word that are not letters: {' '.join(signs)}"


def _without_slots(text: str) -> str:
    return resources.fill(text, **dict.fromkeys(resources.slots(text), ""))[0]


def _script(letter: str) -> str:
    return unicodedata.name(letter, "unknown").split()[0]
