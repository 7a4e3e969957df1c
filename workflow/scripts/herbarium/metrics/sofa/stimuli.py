"""Probes: an identity followed by a stereotype, and the identity alone (SoFa, Marchiori Manerba et al. 2024)."""

from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.passages import Table
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import LL, PLL, Scores
from herbarium.scoring.sentences import tokens, told_apart

COLUMNS = ["category", "identity", "stereotype", "probe"]
QUANTITIES = {Kind.masked: [PLL], Kind.causal: [LL]}
# The stereotype of an identity alone.
ALONE = ""
_SENTENCES = (("sentence_id", pa.int64()), *((name, pa.string()) for name in ("text", *COLUMNS[:3])))
STIMULI = schema("sofa_stimuli", *_SENTENCES)
Sentences = Annotated[pd.DataFrame, Table(steps.SENTENCES, STIMULI, says={"quantities": QUANTITIES, "slots": []})]
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
Observations = Annotated[pd.DataFrame, Table(steps.OBSERVATIONS, OBSERVATIONS)]


def observe(sentences: Sentences, scores: Scores) -> Observations:
    """One row per probe. scores: of one quantity. A probe that is to the model the same as that of another identity has
    no value."""
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
