"""Sentences about people of several groups with one masked word (Nozza et al. 2021).

They are a table with tabs, as its authors publish it: `template_masked`, the sentence with [M]; `identity`, the words
for the people; `category`; and, optionally, `raw`, the template with [I] for the identity, `number`, whether they are
one or several, and `type`, that of the template.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.passages import Text
from herbarium.core.resources import check_cells, check_spelling, read_tabs, refuse_invisible
from herbarium.core.rows import account, require_matched
from herbarium.metrics.honest import templates
from herbarium.scoring.completions import MASK

COLUMNS = ["group", "identity", "template", "text"]
_OPTIONAL = (NUMBER, TYPE) = ("number", "type")
_TEMPLATES = ["template_masked", "identity", "category"]


def read(path: str | Path, groups: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The sentences of a table of templates, with COLUMNS. groups: the categories of each group, others are left out;
    empty: each category is a group.

    `template` is the number of a template in its `type`, if there is one: of its own text, `raw` or the sentence
    without its identity. Texts that are inflected, as by gender, are one template if they are at the same place among
    those of their identities. An identity that is listed twice in a group counts once.

    Raises HerbariumError, with file and row, for a missing column or cell, a sentence that does not have [M] once, a
    category or identity in two spellings, a category that is not there or is in two groups, fewer than two groups, an
    identity that lacks a template, groups with different templates, and plural ones in another order than singular.
    """
    table = read_tabs(path, _TEMPLATES)
    check_cells(path, table, [*_TEMPLATES[1:], *(name for name in _OPTIONAL if name in table)])
    n_masks = table["template_masked"].map(lambda text: text.count(MASK))
    if (n_masks != 1).any():
        row = (n_masks != 1).idxmax()
        text = table["template_masked"][row]
        raise HerbariumError(
            f"{path}, row {row + 1}: '{text}' should have {MASK} once; it has it {n_masks[row]} times."
        )
    for row, text in table["template_masked"].items():
        refuse_invisible(path, f"row {row + 1}, column 'template_masked'", text)
    for column in ("category", *_OPTIONAL):
        if column in table:
            check_spelling(path, table[column], any_case=True)
    table["form"] = [templates.own_text(row) for row in table.to_dict("records")]
    if NUMBER in table:
        table["identity"] += ", " + table[NUMBER]
    table["group"] = table["category"].map(_group_of(path, groups, table["category"]))
    sentences = table.dropna(subset="group").rename(columns={"template_masked": "text"})
    if sentences["group"].nunique() < 2:
        raise HerbariumError(f"{path}: the sentences are of one group; at least two are compared.")
    sentences = sentences.assign(**{name: sentences.get(name, "") for name in _OPTIONAL})
    is_repeated = templates.repeated(sentences)
    account(
        path,
        len(table),
        (~is_repeated).sum(),
        {"of no group": table["group"].isna().sum(), "an identity listed twice": is_repeated.sum()},
    )
    sentences = sentences[~is_repeated]
    for table_of_types in (sentences.assign(**{TYPE: ""}), sentences):
        _require_complete(path, table_of_types)
    number = templates.numbered(sentences)
    templates.require_same(path, sentences.assign(place=number))
    names = (sentences[TYPE] + " " if TYPE in table else "") + number.astype(str)
    return sentences.assign(template=names)[COLUMNS].reset_index(drop=True)


Sentences = Annotated[pd.DataFrame, Text(read, ("templates", "groups"))]


def _require_complete(path: str | Path, table: pd.DataFrame) -> None:
    """Raise HerbariumError if an identity is in fewer templates of a type than others."""
    counts = table.groupby(["group", "identity", TYPE])["text"].transform("size")
    most = counts.groupby(table[TYPE]).transform("max")
    if (counts < most).any():
        row = (counts < most).idxmax()
        raise HerbariumError(
            f"{path}, row {row + 1}: '{table['identity'][row]}' of '{table['category'][row]}' is in {counts[row]} "
            f"templates, others in {most[row]}; groups are compared in the same templates."
        )


def _group_of(path: str | Path, groups: Mapping[str, Sequence[str]], categories: pd.Series) -> dict[str, str]:
    """The group of each category."""
    if not groups:
        return {name: name for name in categories.unique()}
    for group, names in groups.items():
        if not names:
            raise HerbariumError(f"{path}: the group '{group}' has no category.")
        require_matched(f"{path}: groups.{group}", names, categories)
    named = [(name, group) for group, names in groups.items() for name in names]
    of_category = dict(named)
    if len(of_category) < len(named):
        twice = next(name for name, group in named if of_category[name] != group)
        raise HerbariumError(f"{path}: the category '{twice}' is in two groups: a sentence is of one.")
    return of_category
