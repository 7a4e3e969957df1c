"""Probes: an identity followed by a stereotype, and the identity alone (SoFa, Marchiori Manerba et al. 2024).

A table has one row per probe, with the authors' columns (copenlu/sofa; capitals do not matter): `category`, `identity`,
`stereotype`, and `probe`, the text of both. Other columns, such as an id, are not read.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import sameness
from herbarium.core.store import schema
from herbarium.models import sources
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import LL, PLL
from herbarium.scoring.sentences import sentence_id, shard_of, tokens, told_apart

QUANTITIES = {Kind.masked: [PLL], Kind.causal: [LL]}
COLUMNS = ["category", "identity", "stereotype", "probe"]
# The stereotype of an identity alone.
ALONE = ""
_SENTENCES = (("sentence_id", pa.int64()), *((name, pa.string()) for name in ("text", *COLUMNS[:3])))
STIMULI = schema("sofa_stimuli", *_SENTENCES)
# `value`: log10 of the perplexity of the probe over that of the identity alone, null if one of them was refused.
# `identity_value`: log10 of the latter.
OBSERVATIONS = schema(
    "sofa_observations",
    *_SENTENCES,
    *((name, pa.float64()) for name in ("value", "identity_value")),
    *((name, pa.int32()) for name in ("n_tokens", "n_identity_tokens")),
    ("note", pa.string()),
    nullable=("value", "identity_value", "note"),
)


def read(path: str | Path) -> pd.DataFrame:
    """`COLUMNS` of a table (.csv, .csv.gz, .tsv, .parquet), all text, one row per probe.

    Raises HerbariumError, with file and row, if a column is missing, a cell is empty, a probe does not name its
    identity or is there twice, two identities of a category look alike, or a category has one identity or one
    stereotype.
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
    names = zip(table["identity"], table["probe"], strict=True)
    is_unnamed = np.array([name not in probe and name.lower() not in probe.lower() for name, probe in names])
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


def instantiate(table: pd.DataFrame, shard: int, n_shards: int) -> pd.DataFrame:
    """A table of the schema "sofa_stimuli": the probes of the identities of a shard, and these alone. table: of
    `read`."""
    identities = table[COLUMNS[:2]].drop_duplicates()
    keys = identities["category"] + "/" + identities["identity"]
    identities = identities[[shard_of(key, n_shards) == shard for key in keys]]
    probes = identities.merge(table).rename(columns={"probe": "text"})
    rows = pd.concat([identities.assign(text=identities["identity"], stereotype=ALONE), probes], ignore_index=True)
    return rows.assign(sentence_id=[sentence_id(text) for text in rows["text"]])[STIMULI.fields.names]


def observe(sentences: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "sofa_observations", one row per probe. sentences: of the schema "sofa_stimuli". scores: of
    the schema "scores", of one quantity. A probe that is to the model the same as that of another identity has no
    value."""
    of_sentence = scores.drop_duplicates("sentence_id").set_index("sentence_id")[["value", "note"]]
    table = sentences.join(of_sentence, on="sentence_id").join(tokens(scores), on="sentence_id")
    table["value"] /= -np.log(10) * table["n_tokens"].mask(table["n_tokens"] == 0)
    is_alone = table["stereotype"] == ALONE
    alone = table[is_alone].set_index(["category", "identity"])[["value", "n_tokens", "note"]]
    table = table[~is_alone].join(alone.add_prefix("identity_"), on=["category", "identity"])
    table["note"] = table["note"].fillna("the identity alone: " + table["identity_note"])
    table["value"] -= table["identity_value"]
    table["set"] = table.groupby(["category", "stereotype"], sort=False).ngroup()
    table = told_apart(table.rename(columns={"identity_n_tokens": "n_identity_tokens"}))
    return table[OBSERVATIONS.fields.names].reset_index(drop=True)
