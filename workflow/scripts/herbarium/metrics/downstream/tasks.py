"""Tasks: labelled texts, and which of them are for training, validation and testing.

Cells are compared as text, so that a label 1 is the same whether it was written as a number or not.
"""

import re

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.attributes import GROUPS
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.resources import with_unseen
from herbarium.core.store import schema
from herbarium.metrics.downstream import groups

# `label` is 1 for the positive class, 0 for the negative one. `source` is the whole of which several texts are parts: a
# comment, a film; null if the task names none. `set` is the training set of a text that is not for testing, from 1.
# `groups` has the group of a text by attribute, as columns of the data say; null if the task names none.
EXAMPLES = schema(
    "task_examples",
    ("example", pa.string()),
    ("text", pa.string()),
    ("label", pa.int8()),
    ("split", pa.string()),
    ("source", pa.string()),
    ("set", pa.int32()),
    ("groups", GROUPS),
    nullable=("source", "set", "groups"),
)
SPLITS = (TRAIN, VALIDATION, TEST) = ("train", "validation", "test")
CLASSES = (NEGATIVE, POSITIVE) = ("negative", "positive")  # by their label


def labelled(tables: dict[str | None, pd.DataFrame], task: dict, where: str) -> pd.DataFrame:
    """The rows of a task that its split names; all if the split is still to be made.

    tables: of `read`. task: as in the configuration, here and below. where: the file or data set, for messages.
    Returns the columns of EXAMPLES except `set`, null in `split` if that is still to be made, and `value`, the label as
    in the data; `label` is null if it is to be ignored.

    Raises HerbariumError, with the place, for a missing column, no row or a split without one, an unknown label, an
    empty text, an empty or duplicated id, an id in which no source is found, a group without a text, or a cell of a
    group's column that is not a number.
    """
    rows = pd.concat(
        [_rows(table, piece, task, _within(where, piece)) for piece, table in tables.items()], ignore_index=True
    )
    if rows.empty:
        raise HerbariumError(f"{where}: it has no row.")
    rows["split"] = _named_splits(rows["part"], task["split"], where)
    if task["split"]["test_share"] is None:
        rows = rows[rows["split"].notna()].reset_index(drop=True)
    label_of = {value: label for label, name in enumerate(CLASSES) for value in task[name]}
    rows["label"] = rows["value"].map(label_of).astype("Int8")
    rows["source"] = rows["example"].map(lambda example: _source(task["source"], example)).astype(object)

    def refuse(faulty: pd.Series, cell: str, column: str, fault: str) -> None:
        if faulty.any():
            row = rows.loc[faulty.idxmax()]
            raise HerbariumError(
                f"{_within(where, row['piece'])}, row {row['row']}, column '{column}': '{row[cell]}' {fault}."
            )

    known = [*label_of, *task["ignored"]]
    fault = f"is not one of the labels {', '.join(known)}; name it under 'negative', 'positive' or 'ignored'"
    refuse(~rows["value"].isin(known), "value", task["label"], fault)
    empty = rows["text"].str.strip() == ""
    refuse(empty & rows["label"].notna(), "text", task["text"], "is an empty text; remove the row")
    if task["id"]:
        refuse(rows["example"] == "", "example", task["id"], "is an empty id")
        refuse(rows["example"].duplicated(), "example", task["id"], "is repeated; ids must identify rows")
    if task["source"]:
        refuse(rows["source"].isna(), "example", task["id"], f"has no source matching '{task['source']}'")
    groups.require_texts(rows["groups"], task.get("groups", {}), where)
    return rows[["example", "text", "label", "split", "source", "groups", "value"]]


def _within(where: str, piece: str | None) -> str:
    return where if piece is None else f"{where}, split '{piece}'"


def _named_splits(part: pd.Series, rule: dict, where: str) -> pd.Series:
    """The split of each row by its value; null if the rule does not name it."""
    split_of = {value: split for split in (TRAIN, TEST) for value in rule[split] or ()}
    for value in split_of:
        if value not in set(part):
            place = f"in the column '{rule['column']}'" if rule["column"] else "as its split"
            known = ", ".join(f"'{other}'" for other in part.unique()[:10])
            raise HerbariumError(f"{where}: no row has '{value}' {place}; there are {known}.")
    return part.map(split_of).astype(object)


def _source(expression: str | None, example: str) -> str | None:
    match = re.search(expression, example) if expression else None
    return match[1] if match else None


