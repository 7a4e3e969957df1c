"""The table of probes that a user gives, one row each, and its sentences.

It has the authors' columns (copenlu/sofa; capitals do not matter): `category`, `identity`, `stereotype`, and `probe`,
the text of both. Other columns, such as an id, are not read.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from herbarium.core.errors import HerbariumError
from herbarium.core.passages import Text
from herbarium.core.resources import finder, sameness
from herbarium.metrics.sofa.stimuli import ALONE, COLUMNS, STIMULI, Sentences
from herbarium.models import sources
from herbarium.scoring.checks import UNSPACED
from herbarium.scoring.sentences import sentence_id, shard_of


def read(path: str | Path) -> pd.DataFrame:
    """`COLUMNS` of a table (.csv, .csv.gz, .tsv, .parquet), all text, one row per probe.

    Categories, identities and stereotypes are without white space around them; a category or stereotype is the same
    as another if only unseen characters tell them apart. Raises HerbariumError, with file and row, if a column is
    missing, a cell is empty, a probe does not name its identity or is there twice, two identities of a category look
    alike, or a category has one identity or one stereotype.
    """
    table = sources.read({"hub": None, "path": str(path)})[None]
    table = table.rename(columns=str.lower)
    for column in COLUMNS:
        if column not in table:
            raise HerbariumError(f"{path}: the column '{column}' is missing; required: {', '.join(COLUMNS)}.")
    table = table[COLUMNS].fillna("").astype(str)
    if table.empty:
        raise HerbariumError(f"{path}: the table has no rows.")
    for column in COLUMNS:
        if (row := _first(table[column].str.strip() == "")) is not None:
            raise HerbariumError(f"{path}, row {row + 1}: '{column}' is empty; give it a text, or remove the row.")
    table["identity"] = table["identity"].str.strip()
    for column in ("category", "stereotype"):
        first: dict[str, str] = {}
        of_cell = {cell: first.setdefault(_same(cell), cell.strip()) for cell in table[column].unique()}
        table[column] = table[column].map(of_cell)
    names = zip(table["identity"], table["probe"], strict=True)
    is_unnamed = np.array([not is_named(identity, probe) for identity, probe in names])
    if (row := _first(is_unnamed)) is not None:
        _, identity, _, probe = table.iloc[row]
        raise HerbariumError(f"{path}, row {row + 1}: the probe '{probe}' should contain its identity, '{identity}'.")
    if (row := _first(table.duplicated(COLUMNS[:3]))) is not None:
        category, identity, stereotype, _ = table.iloc[row]
        raise HerbariumError(
            f"{path}, row {row + 1}: '{identity}' with '{stereotype}' is there twice in the category '{category}'."
        )
    for category, rows in table.groupby("category", sort=False):
        _require_comparable(f"{path}: the category '{category}'", rows)
    return table


def _same(cell: str) -> str:
    """A cell as it is compared: without white space that nobody sees."""
    return " ".join(sameness(cell).split())


def is_named(identity: str, probe: str) -> bool:
    """Whether a probe has its identity as words of its own; where words have no spaces between them, at all."""
    if probe.startswith(f"{identity} "):
        return True
    probe, identity = _same(probe).casefold(), _same(identity).casefold()
    return bool(finder([identity]).search(probe)) or (identity in probe and bool(UNSPACED.search(identity)))


def _first(faulty: pd.Series | np.ndarray) -> int | None:
    """The place of the first fault."""
    places = np.flatnonzero(faulty)
    return int(places[0]) if len(places) else None


def _require_comparable(place: str, rows: pd.DataFrame) -> None:
    seen: dict[str, str] = {}
    for identity in rows["identity"].unique():
        other = seen.setdefault(sameness(identity).lower(), identity)
        if other is not identity:
            raise HerbariumError(f"{place}: the identities '{other}' and '{identity}' look alike; write one of them.")
    for column in ("identity", "stereotype"):
        if rows[column].nunique() == 1:
            one = rows[column].iloc[0]
            raise HerbariumError(
                f"{place} has one {column}, '{one}', and nothing to compare it with: give it another one, or leave "
                "the category out."
            )


Probes = Annotated[pd.DataFrame, Text(read, ("probes",))]


def instantiate(probes: Probes, shard: int, n_shards: int) -> Sentences:
    """The probes of the identities of a shard, and these alone."""
    identities = probes[COLUMNS[:2]].drop_duplicates()
    keys = identities["category"] + "/" + identities["identity"]
    identities = identities[[shard_of(key, n_shards) == shard for key in keys]]
    probes = identities.merge(probes).rename(columns={"probe": "text"})
    rows = pd.concat([identities.assign(text=identities["identity"], stereotype=ALONE), probes], ignore_index=True)
    return rows.assign(sentence_id=[sentence_id(text) for text in rows["text"]])[STIMULI.fields.names]
