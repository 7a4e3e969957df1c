"""The forms that sentences to be compared may have: a table of one's own, or files as their authors give them away."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.store import schema
from herbarium.metrics.sentence_sets import stimuli, winobias

# What is not as it should be in files, and whether a set of sentences is left out for it.
FAULTS = schema(
    "sentence_sets_faults",
    *(("file", pa.string()), ("line", pa.int64()), ("fault", pa.string()), ("is_left_out", pa.bool_())),
)


class Format(NamedTuple):
    """files: those that a path names, in their order. read: their sentences, as of `stimuli.placed`. faults: rows of
    FAULTS. All raise HerbariumError."""

    files: Callable[[Path], list[Path]]
    read: Callable[[Sequence[str | Path]], pd.DataFrame]
    faults: Callable[[Sequence[str | Path]], list[dict]]


TABLE, WINOBIAS, QUESTIONS = "table", "winobias", "winobias_antecedent"
FORMATS = {
    TABLE: Format(lambda path: [path], lambda paths: stimuli.read(*paths), lambda _: []),
    WINOBIAS: Format(winobias.files, winobias.read, winobias.faults),
    QUESTIONS: Format(winobias.files, winobias.read_questions, winobias.faults_of_questions),
}


def faults(form: str, paths: Sequence[str | Path]) -> pd.DataFrame:
    """A table of the schema "sentence_sets_faults". form: of FORMATS. paths: its files."""
    return pd.DataFrame(FORMATS[form].faults(paths), columns=FAULTS.fields.names)


def by_set(names: Iterable[str], paths: Sequence[str | Path]) -> pd.DataFrame:
    """The faults of several sets of sentences, one below the other, with `stimuli`, the name of each. paths: of tables
    of FAULTS, in the order of the names."""
    tables = [store.read_frame(path, FAULTS.name) for path in paths]
    named = [table.assign(stimuli=name) for name, table in zip(names, tables, strict=True)]
    return pd.concat(named, ignore_index=True)[["stimuli", *FAULTS.fields.names]]
