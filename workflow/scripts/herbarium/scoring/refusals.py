"""Sentences that a model cannot score: how many, and why."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import store
from herbarium.core.store import schema
from herbarium.scoring.quantities import SCORES

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
# For no sentences at all: perhaps none of the stimuli has a word to swap.
_NOTHING = pd.DataFrame(
    {"sentence_id": pd.Series(dtype="int64"), "note": pd.Series(dtype=object), "refused": pd.Series(dtype=bool)}
)
# Notes with numbers of their own sentence, and the reason that they are counted under.
_REASONS = {
    r"refused: \d+ tokens, the model takes (\d+)": r"more tokens than the \1 that the model takes",
    r"(the tokenizer knows only) \d+ of \d+ letters \(\d+%\)": r"\1 some of the letters",
}


def count(scores: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """One row per reason, the columns of REFUSALS from `reason` on; one row without a reason if there are no notes.

    scores: in pieces; `sentence_id`, `value` and `note` of the schema "scores". `refused`: whether these sentences have
    no score, or a score with a caveat; `n`: their number, counting a sentence once, however many quantities are asked
    for; `of`: the number of all sentences.
    """
    notes, ids = [_NOTHING], [np.empty(0, dtype=np.int64)]
    for piece in scores:
        with_note = piece[piece["note"].notna()]
        notes.append(with_note.assign(refused=with_note["value"].isna())[["sentence_id", "note", "refused"]])
        ids.append(piece["sentence_id"].to_numpy())
    notes = pd.concat(notes)
    reason = notes["note"]
    for pattern, words in _REASONS.items():
        reason = reason.str.replace(pattern, words, regex=True)
    notes = notes.assign(reason=reason.str.removeprefix("refused: "))
    notes = notes.drop_duplicates(["sentence_id", "reason", "refused"])
    counts = notes.groupby(["reason", "refused"]).size().rename("n").reset_index()
    if counts.empty:
        counts = pd.DataFrame([{"reason": None, "refused": False, "n": 0}])
    return counts.assign(of=len(np.unique(np.concatenate(ids))))


def listed(left_out: Mapping[str, str], counted: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The refusals of a study, in the columns of REFUSALS: those counted, behind a row without stimuli for each model,
    or key of the configuration, that was left out. left_out: why, by their names."""
    rows = [(model, None, f"left out: {why}", True, 0, 0) for model, why in left_out.items()]
    whole = [pd.DataFrame(rows, columns=REFUSALS.fields.names)] if rows else []
    return pd.concat([*whole, *counted]) if whole or counted else pd.DataFrame(columns=REFUSALS.fields.names)


def write(path: str, scores: str, model: str, stimuli: str, made: dict) -> None:
    """Write the refusals among the scores at a path, with the schema "scores", as a table with the schema "refusals".

    made: how it was made, for the header.
    """
    pieces = (piece.to_pandas() for piece in store.read_pieces([scores], SCORES.name))
    store.write_table(path, REFUSALS, count(pieces).assign(model=model, stimuli=stimuli), made)
