"""What a model makes of a text by itself: the mean of the last hidden states over its tokens.

HERB looks so at the bare names of regions (Li et al. 2022, Section 4.3: "contextualised representations of the single
[region] word").
"""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.models.loading import hidden_states
from herbarium.scoring.planning import check
from herbarium.scoring.tokenization import encode

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# One row per region. `representation` is null where the name was refused; `note` says why, or what else there is to
# say.
EMBEDDINGS = schema(
    "embeddings",
    ("region", pa.string()),
    ("n_tokens", pa.int32()),
    ("representation", pa.list_(pa.float32())),
    ("note", pa.string()),
    nullable=("representation", "note"),
)
# Inputs of one forward pass.
_BATCH = 256


def represent(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerFast",
    device: str,
    texts: list[str],
    max_tokens: int,
    lowercase: bool,
) -> pa.Table:
    """One row per text, in their order: `n_tokens, representation, note`, as in the schema "embeddings".

    model: on `device`. max_tokens: the longest input that it takes. lowercase: lower-case each text first. Special
    tokens are seen by the model and do not count in the mean. A text is refused as in scoring (`planning.check`).

    Texts of one length run together, so there is no padding; which run together depends on the texts alone, not on
    their order.
    """
    import torch

    texts = [text.lower() for text in texts] if lowercase else texts
    encoded = encode(tokenizer, texts)
    whole = np.zeros(len(texts), dtype=int), np.array([len(text) for text in texts], dtype=int)
    refused, notes = check(encoded, {"name": whole}, tokenizer.unk_token_id, max_tokens)
    rows_of: dict[tuple[int, ...], list[int]] = {}  # token ids -> the texts that have them
    for row in np.flatnonzero(~refused):
        ids = encoded.token_ids[encoded.starts[row] : encoded.starts[row + 1]]
        rows_of.setdefault(tuple(ids.tolist()), []).append(row)
    found: list[np.ndarray | None] = [None] * len(texts)
    inputs = sorted(rows_of, key=lambda ids: (len(ids), ids))
    for length in sorted({len(ids) for ids in inputs}):
        alike = [ids for ids in inputs if len(ids) == length]
        for batch in (alike[start : start + _BATCH] for start in range(0, len(alike), _BATCH)):
            with torch.inference_mode():
                states, _ = hidden_states(model, torch.tensor(batch, device=device))
            for ids, own in zip(batch, states.float().cpu().numpy(), strict=True):
                first = encoded.starts[rows_of[ids][0]]
                mean = own[~encoded.is_special[first : first + length]].mean(axis=0)
                for row in rows_of[ids]:
                    found[row] = mean
    n_tokens = np.bincount(encoded.sentence[~encoded.is_special], minlength=len(texts))
    return pa.table(
        {
            "n_tokens": pa.array(np.where(refused, 0, n_tokens), pa.int32()),
            "representation": pa.array(found, pa.list_(pa.float32())),
            "note": pa.array(notes, pa.string()),
        }
    )
