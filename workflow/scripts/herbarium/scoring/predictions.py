"""Predictions of classifiers for texts with each prefix: their table, and all classifiers of a model together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema

# `example` is the number of the text among the test texts, `prefix` that of the prefix before it. `log_odds`: natural,
# of the positive class.
PREDICTIONS = schema(
    "predictions",
    ("example", pa.int32()),
    ("prefix", pa.int32()),
    ("log_odds", pa.float64()),
    ("n_tokens", pa.int32()),
    ("truncated", pa.bool_()),
)


@dataclass(frozen=True)
class Gathered:
    """Predictions of all classifiers of a model, one per training set."""

    log_odds: np.ndarray  # (n_sets, n_prefixes, n_examples) natural, of the positive class
    truncated: np.ndarray  # (n_prefixes,) number of texts that were cut


def gather(paths: Sequence[str | Path], shards: int, n_prefixes: int) -> Gathered:
    """paths: files with the schema "predictions", all shards of one classifier, then those of the next.

    Raises HerbariumError for a file that is damaged, or lacks a text or prefix.
    """
    values = []
    for first in range(0, len(paths), shards):
        of_one = paths[first : first + shards]
        rows = pd.concat([store.read_frame(path, "predictions") for path in of_one])
        log_odds = np.full((n_prefixes, rows["example"].max() + 1), np.nan)
        log_odds[rows["prefix"], rows["example"]] = rows["log_odds"]
        if np.isnan(log_odds).any():
            raise HerbariumError(f"{', '.join(map(str, of_one))}: texts or prefixes are missing. {store.REMEDY}")
        values.append(log_odds)
    # whether a text is cut depends on its tokens, so it is the same for every classifier
    truncated = rows.groupby("prefix")["truncated"].sum().reindex(range(n_prefixes))
    return Gathered(np.array(values), truncated.to_numpy())
