"""The HERB probe: sentences on regions (Li et al. 2022, Section 3.1) and the bare region names of C_z (Section 3.4)."""

import hashlib

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.quantities import AUL
from herbarium.resources import fill
from herbarium.store import schema

# One row a sentence. `description` is null where the sentence is a region's bare name (Eq. 10). Spans are characters of
# `text`, end exclusive.
PROBE = schema(
    "herb_probe",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    ("region_name", pa.string()),
    ("description", pa.string()),
    ("region_start", pa.int32()),
    ("region_end", pa.int32()),
    ("description_start", pa.int32()),
    ("description_end", pa.int32()),
    nullable=("description", "description_start", "description_end"),
)
SLOTS = {"region", "description"}
BARE_NAME = "[region]"
QUANTITY = AUL  # f(S), Eq. 1


def instantiate(template: str, region_names: list[str], descriptions: list[str]) -> pd.DataFrame:
    """Every distinct sentence of the probe, as a table of the schema "herb_probe".

    template: text with the slots [region] and [description]. region_names, descriptions: fillers; a repeated one adds
    no sentence (two cities of one name share theirs).
    """
    rows = []
    for name in dict.fromkeys(region_names):
        rows.append(_row(BARE_NAME, name, None))
        rows += [_row(template, name, description) for description in dict.fromkeys(descriptions)]
    return pd.DataFrame(rows)


def _row(template: str, name: str, description: str | None) -> dict:
    text, spans = fill(template, region=name, description=description)
    described = spans.get("description", (None, None))
    return {
        "sentence_id": sentence_id(text),
        "text": text,
        "region_name": name,
        "description": description,
        "region_start": spans["region"][0],
        "region_end": spans["region"][1],
        "description_start": described[0],
        "description_end": described[1],
    }


def sentence_id(text: str) -> int:
    """A 63-bit number that depends on the text alone, so that caches of different runs can be joined."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def likelihoods(
    probe: pd.DataFrame, scores: pd.DataFrame, region_names: list[str], descriptions: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """f(S) of the probe's sentences as arrays: (n_regions, n_descriptions), and (n_regions,) of the bare names.

    probe: table "herb_probe". scores: table "scores" of the quantity f. nan where a sentence was refused or is not of
    the probe (a name or description may be given any number of times).
    """
    value = probe["sentence_id"].map(scores.set_index("sentence_id")["value"])
    bare = probe["description"].isna()
    name = value[bare].set_axis(probe.loc[bare, "region_name"])
    filled = pd.DataFrame({"f": value[~bare], "region": probe["region_name"], "description": probe["description"]})
    table = filled.dropna(subset="description").pivot(index="region", columns="description", values="f")
    return (
        table.reindex(index=region_names, columns=descriptions).to_numpy(dtype=float),
        name.reindex(region_names).to_numpy(dtype=float),
    )
