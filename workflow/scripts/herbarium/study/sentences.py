"""Some of the sentences that a study measures, with what every model scored: what its numbers are made of."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core import store
from herbarium.scoring.quantities import SCORES

SHOWN = 8  # sentences of each set of stimuli
COLUMNS = ["stimuli", "sentence", "quantity", "model", "value", "note"]


def examples(stimuli: Mapping[str, Sequence[str]], scores: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """A row for each of `COLUMNS`: `SHOWN` sentences of each set, drawn at random, in every model, with each quantity
    that was asked for. stimuli: files of a set, by its name. scores: files by (model, stimuli)."""
    shown = {name: _drawn(files) for name, files in stimuli.items()}
    tables = [_scored(path, shown[name]).assign(stimuli=name, model=model) for (model, name), path in scores.items()]
    return pd.concat([pd.DataFrame(columns=COLUMNS), *tables], ignore_index=True)[COLUMNS]


def _drawn(files: Sequence[str]) -> pd.Series:
    """Texts by their sentence_id. The least ids are a random sample, since an id is a hash: the same in any number of
    shards."""
    drawn = pd.DataFrame({"sentence_id": pd.Series(dtype="int64"), "text": pd.Series(dtype=object)})
    for piece in store.read_pieces(files):
        least = np.unique(piece["sentence_id"].to_numpy())[:SHOWN]
        rows = _with_ids(piece, least).select(list(drawn.columns)).to_pandas()
        drawn = pd.concat([drawn, rows]).drop_duplicates("sentence_id").nsmallest(SHOWN, "sentence_id")
    return drawn.set_index("sentence_id")["text"]


def _scored(path: str, sentences: pd.Series) -> pd.DataFrame:
    """Their scores, in their order."""
    shown = (_with_ids(piece, sentences.index.to_numpy()) for piece in store.read_pieces([path], "scores"))
    rows = pa.concat_tables([SCORES.fields.empty_table(), *shown]).to_pandas()
    place = sentences.index.get_indexer(rows["sentence_id"])
    rows = rows.assign(sentence=sentences.to_numpy()[place], place=place)
    return rows.sort_values("place", kind="stable")


def _with_ids(piece: pa.Table, ids: np.ndarray) -> pa.Table:
    """The rows of the sentences with these ids."""
    return piece.filter(pc.is_in(piece["sentence_id"], pa.array(ids)))


def of_metrics(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of `examples` of each metric, by its name, with which those of its stimuli begin."""
    yield from table.groupby(table["stimuli"].str.split("/").str[0], sort=False)
