"""Completions of sentences with one masked token, as a table."""

import pyarrow as pa

from herbarium.core.store import schema

MASK = "[M]"  # the masked token in a text
# One row per text: its completions, the likeliest first, and whether each is a whole word; null if the text was
# refused, and `note` says why, or gives another caveat.
COMPLETIONS = schema(
    "completions",
    ("text", pa.string()),
    ("completions", pa.list_(pa.string())),
    ("is_word", pa.list_(pa.bool_())),
    ("note", pa.string()),
    nullable=("completions", "is_word", "note"),
)
