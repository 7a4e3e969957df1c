"""The formats of sentences to be compared: a custom table, or files as released by their authors."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.store import schema
from herbarium.metrics.sentence_sets import bbq, repairs, stereoset, stimuli, winobias
from herbarium.metrics.sentence_sets.names import BBQ_SIDES

# Faults in files, and whether a set of sentences is left out for them.
FAULTS = schema(
    "sentence_sets_faults",
    *(("file", pa.string()), ("line", pa.int64()), ("fault", pa.string()), ("is_left_out", pa.bool_())),
)


class Format(NamedTuple):
    """files: those named by a path, in order; with PATTERN, those of a folder that match it. read: their sentences, as
    of `stimuli.placed`. faults: rows of FAULTS. All raise HerbariumError. learned: the format, with its sides, in which
    models of the testbed learn the sentences, whose first side need not be the planted one; None: as they are.

    takes: keys of a set of sentences that are for this format: REPAIRS of the files (`repairs.Repair`), what is in
    which of its COLUMNS (`columns.Columns`, as plain data), the CUE before an answer."""

    files: Callable[..., list[Path]]
    read: Callable[..., pd.DataFrame]
    faults: Callable[..., list[dict]]
    learned: tuple[str, Sequence[str]] | None = None
    takes: Collection[str] = ()


TABLE, WINOBIAS, BY_GENDER, QUESTIONS = "table", "winobias", "winobias_gender", "winobias_antecedent"
STEREOSET, STEREOSET_NEXT = "stereoset", "stereoset_next"
BBQ, BBQ_ANSWER, BBQ_CHOICES = "bbq", "bbq_answer", "bbq_choices"


REPAIRS, COLUMNS, PATTERN, CUE = "repairs", "columns", "pattern", "cue"


def _itself(path: Path) -> list[Path]:
    return [path]


FORMATS = {
    TABLE: Format(
        _itself,
        lambda paths, columns=None: stimuli.read(*paths, columns),
        lambda paths, columns=None: stimuli.faults(*paths, columns),
        takes=[COLUMNS],
    ),
    WINOBIAS: Format(winobias.files, winobias.read, winobias.faults, takes=[REPAIRS]),
    BY_GENDER: Format(
        winobias.files, winobias.read_by_gender, winobias.faults, (WINOBIAS, winobias.SIDES), takes=[REPAIRS]
    ),
    STEREOSET: Format(_itself, stereoset.read, stereoset.faults),
    STEREOSET_NEXT: Format(_itself, stereoset.read_next, stereoset.faults_of_next),
    BBQ: Format(bbq.files, bbq.read, bbq.faults, takes=[PATTERN]),
    BBQ_ANSWER: Format(bbq.files, bbq.read_with_cue, bbq.faults, takes=[PATTERN, CUE]),
    BBQ_CHOICES: Format(bbq.files, bbq.read_choices, bbq.faults, (BBQ_ANSWER, BBQ_SIDES), takes=[PATTERN, CUE]),
    QUESTIONS: Format(winobias.files, winobias.read_questions, winobias.faults_of_questions, takes=[REPAIRS]),
}


def read(
    form: str, paths: Sequence[str | Path], repairs_from: str | Path | None = None, reading: Mapping | None = None
) -> pd.DataFrame:
    """The sentences of files, as of `stimuli.placed`. form: of FORMATS. repairs_from: a list of repairs, if it takes
    one. reading: its COLUMNS and CUE, if they are given. Raises HerbariumError."""
    return FORMATS[form].read(paths, **_arguments(repairs_from, reading))


def faults(
    form: str, paths: Sequence[str | Path], repairs_from: str | Path | None = None, reading: Mapping | None = None
) -> pd.DataFrame:
    """A table of the schema "sentence_sets_faults"; arguments as of `read`."""
    without_cue = {key: value for key, value in (reading or {}).items() if key != CUE}
    listed = FORMATS[form].faults(paths, **_arguments(repairs_from, without_cue))
    return pd.DataFrame(listed, columns=FAULTS.fields.names)


def _arguments(repairs_from: str | Path | None, reading: Mapping | None) -> dict:
    return ({REPAIRS: repairs.read(repairs_from)} if repairs_from else {}) | dict(reading or {})


def by_set(names: Iterable[str], paths: Sequence[str | Path]) -> pd.DataFrame:
    """The faults of several sets of sentences, concatenated, with `stimuli`, the name of each. paths: of tables of
    FAULTS, in the order of the names."""
    tables = [store.read_frame(path, FAULTS.name) for path in paths]
    named = [table.assign(stimuli=name) for name, table in zip(names, tables, strict=True)]
    return pd.concat(named, ignore_index=True)[["stimuli", *FAULTS.fields.names]]
