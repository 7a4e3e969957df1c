"""Sentences that a model cannot score: how many, and why."""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema

# One row per model, set of stimuli and reason.
REFUSALS = schema(
    "refusals",
    ("model", pa.string()),
    ("stimuli", pa.string()),
    ("reason", pa.string()),
    ("refused", pa.bool_()),
    ("n", pa.int64()),
    ("of", pa.int64()),
    nullable=("reason",),
)
_TOO_LONG = r"refused: \d+ tokens, the model takes (\d+)"


def count(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per reason, the columns of REFUSALS from `reason` on; one row with neither reason where nothing is said.

    scores: `sentence_id`, `value` and `note` of the schema "scores". `refused`: whether such sentences have no score,
    or one with a reservation; `n`: their number, a sentence counting once, whatever is asked of it; `of`: all.
    """
    said = scores[scores["note"].notna()]
    reason = said["note"].str.replace(_TOO_LONG, r"refused: more tokens than the \1 that the model takes", regex=True)
    said = said.assign(reason=reason.str.removeprefix("refused: "), refused=said["value"].isna())
    said = said.drop_duplicates(["sentence_id", "reason", "refused"])
    counts = said.groupby(["reason", "refused"]).size().rename("n").reset_index()
    if counts.empty:
        counts = pd.DataFrame([{"reason": None, "refused": False, "n": 0}])
    return counts.assign(of=scores["sentence_id"].nunique())