def _rows(table: pd.DataFrame, piece: str | None, task: dict, where: str) -> pd.DataFrame:
    """The cells of a table that a task names, as text: `part` determines its split; `row` is numbered from 1."""
    by_column, attributes = task["split"]["column"], task.get("groups", {})
    of_groups = groups.columns(attributes)
    for column in filter(None, (task["text"], task["label"], task["id"], by_column, *of_groups)):
        if column not in table.columns:
            raise HerbariumError(f"{where}: it has no column '{column}'; its columns: {', '.join(table.columns)}.")
    number = pd.Series(range(1, len(table) + 1), dtype=object)
    numbered = number.map(lambda row: f"{piece or 'row'}-{row}")
    return pd.DataFrame(
        {
            "piece": piece,
            "row": number,
            "part": _as_text(table[by_column]) if by_column else piece,
            "example": _as_text(table[task["id"]]) if task["id"] else numbered,
            "text": _as_text(table[task["text"]]),
            "value": _as_text(table[task["label"]]),
            "groups": groups.of(pd.DataFrame({name: _as_text(table[name]) for name in of_groups}), attributes, where),
        }
    )


def _as_text(column: pd.Series) -> pd.Series:
    """Cells as text: a whole number without a point, even if a missing one made all of them floats; null as ''."""
    cells = column.reset_index(drop=True).convert_dtypes().astype(object)
    return cells.map(str, na_action="ignore").where(cells.notna(), "").astype(object)


def examples(
    rows: pd.DataFrame, task: dict, name: str, validation_share: float, n_sets: int, seed: int
) -> pd.DataFrame:
    """A table of the schema "task_examples", in the order of the data.

    rows: of `labelled`. name: of the task; with the seed it determines the draws. validation_share: of the training
    texts, held out for early stopping. n_sets: of training and validation texts, of about equal size.

    A part that is held out, for validation or by `test_share`, has the same share of each label, as far as whole
    sources allow: neither the texts of one source nor two equal texts are divided between it and the rest, nor between
    training sets. Raises HerbariumError for a split, or one of a set, without an example of one class.
    """
    rule = task["split"]
    rows = rows[rows["label"].notna()].astype({"label": "int8"})
    if rule["balanced"]:
        rows = rows[_sample(rows["label"], _equal_sizes(rows["label"]), stream(seed, "downstream", name, "balanced"))]
    if rule["test_share"] is not None:
        held_out = _held_out(rows, rule["test_share"], stream(seed, "downstream", name, TEST))
        rows = rows.assign(split=np.where(held_out, TEST, TRAIN))
    train = rows[rows["split"] == TRAIN]
    held_out = _held_out(train, validation_share, stream(seed, "downstream", name, VALIDATION))
    rows.loc[train.index[held_out], "split"] = VALIDATION
    test = rows.loc[rows["split"] == TEST, "label"]
    if task["max_test_samples"] is not None and len(test) > task["max_test_samples"]:
        sizes = _stratified_sizes(test, task["max_test_samples"])
        is_sampled = _sample(test, sizes, stream(seed, "downstream", name, "max_test_samples"))
        rows = rows.drop(test.index[~is_sampled])
    rows["set"] = _sets(rows, n_sets, stream(seed, "downstream", name, "sets"))
    for split, number in [*((split, n) for split in (TRAIN, VALIDATION) for n in range(1, n_sets + 1)), (TEST, None)]:
        split_rows = rows[(rows["split"] == split) & (True if number is None else rows["set"] == number)]
        for label, of_class in enumerate(CLASSES):
            if not (split_rows["label"] == label).any():
                where = f"the {split} split" if number is None or n_sets == 1 else f"the {split} split of set {number}"
                fewer = "; take more texts, or fewer downstream.training.sets" if n_sets > 1 and number else ""
                raise HerbariumError(
                    f"downstream.tasks.{name}: {where} has no {of_class} example ({', '.join(task[of_class])}"
                    f"), of {len(split_rows)}. Both classes are needed in each of {', '.join(SPLITS)}{fewer}."
                )
    return rows[EXAMPLES.fields.names].reset_index(drop=True)


def _sets(rows: pd.DataFrame, n_sets: int, rng: np.random.Generator) -> pd.Series:
    """The training set of each row, from 1; null of test texts.

    The groups (`_groups`) of a split come in random order, those with most texts of a class first, and each goes to the
    set with the fewest of that class.
    """
    numbers = pd.Series(pd.NA, rows.index, dtype="Int32")
    for split in (TRAIN, VALIDATION):
        split_rows = rows[rows["split"] == split]
        label, group = split_rows["label"].to_numpy(), _groups(split_rows)
        counts = np.zeros((group.max(initial=-1) + 1, len(CLASSES)), dtype=int)
        np.add.at(counts, (group, label), 1)
        set_of, sizes = np.empty(len(counts), dtype=int), np.zeros((n_sets, len(CLASSES)), dtype=int)
        order = rng.permutation(len(counts))
        for one in order[np.argsort(-counts[order].max(axis=1), kind="stable")]:
            most = counts[one].argmax()
            set_of[one] = np.lexsort([sizes.sum(axis=1), sizes[:, most]])[0]
            sizes[set_of[one]] += counts[one]
        numbers[split_rows.index] = 1 + set_of[group]
    return numbers


