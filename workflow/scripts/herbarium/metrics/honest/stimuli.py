"""Sentences about people of several groups with one masked word (Nozza et al. 2021).

They are a table with tabs, as its authors publish it: `template_masked`, the sentence with [M]; `identity`, the words
for the people; `category`; and, optionally, `number`, whether they are one or several, and `type`, by which the file is
ordered.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import check_cells, read_tabs
from herbarium.scoring.completions import MASK

COLUMNS = ["group", "identity", "template", "text"]
_TEMPLATES = ["template_masked", "identity", "category"]


def read(path: str | Path, groups: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The sentences of a table of templates, with COLUMNS. groups: the categories of each group, others are left out;
    empty: each category is a group.

    `template` is the place of a sentence among those of its identity that stand together, with its `type` if there is
    one: those of one template are at the same place, however it is inflected. An identity that is listed twice in a
    group counts once.

    Raises HerbariumError, with file and row, for a missing column or cell, a sentence that does not have [M] once, a
    category that is not there or is in two groups, fewer than two groups, and an identity that lacks a template.
    """
    table = read_tabs(path, _TEMPLATES)
    check_cells(path, table, _TEMPLATES[1:])
    n_masks = table["template_masked"].map(lambda text: text.count(MASK))
    if (n_masks != 1).any():
        row = (n_masks != 1).idxmax()
        text = table["template_masked"][row]
        raise HerbariumError(
            f"{path}, row {row + 1}: '{text}' should have {MASK} once; it has it {n_masks[row]} times."
        )
    if "number" in table:
        table["identity"] += ", " + table["number"]
    is_new = (table[["category", "identity"]] != table[["category", "identity"]].shift()).any(axis=1)
    place = table.groupby(is_new.cumsum()).cumcount().astype(str)
    table["template"] = (table["type"] + " " if "type" in table else "") + place
    table["group"] = table["category"].map(_group_of(path, groups, table["category"]))
    sentences = table.dropna(subset="group").rename(columns={"template_masked": "text"})
    if sentences["group"].nunique() < 2:
        raise HerbariumError(f"{path}: the sentences are of one group; at least two are compared.")
    sentences = sentences.drop_duplicates(["group", "identity", "template"])
    counts = sentences.groupby(["group", "identity"])["template"].transform("size")
    if (counts < counts.max()).any():
        row = (counts < counts.max()).idxmax()
        raise HerbariumError(
            f"{path}, row {row + 1}: '{table['identity'][row]}' of '{table['category'][row]}' is in {counts[row]} "
            f"templates, others in {counts.max()}; groups are compared in the same templates."
        )
    return sentences[COLUMNS].reset_index(drop=True)


def _group_of(path: str | Path, groups: Mapping[str, Sequence[str]], categories: pd.Series) -> dict[str, str]:
    """The group of each category."""
    known = list(categories.unique())
    if not groups:
        return {name: name for name in known}
    named = [(name, group) for group, names in groups.items() for name in names]
    for name, _ in named:
        if name not in known:
            raise HerbariumError(f"{path}: no category '{name}'{did_you_mean(name, known)}.")
    of_category = dict(named)
    if len(of_category) < len(named):
        twice = next(name for name, group in named if of_category[name] != group)
        raise HerbariumError(f"{path}: the category '{twice}' is in two groups: a sentence is of one.")
    return of_category
