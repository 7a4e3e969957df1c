"""f(S) of HERB by region and description: the source of every number and figure of the metric.

The table has one row per region and wording. Each wording is a separate piece of its file, so that it can be read on
its own.
"""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from herbarium.core.store import schema
from herbarium.metrics.herb.stimuli import BARE_NAME, PAPER, Frame, Values, frame_text
from herbarium.regions import levels

# Every region but the root, in the order of the hierarchy. `f`: natural-log means by description, nan if the sentence
# was refused; a word in two topics occurs twice. `n_tokens`: of these sentences, over which f is the mean; 0 if
# refused. `f_name`: f of the bare name.
LIKELIHOODS = schema(
    "likelihoods",
    ("wording", pa.string()),
    ("region", pa.string()),
    ("f", pa.list_(pa.float64())),
    ("n_tokens", pa.list_(pa.int32())),
    ("f_name", pa.float64()),
    ("note", pa.string()),
    nullable=("note",),
)


def named(naming: str) -> str:
    """The name of the published wording with other names of the regions."""
    return f"name_{naming}"


def assemble(
    regions: pd.DataFrame,
    names: pd.DataFrame,
    wordings: Mapping[str, list[Frame]],
    values: Values,
    others: Mapping[str, Values],
    partly_known: set[str],
    without_cities: Collection[str] = (),
) -> Iterator[pa.Table]:
    """The likelihoods of each wording, then of each naming, as tables of the schema "likelihoods".

    regions, names: tables of these schemas. values: of the stimuli "herb" and "herb_wordings". others: wording ->
    its own values: of the stimuli "herb_padded", or of descriptions alone. partly_known: names that the tokenizer knows
    only in part. without_cities: wordings whose tables have continents and countries only.
    """
    countries = levels.without_cities(regions) if without_cities else regions
    everywhere, of_countries = (hierarchy[hierarchy["parent"].notna()] for hierarchy in (regions, countries))

    def table(wording: str, frames: list[Frame], scores: Values, renamed: pd.Series | None = None) -> pa.Table:
        scored = of_countries if wording in without_cities else everywhere
        names = scored["name"] if renamed is None else scored["region"].map(renamed).fillna(scored["name"])
        note = np.where(names.isin(partly_known), "the tokenizer knows only part of the name", None)
        columns = {
            "wording": pa.array([wording] * len(names), pa.string()),
            "region": pa.array(scored["region"], pa.string()),
            "f": _lists(scores.of(names, frames)),
            "n_tokens": _lists(scores.n_tokens(names, frames)),
            "f_name": values.of(names, [BARE_NAME])[:, 0],
            "note": pa.array(note, pa.string()),
        }
        return pa.table(columns)

    for wording, frames in wordings.items():
        yield table(wording, frames, others.get(wording, values))
    for naming, others in names.groupby("naming", sort=False):
        yield table(named(naming), wordings[PAPER], values, others.set_index("region")["name"])


def partly_known(stimuli: pd.DataFrame, scores: pd.DataFrame) -> set[str]:
    """Names that the tokenizer knows only in part: their bare names were scored with a note.

    stimuli: columns `sentence_id`, `frame`, `region_name`. scores: columns `sentence_id`, `value`, `note`.
    """
    remarked = scores.loc[scores["note"].notna() & scores["value"].notna(), "sentence_id"]
    bare = stimuli["frame"] == frame_text(BARE_NAME)
    return set(stimuli.loc[bare & stimuli["sentence_id"].isin(remarked), "region_name"])


def name_tokens(stimuli: pd.DataFrame, scores: pd.DataFrame) -> dict[str, int]:
    """Name -> tokens of its sentence, the bare name, special ones included.

    stimuli: columns `sentence_id`, `frame`, `region_name`. scores: columns `sentence_id`, `n_tokens`.
    """
    bare = stimuli[stimuli["frame"] == frame_text(BARE_NAME)]
    counts = scores[scores["sentence_id"].isin(bare["sentence_id"])].set_index("sentence_id")["n_tokens"]
    return dict(zip(bare["region_name"], counts.reindex(bare["sentence_id"]).fillna(0).astype(int), strict=True))


def of_regions(likelihoods: pa.Table, regions: pd.DataFrame) -> pa.Table:
    """The rows of some regions."""
    return likelihoods.filter(pc.is_in(likelihoods["region"], pa.array(regions["region"], pa.string())))


def matrix(likelihoods: pa.Table, column: str = "f") -> np.ndarray:
    """(n_regions, n_descriptions) f(S) of one wording, or `n_tokens`."""
    return likelihoods[column].combine_chunks().flatten().to_numpy().reshape(len(likelihoods), -1)


def with_matrix(likelihoods: pa.Table, f: np.ndarray) -> pa.Table:
    """The table with another f, (n_regions, n_descriptions)."""
    return likelihoods.set_column(likelihoods.column_names.index("f"), "f", _lists(f))


def _lists(rows: np.ndarray) -> pa.ListArray:
    return pa.ListArray.from_arrays(np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1], rows.ravel())


def frame(likelihoods: pa.Table, topics: Mapping[str, list[str]], column: str = "f") -> pd.DataFrame:
    """f(S) of one wording, or `n_tokens`: one row per region, columns (topic, description)."""
    columns = [(topic, word) for topic, words in topics.items() for word in words]
    return pd.DataFrame(
        matrix(likelihoods, column),
        index=pd.Index(likelihoods["region"].to_pandas(), name="region"),
        columns=pd.MultiIndex.from_tuples(columns, names=["topic", "description"]),
    )
