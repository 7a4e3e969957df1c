"""Sentences and their versions with gendered words swapped: each pair once, by what they share and what differs."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.training.swapping import Span, Swaps, swapped

# `frame`: the sentence with … for each swapped word. `terms`: these words, each with its counterpart.
PAIRS = schema(
    "counterfactual_pairs",
    ("sentence_id", pa.int64()),
    *((name, pa.string()) for name in ("text", "swapped", "frame", "terms")),
    ("is_sure", pa.bool_()),
)
_GAP = "…"


def pairs(texts: pd.DataFrame, swaps: Swaps) -> pd.DataFrame:
    """A table of the schema "counterfactual_pairs": for each sentence with a gendered word, its swap.

    A sentence and its swap that are both among the sentences are one pair, the first of them. A sentence that occurs
    several times, such as for different scored words, is as many pairs. is_sure: whether the swap of the swap is the
    sentence. texts: `sentence_id`, `text`, and `names`, the positions of names, whose words stay (list of start and
    end).
    """
    rows = [_pair(*row, swaps) for row in texts[["sentence_id", "text", "names"]].itertuples(index=False)]
    table = pd.DataFrame([row for row in rows if row], columns=PAIRS.fields.names)
    table = table.drop_duplicates("sentence_id")
    place = table.groupby("text").cumcount()
    return table[~pd.DataFrame({"frame": table["frame"], "terms": table["terms"], "place": place}).duplicated()]


def _pair(sentence_id: int, text: str, names: Sequence[Span], swaps: Swaps) -> tuple | None:
    words = swaps.found(text, names)
    if not words:
        return None
    other, _, n_ambiguous = swapped(text, swaps, names)
    pieces, position, terms = [], 0, []
    for word in words:
        pieces += [text[position : word.start], _GAP]
        terms.append("/".join(sorted([text[word.start : word.end].lower(), word.replacement.lower()])))
        position = word.end
    frame = "".join([*pieces, text[position:]])
    return sentence_id, text, other, frame, ", ".join(terms), not n_ambiguous
