"""The likeliest completions of sentences with one masked token: one forward pass a sentence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd

from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError
from herbarium.models.loading import before_head, logits
from herbarium.scoring import checks
from herbarium.scoring.completions import MASK
from herbarium.scoring.tokenization import encode

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

_BATCH = 64  # texts of one forward pass


def complete(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerFast",
    device: str,
    texts: Sequence[str],
    n: int,
    max_tokens: int,
    lowercase: bool,
    title: str,
) -> pd.DataFrame:
    """A table of the schema "completions": the n likeliest tokens in the place of MASK, which each text has once.

    A completion is a token as it is written, without spaces around it: what the pipeline `fill-mask` of transformers
    gives. It is a whole word if it has only letters, and does not continue what is before it. max_tokens: the longest
    input that the model takes. lowercase: lower-case each text first. A text is refused as in scoring
    (`checks.faults`).

    Texts of one length run together, so there is no padding. Raises HerbariumError for a tokenizer without a mask.
    """
    import torch

    if tokenizer.mask_token is None:
        raise HerbariumError(f"{title}: the model's tokenizer has no token for a mask.")
    around = [[part.lower() if lowercase else part for part in text.split(MASK)] for text in texts]
    shown = ["".join(parts) for parts in around]
    marks = checks.marks_of(tokenizer)
    refused, notes = checks.faults(
        encode(tokenizer, shown), shown, {}, (), marks, max_tokens - 1, lambda some: encode(tokenizer, some)
    )
    masked = encode(tokenizer, [tokenizer.mask_token.join(parts) for parts in around])
    token_ids = [masked.token_ids[start:end].tolist() for start, end in pairwise(masked.starts)]
    rows = pd.DataFrame({"text": list(texts), "completions": None, "is_word": None, "note": notes}, dtype=object)
    with torch.inference_mode(), progress(len(texts), "texts", title) as bar:
        for batch in _batches([row for row in range(len(texts)) if not refused[row]], token_ids):
            ids = torch.tensor([token_ids[row] for row in batch], device=device)
            at = (ids == tokenizer.mask_token_id).nonzero(as_tuple=True)
            scores = logits(model, before_head(model, ids)[0][at])
            likeliest = scores.topk(min(n, scores.shape[1]), dim=1).indices.cpu()
            before = ids[at[0], at[1] - 1].cpu()
            for row, last, tokens in zip(batch, before.tolist(), likeliest.tolist(), strict=True):
                rows.at[row, "completions"] = [tokenizer.decode([token]).strip() for token in tokens]
                rows.at[row, "is_word"] = [_is_word(tokenizer, last, token) for token in tokens]
            bar.update(len(batch))
    return rows


def _is_word(tokenizer: "PreTrainedTokenizerFast", before: int, token: int) -> bool:
    written = tokenizer.decode([token]).strip()
    return written.isalpha() and tokenizer.decode([before, token]).endswith(f" {written}")


def _batches(rows: Sequence[int], token_ids: Sequence[list[int]]) -> list[list[int]]:
    """Rows of texts with as many tokens, at most _BATCH at a time."""
    batches = []
    for length in sorted({len(token_ids[row]) for row in rows}):
        alike = [row for row in rows if len(token_ids[row]) == length]
        batches += [alike[start : start + _BATCH] for start in range(0, len(alike), _BATCH)]
    return batches
