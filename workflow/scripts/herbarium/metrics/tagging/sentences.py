"""Sentences whose named entities are tagged, and which of them are for training and testing.

Tags are those of IOB2 (Tjong Kim Sang and Veenstra 1999): the first token of an entity has `B-` and its type, each
further one `I-` and the same type, any other token has `O`. An entity that begins with `I-`, as in IOB1 and by mistake
in CoNLL-2002, is read as one, as conlleval counts it.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.resources import read_text, with_unseen
from herbarium.core.store import schema

# `set` is the training set of a training sentence, from 1; null for a test sentence.
SENTENCES = schema(
    "tagged_sentences",
    ("tokens", pa.list_(pa.string())),
    ("tags", pa.list_(pa.string())),
    ("split", pa.string()),
    ("set", pa.int32()),
    nullable=("set",),
)
# Predictions of a tagger for the test sentences, one row each, in order. `n_untagged`: words without a prediction.
PREDICTIONS = schema("tagging_predictions", ("tags", pa.list_(pa.string())), ("n_untagged", pa.int32()))
TRAIN, TEST = "train", "test"
OUTSIDE = "O"
_TAG = re.compile(r"[BI]-\S+")
_DOCUMENT = "-DOCSTART-"  # a line of the CoNLL-2003 files that begins a document


class Sentence(NamedTuple):
    tokens: list[str]
    tags: list[str]


def fault(tags: Sequence[str]) -> tuple[int, str] | None:
    """The index, from 0, of the first tag that is none, and why; None if all are tags."""
    for place, tag in enumerate(tags):
        if tag != OUTSIDE and not _TAG.fullmatch(tag):
            return place, f"'{tag}' is not an IOB2 tag; valid: O, B- and a type, or I- and a type"
    return None


def in_iob2(tags: Sequence[str]) -> list[str]:
    """Tags in which every entity begins with `B-`: an `I-` that continues no entity of its type becomes one."""
    before = [OUTSIDE, *tags]
    return [
        f"B{tag[1:]}" if tag.startswith("I-") and previous[1:] != tag[1:] else tag
        for previous, tag in zip(before, tags, strict=False)
    ]


def read_conll(path: str | Path) -> list[Sentence]:
    """The sentences of a CoNLL file. Raises HerbariumError, with file and line, if it is not one."""
    sentences, numbers = [Sentence([], [])], []
    for number, line in enumerate([*read_text(path).split("\n"), ""], start=1):
        cells = line.split()
        if cells and cells[0] != _DOCUMENT:
            if len(cells) < 2:
                raise HerbariumError(
                    f"{path}, line {number}: '{line}' has no tag; a line must have a token and its tag."
                )
            sentences[-1].tokens.append(cells[0])
            sentences[-1].tags.append(cells[-1])
            numbers.append(number)
        elif sentences[-1].tokens:
            if problem := fault(sentences[-1].tags):
                place, why = problem
                raise HerbariumError(f"{path}, line {numbers[place - len(sentences[-1].tags)]}: {why}.")
            sentences.append(Sentence([], []))
    if len(sentences) == 1:
        raise HerbariumError(f"{path}: it has no sentence.")
    return [sentence._replace(tags=in_iob2(sentence.tags)) for sentence in sentences[:-1]]


def read_local(path: str | Path, names: Sequence[str]) -> dict[str | None, list[Sentence]]:
    """The sentences of a CoNLL file, or of files in a folder by name. Raises HerbariumError as `read_conll`."""
    path = Path(path)
    if not path.is_dir():
        if names:
            raise HerbariumError(f"{path}: it is not a folder, so it has no '{names[0]}' to train on or test with.")
        return {None: read_conll(path)}
    if not names:
        raise HerbariumError(f"{path}: it is a folder; 'train' and 'test' must say which of its files are read.")
    return {name: read_conll(path / name) for name in names}


def of_table(table: pd.DataFrame, task: Mapping, where: str) -> list[Sentence]:
    """The sentences of a table of a hub data set. task: as in the configuration, here and below. where: for messages.

    Raises HerbariumError, with the row, if a column is missing, a number has no name, or a tag is none.
    """
    for column in (task["tokens"], task["tags"]):
        if column not in table.columns:
            raise HerbariumError(f"{where}: it has no column '{column}'; its columns: {', '.join(table.columns)}.")
    names, sentences = task["names"], []
    for row, (tokens, tags) in enumerate(zip(table[task["tokens"]], table[task["tags"]], strict=True), start=1):
        tokens, tags = list(map(str, tokens)), list(tags)
        if len(tokens) != len(tags):
            raise HerbariumError(f"{where}, row {row}: {len(tokens)} tokens have {len(tags)} tags.")
        if numbered := [tag for tag in tags if not isinstance(tag, str)]:
            if unnamed := [tag for tag in numbered if tag not in range(len(names))]:
                raise HerbariumError(
                    f"{where}, row {row}, column '{task['tags']}': the tag {unnamed[0]} is a number without a name; "
                    "list under 'names' the names of the numbers, from 0, as on the page of the data set."
                )
            tags = [tag if isinstance(tag, str) else names[tag] for tag in tags]
        if any(not token or token.split() != [token] for token in tokens):
            raise HerbariumError(f"{where}, row {row}: a token is empty, or has white space in it.")
        if problem := fault(tags):
            raise HerbariumError(f"{where}, row {row}, token {problem[0] + 1}: {problem[1]}.")
        if tokens:
            sentences.append(Sentence(tokens, in_iob2(tags)))
    return sentences


def divided(
    pieces: Mapping[str | None, Sequence[Sentence]], task: Mapping, name: str, n_sets: int, seed: int, where: str
) -> pd.DataFrame:
    """A table of the schema "tagged_sentences": those for training in sets of about equal size, and those for testing.

    pieces: sentences by split, or under None. name: of the task; with the seed it determines the draws. Equal sentences
    are never divided between training sets, nor, if `test_share` divides them, between these and the test. Raises
    HerbariumError for a missing split, an empty set, or a part without an entity.
    """
    split_of = {piece: split for split in (TRAIN, TEST) for piece in task[split]}
    if lost := [piece for piece in split_of if piece not in pieces]:
        names = ", ".join(f"'{piece}'" for piece in pieces)
        raise HerbariumError(f"{where}: it has no split '{lost[0]}'; there are {names}.")
    listed = [(piece, sentence) for piece in (split_of or pieces) for sentence in pieces[piece]]
    rows = pd.DataFrame([sentence for _, sentence in listed], columns=Sentence._fields)
    rows["split"] = [split_of.get(piece) for piece, _ in listed]
    group = pd.factorize(rows["tokens"].map(tuple))[0]
    if not split_of:
        order = stream(seed, "tagging", name, TEST).permutation(group.max(initial=-1) + 1)
        rows["split"] = np.where(order[group] < round(task["test_share"] * len(order)), TEST, TRAIN)
    is_train = (rows["split"] == TRAIN).to_numpy()
    of_train, of_group = np.unique(group[is_train], return_inverse=True)
    rows["set"] = pd.array([pd.NA] * len(rows), dtype="Int32")
    order = stream(seed, "tagging", name, "sets").permutation(len(of_train))
    rows.loc[is_train, "set"] = 1 + order[of_group] % n_sets
    parts = {f"set {n}": rows["set"].eq(n).fillna(False) for n in range(1, n_sets + 1)} | {TEST: ~is_train}
    for part, is_in in parts.items():
        if not any(tag != OUTSIDE for tags in rows.loc[is_in, "tags"] for tag in tags):
            raise HerbariumError(
                f"tagging.tasks.{name}: of its {is_in.sum()} sentences the part '{part}' has none with an entity; give "
                "more sentences, or fewer tagging.training.sets."
            )
    return rows[SENTENCES.fields.names]


def classes(sentences: pd.DataFrame) -> list[str]:
    """All tags of a table of the schema, O first: their numbers are those of a tagger's classes."""
    return [OUTSIDE, *sorted({tag for tags in sentences["tags"] for tag in tags} - {OUTSIDE})]


def summary(sentences: pd.DataFrame) -> dict:
    """The facts about a task's data, as plain data: `counts` of sentences by split, `n_classes`, and `in_both`:
    distinct sentences in both splits; and `noted`, of `resources.with_unseen`."""
    by_split = {split: sentences.loc[sentences["split"] == split, "tokens"].map(tuple) for split in (TRAIN, TEST)}
    return {
        "counts": {split: len(tokens) for split, tokens in by_split.items()},
        "n_classes": len(classes(sentences)),
        "in_both": len(set(by_split[TRAIN]) & set(by_split[TEST])),
        "noted": with_unseen(sentences["tokens"].map(" ".join)),
    }