def _equal_sizes(label: pd.Series) -> tuple[int, int]:
    fewer = min((label == 0).sum(), (label == 1).sum())
    return fewer, fewer


def _stratified_sizes(label: pd.Series, n: int) -> tuple[int, int]:
    """The number of n examples with each label: as in the whole, but at least one of each."""
    n_positive = int(np.clip(round(n * (label == 1).mean()), 1, n - 1))
    return n - n_positive, n_positive


def _sample(label: pd.Series, sizes: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Which rows are in a sample with these numbers of each label; a smaller sample is part of a larger one."""
    chosen = np.zeros(len(label), dtype=bool)
    for value, size in enumerate(sizes):
        chosen[rng.permutation(np.flatnonzero(label == value))[:size]] = True
    return chosen


def _held_out(rows: pd.DataFrame, share: float, rng: np.random.Generator) -> np.ndarray:
    """Which rows are in a part that has the share of each label, rounded, or less if no whole group fits.

    Groups must not be divided (`_groups`). They come in random order, and each that still fits is taken.
    """
    label, group = rows["label"].to_numpy(), _groups(rows)
    counts = np.zeros((group.max(initial=-1) + 1, len(CLASSES)), dtype=int)
    np.add.at(counts, (group, label), 1)
    room = np.round(share * counts.sum(axis=0))
    is_held_out = np.zeros(len(counts), dtype=bool)
    for one in rng.permutation(len(counts)):
        if (counts[one] <= room).all():
            is_held_out[one] = True
            room -= counts[one]
    return is_held_out[group]


def _groups(rows: pd.DataFrame) -> np.ndarray:
    """The group of each row, numbered: rows of one source, or of one text, are in one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    text, source = (pd.factorize(rows[column])[0] for column in ("text", "source"))
    n_texts = text.max(initial=-1) + 1
    has = source >= 0  # null is -1
    n = n_texts + source.max(initial=-1) + 1
    links = coo_array((np.ones(has.sum()), (text[has], n_texts + source[has])), shape=(n, n))
    return connected_components(links, directed=False)[1][text]


def sample(examples: pd.DataFrame, split: str, n: int, task: str, seed: int) -> pd.Series:
    """At most n texts of a split, for trying a number format. examples: table "task_examples"."""
    texts = examples.loc[examples["split"] == split, "text"]
    return texts.iloc[stream(seed, "precision", task).permutation(len(texts))[:n]]


def summary(n_rows: int, rows: pd.DataFrame, chosen: pd.DataFrame) -> dict:
    """The facts about a task's data, as plain data.

    n_rows: of all tables. rows: of `labelled`. chosen: of `examples`.
    counts: examples by split and class. left_out: rows in no split named by the task. ignored: of the others, those of
    each ignored label. not_sampled: those left out by balancing or `max_test_samples`. texts_in_train_and_test:
    distinct texts in both, the validation part counted as train. sources_in_train_and_test: sources with texts in both;
    null if the task names no source. noted: of `resources.with_unseen`, of the examples.
    """
    ignored = rows.loc[rows["label"].isna(), "value"].value_counts()
    by_split = {split: chosen[chosen["split"] == split] for split in SPLITS}
    learned = pd.concat([by_split[TRAIN], by_split[VALIDATION]])

    def shared(one: pd.Series, other: pd.Series) -> int:
        return len(set(one.dropna()) & set(other.dropna()))

    return {
        "counts": {
            split: {name: int((part["label"] == label).sum()) for label, name in enumerate(CLASSES)}
            for split, part in by_split.items()
        },
        "left_out": n_rows - len(rows),
        "ignored": {value: int(n) for value, n in ignored.items()},
        "not_sampled": int(rows["label"].notna().sum()) - len(chosen),
        "texts_in_train_and_test": shared(learned["text"], by_split[TEST]["text"]),
        "sources_in_train_and_test": (
            shared(learned["source"], by_split[TEST]["source"]) if chosen["source"].notna().any() else None
        ),
        "noted": with_unseen(chosen["text"]),
    }
